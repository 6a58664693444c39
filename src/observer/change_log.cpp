#include "change_log.hpp"

#include <ome/core/advice.hpp>
#include <ome/core/endpoint.hpp>
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
                   {"failures", probe.consecutive_failures},
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

// A change is no attempt: how many went by says nothing. What a probe counts does.
void tell_trouble(const core::Change& change, const std::string& trouble) {
    const std::string service = name(change.service);
    const auto& probe = change.reading.probe;
    if (probe && probe->consecutive_failures > 0 && probe->message == trouble) {
        log::warn("home in trouble",
                  {{"service", service},
                   {"cluster", change.reading.cluster},
                   {"reason", trouble},
                   {"failures", probe->consecutive_failures}});
    } else {
        log::warn("home in trouble",
                  {{"service", service}, {"cluster", change.reading.cluster}, {"reason", trouble}});
    }
}

// For all homes together: whoever has one on this machine often has others.
bool is_refused(const std::string& trouble) {
    return trouble.ends_with(core::refused_address_text);
}

void tell_advice() {
    log::warn("homes are not observed",
              {{"reason", core::refused_address_text}, {"hint", core::refused_address_advice}});
}

}  // namespace

std::string trouble_of(const core::HomeReading& reading) {
    if (reading.probe && reading.probe->result != core::ProbeResult::Passing) {
        return reading.probe->message;
    }
    if (!reading.capacity || reading.capacity->ceiling) {
        return {};
    }
    const std::string& reason = reading.capacity->fallback_reason;
    const bool early =
        reason == "no capacity report yet" || reason.starts_with("capacity report awaiting quorum");
    return early ? std::string() : reason;
}

void ChangeLog::log(const core::Change& change, core::SteadyTime now) {
    log_gate(change);
    log_ceiling(change);
    log_trouble(change, now);
}

void ChangeLog::log(const core::ServiceDeclaration& declaration, core::SteadyTime now) {
    for (const core::HomeDeclaration& home : declaration.homes) {
        const auto endpoint = core::canonicalize(home.endpoint);
        const std::string key = name(declaration.key) + "/" + home.cluster + " endpoint";
        if (!endpoint && told_.admit(key, now).tell) {
            log::warn("endpoint cannot be used",
                      {{"service", name(declaration.key)},
                       {"cluster", home.cluster},
                       {"reason", endpoint.error().message}});
        }
    }
}

void ChangeLog::log_trouble(const core::Change& change, core::SteadyTime now) {
    const std::string trouble = trouble_of(change.reading);
    if (trouble.empty()) {
        return;
    }
    const std::string key = name(change.service) + "/" + change.reading.cluster + " " + trouble;
    const bool due = told_.admit(key, now).tell;
    const bool said = (change.effects & (core::GateClosed | core::CeilingLost)) != 0;
    if (due && !said) {
        tell_trouble(change, trouble);
        if (is_refused(trouble) && told_.admit(core::refused_address_text, now).tell) {
            tell_advice();
        }
    }
}

}  // namespace ome::observer
