#include "require.hpp"
#include "targets.hpp"
#include <ome/routing/drain_expiry.hpp>
#include <ome/routing/drains.hpp>
#include <ome/wire/drain_document.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

namespace ome::fuzz {
namespace {

void check_drains(const std::vector<routing::Drain>& drains) {
    std::set<std::string> ids;
    for (const routing::Drain& drain : drains) {
        require(!drain.id.empty() && !drain.cluster.empty() && !drain.reason.empty(),
                "a drain says everything");
        require(ids.insert(drain.id).second, "IDs are unique");
    }
    require(
        std::is_sorted(
            drains.begin(), drains.end(), [](const auto& a, const auto& b) { return a.id < b.id; }),
        "drains are in the order of their IDs");
    const std::string text = wire::drains_text(drains);
    const auto again = routing::parse_drains(text);
    require(again && *again == drains, "written drains read back the same");
    require(wire::drains_text(*again) == text, "drains have one text");
}

void check_expiries(const std::vector<routing::DrainExpiry>& expiries) {
    const std::string text = wire::drain_expiries_text(expiries);
    const auto again = wire::read_drain_expiries(text);
    require(again.has_value(), "written expiries are read");
    require(wire::drain_expiries_text(*again) == text, "expiries have one text");
}

// Promise 5: time takes away what lapses and nothing else.
void check_lapse(const std::vector<routing::Drain>& drains,
                 const std::vector<routing::DrainExpiry>& expiries) {
    for (const std::int64_t seconds : {0LL, 1'790'589'600LL, 253'402'300'799LL}) {
        const routing::Lapse now = routing::lapse(drains, expiries, {seconds, 0});
        require(now.left.size() + now.lapsed.size() == drains.size(),
                "every drain stays or lapses");
        for (const routing::Drain& gone : now.lapsed) {
            require(
                std::any_of(expiries.begin(),
                            expiries.end(),
                            [&](const routing::DrainExpiry& one) {
                                return one.drain == gone && one.until <= core::WallTime{seconds, 0};
                            }),
                "a drain lapses for its own expiry only");
        }
        const routing::Lapse again = routing::lapse(now.left, now.expiries, {seconds, 0});
        require(again.lapsed.empty() && again.left == now.left, "lapsing twice changes nothing");
    }
}

}  // namespace

// One annotation, or two with a line end between them: drains and their expiries.
void check_drain(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const auto drains = routing::parse_drains(std::string(input.substr(0, end)));
    const std::string rest(end < input.size() ? input.substr(end + 1) : input);
    const auto expiries = wire::read_drain_expiries(rest);
    if (drains) {
        check_drains(*drains);
    } else {
        require_readable(drains.error().message);
    }
    if (expiries) {
        check_expiries(*expiries);
    } else {
        require_readable(expiries.error().message);
    }
    if (drains && expiries) {
        check_lapse(*drains, *expiries);
    }
}

}  // namespace ome::fuzz
