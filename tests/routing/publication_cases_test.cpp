#include "publication_cases.hpp"

#include <gtest/gtest.h>

namespace ome::test {
namespace {

std::string name_of(const json::object& example) {
    return std::string(example.at("name").as_string());
}

// Examples about names alone have no publication.
std::optional<json::object> names_of(const json::object& input) {
    json::object made;
    if (const json::value* raw = input.if_contains("rawName")) {
        made["bounded"] = routing::bounded_name(std::string(raw->as_string()));
    }
    if (const json::value* homes = input.if_contains("homes")) {
        json::array names;
        for (const json::value& home : homes->as_array()) {
            const auto part = [&home](std::size_t at) {
                return std::string(home.as_array().at(at).as_string());
            };
            names.emplace_back(routing::backend_name({part(0), part(1)}, part(2)));
        }
        made["serviceNames"] = std::move(names);
    }
    if (const json::value* services = input.if_contains("services")) {
        json::array routes;
        for (const json::value& service : services->as_array()) {
            json::object one = input;
            one.erase("services");
            one["service"] = service;
            const PlayedCase played = play_httproute(one);
            routes.push_back(*looked_up(played, one, "httproute"));
        }
        made["routes"] = std::move(routes);
    }
    return made.empty() ? std::nullopt : std::optional(std::move(made));
}

TEST(PublicationCases, HttpRoutesAreAsTheExamplesSay) {
    const auto examples = cases_of("publisher-cli.json", "httproute");
    ASSERT_FALSE(examples.empty());
    for (const json::object& example : examples) {
        SCOPED_TRACE(name_of(example));
        const json::object& input = example.at("input").as_object();
        if (const auto names = names_of(input)) {
            EXPECT_EQ(json::value(*names), example.at("expect"));
            continue;
        }
        EXPECT_EQ(difference(play_httproute(input), example), "");
    }
}

TEST(PublicationCases, ConditionsAreAsTheExamplesSay) {
    const auto examples = cases_of("publisher-cli.json", "published_condition");
    ASSERT_FALSE(examples.empty());
    for (const json::object& example : examples) {
        SCOPED_TRACE(name_of(example));
        EXPECT_EQ(difference(play_condition(example.at("input").as_object()), example), "");
    }
}

}  // namespace
}  // namespace ome::test
