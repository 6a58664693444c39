// Carries the decisions of core::PermitArbiter between reactors: reports come in, allowances go
// out, all as messages. The arbiter lives on the thread of `home`.
#pragma once

#include <ome/core/permits.hpp>
#include <ome/net/awaitable.hpp>

#include <functional>
#include <vector>

namespace ome::observer {

class PermitDesk {
public:
    /// `deliver` is called on home's thread and passes an allowance on to its reactor.
    PermitDesk(net::asio::io_context& home,
               std::size_t reactors,
               std::int64_t total,
               std::function<void(const core::Allowance&)> deliver);

    /// From any thread.
    void report(const core::PermitReport& report);
    void set_total(std::int64_t total);

    /// What the reactors start with; before any of them runs.
    [[nodiscard]] std::vector<core::Allowance> initial() const { return arbiter_.initial(); }

private:
    void deliver(const std::vector<core::Allowance>& changed);

    net::asio::io_context& home_;
    core::PermitArbiter arbiter_;
    std::function<void(const core::Allowance&)> deliver_;
};

}  // namespace ome::observer
