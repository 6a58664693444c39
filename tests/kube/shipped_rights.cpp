#include "kube/shipped_rights.hpp"

#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace ome::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string text(const json::value& value) {
    return std::string(value.as_string());
}

std::vector<std::string> texts(const json::value& rule, const char* name) {
    std::vector<std::string> all;
    for (const json::value& one : rule.at(name).as_array()) {
        all.push_back(text(one));
    }
    return all;
}

std::vector<json::value> roles_in(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string manifest{std::istreambuf_iterator<char>(in), {}};
    std::vector<json::value> roles;
    const auto objects = wire::read_objects(manifest);
    for (const json::value& object : objects ? *objects : std::vector<json::value>()) {
        if (object.at("kind") == "ClusterRole" || object.at("kind") == "Role") {
            roles.push_back(object);
        }
    }
    return roles;
}

void add_rights(const json::value& role, std::vector<ShippedRight>& all) {
    const json::array& rules = role.at("rules").as_array();
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        for (const std::string& group : texts(rules[rule], "apiGroups")) {
            for (const std::string& resource : texts(rules[rule], "resources")) {
                for (const std::string& verb : texts(rules[rule], "verbs")) {
                    all.push_back({role, rule, group, resource, verb});
                }
            }
        }
    }
}

}  // namespace

std::string ShippedRight::full_resource() const {
    return group.empty() ? resource : fmt::format("{}.{}", resource, group);
}

std::string ShippedRight::name() const {
    std::string made = verb + "_" + resource;
    std::replace_if(
        made.begin(), made.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return made;
}

// The resource leaves its rule, for one of its own without the verb.
json::value ShippedRight::role_without() const {
    json::value without = role;
    json::array& rules = without.as_object()["rules"].as_array();
    json::value alone = rules[rule];
    json::array verbs;
    for (const json::value& one : alone.at("verbs").as_array()) {
        if (one != json::value(verb)) {
            verbs.push_back(one);
        }
    }
    alone.as_object()["verbs"] = verbs;
    alone.as_object()["resources"] = json::array{json::value(resource)};
    json::array others;
    for (const json::value& one : rules[rule].at("resources").as_array()) {
        if (one != json::value(resource)) {
            others.push_back(one);
        }
    }
    if (others.empty()) {
        rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(rule));
    } else {
        rules[rule].as_object()["resources"] = others;
    }
    if (!verbs.empty()) {
        rules.push_back(alone);
    }
    return without;
}

void PrintTo(const ShippedRight& right, std::ostream* out) {
    *out << right.verb << " " << right.full_resource();
}

std::vector<ShippedRight> shipped_rights(const std::string& folder) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml") {
            files.insert(entry.path());
        }
    }
    std::vector<ShippedRight> all;
    for (const fs::path& file : files) {
        for (const json::value& role : roles_in(file)) {
            add_rights(role, all);
        }
    }
    return all;
}

}  // namespace ome::test
