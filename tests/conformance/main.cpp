// conformance [--only GROUP[:OP],...] [--except GROUP[:OP],...] FILE...
//
// Feeds worked examples to the real code and compares. Anything it does not know (a group, an
// operation, a key) is a failure, never a skip.
#include "registry.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ome::conformance {
namespace {

struct Score {
    int passed = 0;
    int total = 0;
};

// Situations that ordinary tests play through; named in tests/cases/README.md.
const std::set<std::string, std::less<>> groups_by_hand = {
    "httproute", "published_condition", "cli_output", "chart_values"};
const std::set<std::string, std::less<>> operations_by_hand = {"conditions:status_apply",
                                                               "conditions:publisher_owner_check"};

bool by_hand(const std::string& group, const std::string& op, const json::object& input) {
    if (group == "drain_annotation") {
        return input.contains("cmd") || input.contains("server");
    }
    return groups_by_hand.contains(group) || operations_by_hand.contains(group + ":" + op);
}

std::string operation_of(const json::object& input) {
    for (const char* key : {"op", "kind", "level"}) {
        if (const json::value* value = input.if_contains(key);
            value != nullptr && value->is_string()) {
            return text(*value);
        }
    }
    return {};
}

std::vector<std::string> unknown_keys(const json::object& object,
                                      const std::vector<std::string>& known,
                                      std::string_view where) {
    std::vector<std::string> found;
    for (const auto& member : object) {
        const std::string_view key = member.key();
        const bool selects = where == "input" && (key == "op" || key == "kind" || key == "level");
        // `afterUndrain *` stands for all that begin so: such a key carries a drain's ID.
        const auto names = [&](const std::string& name) {
            return name.ends_with('*') ? key.starts_with(name.substr(0, name.size() - 1))
                                       : key == name;
        };
        if (!selects && std::none_of(known.begin(), known.end(), names)) {
            found.push_back(fmt::format("{}: unknown key \"{}\"", where, key));
        }
    }
    return found;
}

class Runner {
public:
    Runner(std::vector<std::string> only, std::vector<std::string> except)
        : only_(only.begin(), only.end()), except_(except.begin(), except.end()) {
        for (Operation& operation : operations()) {
            known_[operation.group + ":" + operation.op] = operation;
        }
    }

    void run_file(const std::string& path) {
        std::ifstream file(path);
        std::stringstream content;
        content << file.rdbuf();
        json::error_code ec;
        const json::value cases = json::parse(content.str(), ec);
        if (!file || ec || !cases.is_array() || cases.get_array().empty()) {
            fail(path, "the file", {"cannot be read, is not a JSON array, or is empty"});
            return;
        }
        for (const json::value& one : cases.get_array()) {
            run_case(path, one);
        }
    }

    int report() const {
        for (const auto& [group, score] : scores_) {
            fmt::print("{:<28} {}/{}\n", group, score.passed, score.total);
        }
        for (const std::string& name : only_) {
            if (scores_.empty() && by_hand_ == 0) {
                fmt::print("--only {}: no case is in this group or operation\n", name);
            }
        }
        fmt::print("by hand: {}\n", by_hand_);
        fmt::print("{} passed, {} failed\n", passed_, failed_);
        return failed_ == 0 && (passed_ > 0 || by_hand_ > 0) ? 0 : 1;
    }

private:
    bool selected(const std::string& group, const std::string& op) const {
        const std::string full = group + ":" + op;
        if (!only_.empty() && !only_.contains(group) && !only_.contains(full)) {
            return false;
        }
        return !except_.contains(group) && !except_.contains(full);
    }

    void run_case(const std::string& path, const json::value& one) {
        const json::object* object = one.if_object();
        if (object == nullptr || !object->contains("group") || !object->contains("name") ||
            !object->contains("input") || !object->contains("expect") ||
            !object->at("input").is_object() || !object->at("expect").is_object()) {
            fail(path, "a case", {"lacks group, name, input or expect"});
            return;
        }
        const std::string group = text(object->at("group"));
        const std::string name = text(object->at("name"));
        const json::object& input = object->at("input").get_object();
        const std::string op = operation_of(input);
        if (!selected(group, op)) {
            return;
        }
        if (by_hand(group, op, input)) {
            ++by_hand_;
            return;
        }
        const std::vector<std::string> found =
            check(group, op, input, object->at("expect").get_object());
        Score& score = scores_[group];
        ++score.total;
        if (found.empty()) {
            ++score.passed;
            ++passed_;
        } else {
            fail(group, name, found);
        }
    }

    std::vector<std::string> check(const std::string& group,
                                   const std::string& op,
                                   const json::object& input,
                                   const json::object& expect) const {
        const auto known = known_.find(group + ":" + op);
        if (known == known_.end()) {
            return {fmt::format("unknown group or operation \"{}:{}\"", group, op)};
        }
        const Operation& operation = known->second;
        std::vector<std::string> found = unknown_keys(input, operation.input_keys, "input");
        for (std::string& more : unknown_keys(expect, operation.expect_keys, "expect")) {
            found.push_back(std::move(more));
        }
        if (expect.empty()) {
            found.push_back("expect: empty");
        }
        if (!found.empty()) {
            return found;
        }
        try {
            return differences(operation.compute(input, expect), expect);
        } catch (const std::exception& e) {
            return {fmt::format("the case could not be fed to the code: {}", e.what())};
        }
    }

    void fail(const std::string& group,
              const std::string& name,
              const std::vector<std::string>& why) {
        ++failed_;
        for (const std::string& line : why) {
            fmt::print("FAIL {} / {}\n     {}\n", group, name, line);
        }
    }

    std::set<std::string, std::less<>> only_;
    std::set<std::string, std::less<>> except_;
    std::map<std::string, Operation> known_;
    std::map<std::string, Score> scores_;
    int passed_ = 0;
    int failed_ = 0;
    int by_hand_ = 0;
};

}  // namespace
}  // namespace ome::conformance

int main(int argc, char** argv) {
    CLI::App app{"Feeds worked examples to the real code and compares.", "conformance"};
    std::vector<std::string> files;
    std::vector<std::string> only;
    std::vector<std::string> except;
    app.add_option("FILE", files, "JSON files in the shape of tests/cases")->required();
    app.add_option("--only", only, "run these groups or operations only: GROUP[:OP],...")
        ->delimiter(',');
    app.add_option("--except", except, "leave these out: GROUP[:OP],...")->delimiter(',');
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }

    ome::conformance::Runner runner(only, except);
    for (const std::string& file : files) {
        runner.run_file(file);
    }
    return runner.report();
}
