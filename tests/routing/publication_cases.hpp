// The worked examples of publisher-cli.json that describe a publication: each is played on a bench,
// and whatever it expects is looked up there. A key that is not known here fails the example.
#pragma once

#include "support/publication_bench.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ome::test {

namespace json = boost::json;

/// An example's bench after it was played.
struct PlayedCase {
    PublicationBench bench;
    std::optional<routing::Verdict> verdict;
    std::vector<std::string> before;  ///< what had been done when the situation began
    std::vector<std::int64_t> weights_before;
    std::map<std::string, routing::Condition> conditions_before;
    std::string problem;  ///< a key of the input that nobody knows
};

[[nodiscard]] PlayedCase play_httproute(const json::object& input);
[[nodiscard]] PlayedCase play_condition(const json::object& input);

/// What the example's key stands for; absent: the key is not known.
[[nodiscard]] std::optional<json::value> looked_up(const PlayedCase& played,
                                                   const json::object& input,
                                                   std::string_view key);

/// The examples of a group, of a file in tests/cases/.
[[nodiscard]] std::vector<json::object> cases_of(std::string_view file, std::string_view group);

/// Empty, or how the example differs from what it expects.
[[nodiscard]] std::string difference(const PlayedCase& played, const json::object& example);

}  // namespace ome::test
