// What only one map may have, while it is on the way to have it: publisher targets, and a hostname
// on a Gateway (contract/publisher-cli.md 1.8, steps 11 and 12). OME publishes one map at a time;
// here many go at once, and what one of them is about to write nobody can see in the
// PublicationWorld. So those wait whose steps want the same.
#pragma once

#include <ome/routing/publication_step.hpp>

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ome::routing {

class PublicationReservations {
public:
    /// All that the step takes, for this map, and what it took before; unless another map has some
    /// of it: then nothing more, and false.
    [[nodiscard]] bool take(const core::ServiceKey& map, const PublicationStep& step);

    /// What came of its steps can be seen now, or nothing did. False: it had taken nothing.
    bool release(const core::ServiceKey& map);

private:
    /// A target, or a hostname and its Gateway.
    using Only = std::tuple<std::string, core::ServiceKey>;
    [[nodiscard]] static std::set<Only> taken_by(const PublicationStep& step);

    std::map<Only, core::ServiceKey> holders_;
    std::map<core::ServiceKey, std::set<Only>> held_;
};

}  // namespace ome::routing
