// ome-observer as a process, asked over its API.
#pragma once

#include "integration/scratch.hpp"
#include "support/http_call.hpp"
#include "support/process.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

/// True as soon as the condition holds; false when it has not within the time. Looks every 10 ms.
[[nodiscard]] bool eventually(const std::function<bool()>& condition,
                              std::chrono::milliseconds timeout = std::chrono::seconds(10));

/// A port of loopback that was free a moment ago.
[[nodiscard]] std::uint16_t free_port();

class ObserverProcess {
public:
    /// `serve --listen 127.0.0.1:PORT --allow-loopback`, `--services` with the document unless it
    /// is empty, and `flags`. Waits until it is ready; a failure of the test when it is not.
    /// `launcher`: a command that runs what follows it, as `/bin/sh -c '...; exec "$0" "$@"'` does.
    explicit ObserverProcess(const std::string& services,
                             std::vector<std::string> flags = {},
                             std::vector<std::string> launcher = {});

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] Process& process() { return *process_; }

    /// Replaces the services file; SIGHUP makes it count.
    void write_services(const std::string& services) const;

    [[nodiscard]] HttpReply call(std::string_view method,
                                 std::string_view target,
                                 std::string_view body = {}) const;
    /// The document at a path; null when it is not answered with a 200.
    [[nodiscard]] boost::json::value get(const std::string& target) const;
    /// The reading of one home of `namespace/name`; null while there is none.
    [[nodiscard]] boost::json::value home(const std::string& service,
                                          std::string_view cluster) const;

private:
    Scratch scratch_;
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

}  // namespace ome::test
