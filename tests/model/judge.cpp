// judge TRACE: reads what happened in a run, a JSON object a line, and prints each transition of a
// map that must never have happened. Exit 1 if there is one.
#include "model/map_checker.hpp"

#include <boost/json/parse.hpp>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace ome::model {
namespace {

namespace json = boost::json;

std::string text(const json::object& line, std::string_view name) {
    return std::string(line.at(name).as_string());
}

std::int64_t number(const json::object& line, std::string_view name) {
    return line.at(name).to_number<std::int64_t>();
}

json::value as_json(const YAML::Node& node) {
    if (node.IsMap()) {
        json::object object;
        for (const auto& member : node) {
            object[member.first.Scalar()] = as_json(member.second);
        }
        return object;
    }
    if (node.IsSequence()) {
        json::array array;
        for (const auto& item : node) {
            array.push_back(as_json(item));
        }
        return array;
    }
    const bool quoted = node.Tag() == "!";
    std::int64_t integer = 0;
    bool flag = false;
    if (!quoted && YAML::convert<std::int64_t>::decode(node, integer)) {
        return integer;
    }
    if (!quoted && YAML::convert<bool>::decode(node, flag)) {
        return flag;
    }
    return json::value(node.Scalar());
}

// Null, or not there: what it configures is off.
const json::object* block(const json::object& told, std::string_view name) {
    const json::value* value = told.if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

ServiceFacts facts_of(const json::object& told) {
    ServiceFacts facts;
    facts.routed = told.at("routed").as_bool();
    facts.valid = told.at("valid").as_bool();
    facts.uid = text(told, "uid");
    for (const auto& [cluster, value] : told.at("homes").as_object()) {
        const json::object& home = value.as_object();
        facts.homes[cluster] = {
            text(home, "endpoint"), number(home, "admitted"), number(home, "ready"), 1};
    }
    for (const auto& [id, cluster] : told.at("drains").as_object()) {
        facts.drains[id] = cluster.as_string();
    }
    if (const json::object* probe = block(told, "probe")) {
        facts.probe = {{text(*probe, "settings"),
                        number(*probe, "failureThreshold"),
                        number(*probe, "successThreshold")}};
    }
    if (const json::object* capacity = block(told, "capacity")) {
        facts.capacity = {{text(*capacity, "settings"),
                           number(*capacity, "quorum"),
                           number(*capacity, "maxAge")}};
    }
    return facts;
}

AnswerKind kind_of(const std::string& name) {
    constexpr std::pair<const char*, AnswerKind> kinds[] = {{"Passing", AnswerKind::Passing},
                                                            {"Failing", AnswerKind::Failing},
                                                            {"Unknown", AnswerKind::Unknown},
                                                            {"Report", AnswerKind::Report},
                                                            {"NoReport", AnswerKind::NoReport}};
    for (const auto& [known, kind] : kinds) {
        if (name == known) {
            return kind;
        }
    }
    throw std::runtime_error("no kind of answer: " + name);
}

void take(World& world, MapChecker& checker, const json::object& line) {
    const Millis at = number(line, "t");
    const std::string kind = text(line, "kind");
    if (kind == "facts") {
        world.facts(at, text(line, "key"), facts_of(line.at("facts").as_object()));
    } else if (kind == "answer") {
        world.answer(text(line, "key"),
                     text(line, "cluster"),
                     {at, kind_of(text(line, "answer")), number(line, "servable")});
    } else if (kind == "silent") {
        world.silent(at);
    } else if (kind == "heard") {
        world.heard(at);
    } else if (kind == "restarted") {
        world.restarted(at);
    } else if (kind == "lag") {
        world.lag(at, number(line, "ms"));
    } else if (kind == "deleted") {
        checker.deleted(at, text(line, "key"));
    } else if (kind == "collected") {
        checker.collected(text(line, "key"));
    } else if (kind == "version") {
        checker.version(
            at, text(line, "key"), as_json(YAML::LoadFile(text(line, "file"))).as_object());
    } else {
        throw std::runtime_error("no kind of line: " + kind);
    }
}

int judge(const char* trace) {
    std::ifstream lines(trace);
    std::string line;
    std::getline(lines, line);
    World world(number(json::parse(line).as_object(), "lag"));
    MapChecker checker(world);
    while (std::getline(lines, line)) {
        take(world, checker, json::parse(line).as_object());
    }
    for (const std::string& violation : checker.violations()) {
        std::cout << violation << '\n';
    }
    std::cout << checker.versions() << " versions, " << checker.violations().size()
              << " violations\n";
    return checker.violations().empty() && checker.versions() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace ome::model

int main(int argc, char** argv) {
    try {
        return argc == 2 ? ome::model::judge(argv[1]) : 2;
    } catch (const std::exception& error) {
        std::cerr << "judge: " << error.what() << '\n';
        return 2;
    }
}
