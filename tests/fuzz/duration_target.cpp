#include "require.hpp"
#include "targets.hpp"
#include <ome/core/duration.hpp>

#include <cstring>

namespace ome::fuzz {
namespace {

void require_round_trip(core::Duration duration) {
    const std::string text = core::format_duration(duration);
    require(core::parse_duration(text) == duration, "a printed duration reads back");
    require(text.size() <= 32, "a printed duration is short");
}

}  // namespace

void check_duration(std::string_view input) {
    if (const auto duration = core::parse_duration(input)) {
        require_round_trip(*duration);
    }
    std::int64_t any = 0;
    std::memcpy(&any, input.data(), std::min(input.size(), sizeof any));
    require_round_trip(core::Duration(any));
}

}  // namespace ome::fuzz
