// What one service's pass takes for the truth about its homes: the observer's readings where there
// are any, and what the stored map says where there are none yet (design.md sections 4 and 7).
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/reading.hpp>
#include <ome/core/time.hpp>
#include <ome/routing/inference_service.hpp>
#include <ome/routing/observation.hpp>
#include <ome/routing/traffic_map.hpp>
#include <ome/routing/traffic_pass.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::controller {

/// One home as last read. What belonged to an earlier identity is not known any more.
struct HomeSeen {
    core::HomeReading reading;
    std::uint64_t revision = 0;
    bool capacity_known = true;
    bool probe_known = true;
    /// The last probe of the reading in which the gate was first seen closed. Absent: it is open,
    /// or was closed already when the home's first reading came.
    std::optional<core::WallTime> gated_since = {};
};

/// What the service's homes told, since it was declared.
class Readings {
public:
    /// An answer to a declaration: complete. What a watch told meanwhile is newer and stays.
    void replace(const std::vector<core::HomeReading>& homes, std::uint64_t revision);
    /// Changed homes, each complete. What is not about `declared` is left out.
    void merge(const std::vector<core::HomeReading>& homes,
               std::uint64_t revision,
               const core::ServiceDeclaration& declared);
    void drop(const std::vector<std::string>& clusters);
    void clear() { homes_.clear(); }
    /// Another instance counts from the start.
    void forget_revisions();

    /// Another declaration is sent in place of `before`: what is not about its identities is over.
    void keep_for(const core::ServiceDeclaration& before, const core::ServiceDeclaration& now);

    [[nodiscard]] const HomeSeen* find(std::string_view cluster) const;
    [[nodiscard]] std::optional<core::WallTime> next_change(core::WallTime now) const;

private:
    std::vector<HomeSeen> homes_;
};

enum class Hearing : std::uint8_t {
    Starting,  ///< not heard yet, and not for long
    Live,
    Silent,  ///< promise 6: capacity falls open, gates stay
};

struct Evidence {
    const routing::InferenceService& service;
    const routing::RoutedService& routed;
    const routing::TrafficMap* stored;  ///< null: none
    const Readings& readings;
    Hearing hearing = Hearing::Live;
    bool answered = false;  ///< the observer has told of this service since the start
};

[[nodiscard]] routing::Observations observations(const Evidence& evidence, core::WallTime now);

/// What is to be declared of a service that is routed; absent: there is nothing to observe.
[[nodiscard]] std::optional<core::ServiceDeclaration> wanted_declaration(
    const routing::InferenceService& service, const routing::RoutedService& routed);

/// Of a service that is frozen before anything may be sent for it (contract/observer.md 13.6).
[[nodiscard]] core::ServiceDeclaration suspended_declaration(
    const routing::InferenceService& service);

/// Equal for the observer; what may be restored plays no part.
[[nodiscard]] bool same_declaration(const core::ServiceDeclaration& left,
                                    const core::ServiceDeclaration& right);

/// Adds to each home what its history may start from: the newer of the stored record and the last
/// reading.
void add_restored(core::ServiceDeclaration& declaration,
                  const routing::InferenceService& service,
                  const routing::TrafficMap* stored,
                  const Readings& readings);

}  // namespace ome::controller
