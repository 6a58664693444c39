// What a Shard is made of, for the files that share it: shard.cpp says what is due and asks for
// permits, shard_attempts.cpp runs attempts.
#pragma once

#include "shard.hpp"

namespace ome::observer {

struct Shard::Worker {
    explicit Worker(net::asio::io_context& io) : parked(io, core::SteadyTime::max()) {}

    Timer parked;  ///< never expires; cancelled to wake the worker
    net::FetchBuffer buffer;
    net::ExchangeFacts facts;
};

struct Shard::SlotState {
    std::shared_ptr<const core::RequestPlan> plan;
    std::shared_ptr<const net::PreparedRequest> request;  ///< null: to be made
    net::Lane lane;
    net::Operation* operation = nullptr;             ///< of the attempt in flight
    std::optional<float> load;                       ///< time a permit is held / period, once known
    std::unique_ptr<const std::string> warned_home;  ///< its name in expiry_notices_; null: none
};

[[nodiscard]] inline double in_seconds(core::Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace ome::observer
