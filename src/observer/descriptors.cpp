#include "descriptors.hpp"

#include <algorithm>

namespace ome::observer {
namespace {

// Event loops, timers, listeners, log, files read for a moment, sockets of the resolver.
constexpr std::size_t for_the_process = 32;

// Standard streams, signals, two listeners, and a few connections and files.
constexpr std::size_t beside_the_loops = 12;
constexpr std::size_t for_a_loop = 3;

}  // namespace

std::size_t fewest_descriptors(std::size_t reactors) {
    return beside_the_loops + for_a_loop * (reactors + 1);  // one more for the API
}

DescriptorShares share_descriptors(std::size_t limit, const DescriptorWishes& wishes) {
    const std::size_t api = std::min(wishes.api_connections, std::max<std::size_t>(limit / 4, 4));
    const std::size_t taken = for_the_process + api + 2 * wishes.requests;
    return {api, limit > taken ? std::min(wishes.idle_connections, limit - taken) : 0};
}

}  // namespace ome::observer
