#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/report.hpp>

#include <string>

namespace ome::fuzz {
namespace {

constexpr std::size_t padding = 64;
constexpr std::size_t longest_reason = 1200;  // a prefix and 1,024 bytes of detail

}  // namespace

void check_report(std::string_view input) {
    const auto first = wire::decode_report(input);
    require(first.index() != 0, "an answer is a report or a reason");
    if (const auto* reason = std::get_if<std::string>(&first)) {
        require_readable(*reason);
        require(reason->size() <= longest_reason, "a reason is bounded");
    }

    // Whatever lies behind the body must not matter, and neither must the one decoded before.
    std::string padded(input);
    padded.append(padding, '}');
    const std::string_view body(padded.data(), input.size());
    require(wire::decode_report(body, true) == first, "padding changes nothing");
    require(wire::decode_report(input) == first, "decoding again gives the same");
}

}  // namespace ome::fuzz
