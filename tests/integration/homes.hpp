// ome-homesim as a process, driven over its control port.
#pragma once

#include "support/process.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ome::test {

class Homes {
public:
    /// `arguments`: `--homes 10`, ...; ports are picked unless they are among them. A failure of
    /// the test when it does not start.
    explicit Homes(std::vector<std::string> arguments);

    [[nodiscard]] const std::vector<std::uint16_t>& ports() const { return ports_; }
    [[nodiscard]] std::uint16_t control_port() const { return control_port_; }
    [[nodiscard]] Process& process() { return process_; }

    /// `http://127.0.0.1:PORT/h/NAME`
    [[nodiscard]] std::string endpoint(std::string_view name) const;

    /// `homes`: a name or glob, with `?percent=N` if wanted. A failure of the test when refused.
    void set(const std::string& homes, std::string_view behaviour) const;
    void reset() const;

    [[nodiscard]] boost::json::value stats() const;
    [[nodiscard]] boost::json::value home(const std::string& name) const;
    /// A number of the statistics by JSON pointer: `/inFlightHighWater`, `/probe/requests`.
    [[nodiscard]] std::int64_t count(std::string_view pointer) const;

private:
    void read_ready_line(const std::string& line);

    Process process_;
    std::vector<std::uint16_t> ports_;
    std::uint16_t control_port_ = 0;
};

}  // namespace ome::test
