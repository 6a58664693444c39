// The publisher as a value: what is told of maps, services and objects goes in, what is to be
// written and logged comes out. Which step is next is decided in routing/publication_step.hpp; here
// is when: the queue, the pauses after failures, and the resync. No I/O, no clock, no thread.
#pragma once

#include "reconciler.hpp"
#include "store.hpp"
#include <ome/routing/publication_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

struct PublisherCounts {
    std::size_t queued = 0;
    std::size_t writing = 0;
    std::uint64_t object_writes = 0;
    std::uint64_t object_deletes = 0;
    std::uint64_t status_writes = 0;
    std::uint64_t repairs = 0;  ///< of objects that others had changed
    std::uint64_t conflicts = 0;
    std::uint64_t failures = 0;
    std::map<std::string, std::size_t> maps = {};  ///< by the reason of `Published`
    std::size_t refused = 0;                       ///< routes that their gateway does not accept
};

class Publisher {
public:
    /// `why_frozen`, of a map: why the routing controller leaves it as it is; empty: it does not.
    /// While there is a map this is for the messages alone; one that is gone is not made again.
    using WhyFrozen = std::function<std::string(const core::ServiceKey&)>;

    explicit Publisher(routing::PublicationSettings settings, WhyFrozen why_frozen = {});
    ~Publisher();
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;

    void hear(const StoreNews& told, const core::Now& now);
    void hear(const PublicationResult& result, const core::Now& now);
    /// The routing controller has written or deleted the map.
    void hear_map(const core::ServiceKey& key,
                  std::shared_ptr<const routing::TrafficMap> map,
                  const core::Now& now);

    /// A lead has ended: all but the counters is as at the start, until the store tells everything
    /// anew.
    void start_over();
    /// The counters of one before this one; what is counted from now on comes on top.
    void count_on(const PublisherCounts& totals);
    /// What stood in the way of writes may be gone: those that failed are made again at once.
    void retry();

    [[nodiscard]] Work work(const core::Now& now, std::size_t most);
    [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() const;
    [[nodiscard]] PublisherCounts counts() const;
    /// The counters alone.
    [[nodiscard]] const PublisherCounts& totals() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
