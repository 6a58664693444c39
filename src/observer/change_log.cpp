#include "change_log.hpp"

#include <ome/telemetry/log.hpp>

#include <fmt/format.h>

namespace ome::observer {
namespace {

namespace log = telemetry::log;

std::string name(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

void log_gate(const core::Change& change) {
    if (!change.reading.probe) {
        return;
    }
    const core::ProbeReading& probe = *change.reading.probe;
    if ((change.effects & core::GateClosed) != 0) {
        log::warn("gate closed",
                  {{"service", name(change.service)},
                   {"cluster", change.reading.cluster},
                   {"failures", std::to_string(probe.consecutive_failures)},
                   {"message", probe.message}});
    }
    if ((change.effects & core::GateLifted) != 0) {
        log::info("gate lifted",
                  {{"service", name(change.service)},
                   {"cluster", change.reading.cluster},
                   {"message", probe.message}});
    }
}

void log_ceiling(const core::Change& change) {
    if (!change.reading.capacity) {
        return;
    }
    const core::CapacityReading& capacity = *change.reading.capacity;
    const std::string before =
        change.ceiling_before ? std::to_string(*change.ceiling_before) : "none";
    const std::string now = capacity.ceiling ? std::to_string(*capacity.ceiling) : "none";
    if ((change.effects & core::CeilingLost) != 0) {
        log::warn("ceiling lost",
                  {{"service", name(change.service)},
                   {"cluster", change.reading.cluster},
                   {"before", before},
                   {"reason", capacity.fallback_reason}});
    } else if ((change.effects & (core::CeilingBack | core::CeilingMoved)) != 0) {
        log::info((change.effects & core::CeilingBack) != 0 ? "ceiling known" : "ceiling moved",
                  {{"service", name(change.service)},
                   {"cluster", change.reading.cluster},
                   {"before", before},
                   {"ceiling", now}});
    }
}

}  // namespace

void log_change(const core::Change& change) {
    log_gate(change);
    log_ceiling(change);
}

}  // namespace ome::observer
