// The control port's requests and answers, as values: no socket, no clock.
#pragma once

#include "fleet.hpp"
#include "http_request.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ome::homesim {

/// What the server counts besides the homes' own counters.
struct ServerCounters {
    /// Requests begun or, before that, connections accepted; until answered or the client left.
    Level in_flight;
    Level open_connections;
    std::uint64_t accepted = 0;
    std::uint64_t malformed = 0;  ///< not HTTP that we understand
    std::uint64_t strangers = 0;  ///< well-formed, to a path that is no home's
};

struct ControlAnswer {
    int status = 200;
    std::string body;  ///< JSON, or text for `/`
    bool text = false;
};

struct ControlState {
    Fleet& fleet;
    ServerCounters& counters;
    const std::vector<std::uint16_t>& home_ports;
    core::SteadyTime started;
    core::SteadyTime now;
    bool by_address = false;
};

[[nodiscard]] ControlAnswer answer_control(const Request& request, ControlState state);

[[nodiscard]] std::string explain_control();

}  // namespace ome::homesim
