// When an object of ours that somebody else has changed is put right again: at once, but without a
// fight.
#pragma once

#include <ome/core/time.hpp>
#include <ome/routing/published_object.hpp>

#include <cstdint>
#include <map>

namespace ome::routing {

/// Two repairs of an object come at once; after each further one the next waits, from a second up
/// to five minutes. An object that was left alone for ten minutes begins anew.
class DriftGuard {
public:
    /// When the object may be repaired; `now` or earlier: at once.
    [[nodiscard]] core::SteadyTime repair_at(const ObjectKey& key, core::SteadyTime now) const;

    /// A repair is on its way. Returns how many there were of late.
    std::uint32_t repaired(const ObjectKey& key, core::SteadyTime now);

    void forget(const ObjectKey& key) { repairs_.erase(key); }
    [[nodiscard]] bool empty() const { return repairs_.empty(); }

    static constexpr std::uint32_t repairs_at_once = 2;

private:
    struct Repairs {
        std::uint32_t count = 0;
        core::SteadyTime last{};
    };
    [[nodiscard]] static bool is_over(const Repairs& repairs, core::SteadyTime now);

    std::map<ObjectKey, Repairs> repairs_;
};

}  // namespace ome::routing
