// What would be written, and how it compares with what is there: for a look beside another
// controller before it is replaced. Pure; dry_store.hpp obeys.
#pragma once

#include "store.hpp"
#include <ome/routing/map_mismatch.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace ome::controller {

class DryRun {
public:
    enum class State : std::uint8_t {
        Equal,      ///< nothing would be written
        Different,  ///< the map would be written otherwise
        Missing,    ///< a map would be created
        Surplus,    ///< the map would be deleted
    };
    struct Row {
        core::ServiceKey key;
        State state = State::Equal;
        std::vector<routing::Mismatch> mismatches = {};  ///< of Different
    };

    /// What the store tells. A map as it is now is equal until a write says otherwise.
    void hear(const StoreNews& news);

    /// As if it had been carried out; the map of the result is the one that would be stored.
    [[nodiscard]] StoreResult take(const MapWrite& write);
    [[nodiscard]] StoreResult take(const MapDelete& remove);

    /// By namespace and name.
    [[nodiscard]] std::vector<Row> rows() const;

private:
    struct Known {
        std::shared_ptr<const routing::TrafficMap> live;
        State state = State::Equal;
        std::vector<routing::Mismatch> mismatches = {};
    };
    void settle(const core::ServiceKey& key, Known& known);

    std::map<core::ServiceKey, Known> maps_;
};

[[nodiscard]] std::string_view to_string(DryRun::State state);

}  // namespace ome::controller
