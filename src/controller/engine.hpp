// The controller's parts in motion: store, reconciler, publisher and the line to the observer, on
// one thread. Only a leader decides, writes and declares. What it knew goes with its lead, and the
// next lead begins with what the store tells then.
#pragma once

#include "observer_link.hpp"
#include "publisher.hpp"
#include "reconciler.hpp"
#include "store.hpp"
#include <ome/net/awaitable.hpp>
#include <ome/telemetry/metrics.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ome::controller {

/// A manifest, override or map that cannot be used at the moment.
struct Complaint {
    std::string place;
    core::Problem problem;
};

/// What is counted since the start of the process, whatever is started anew in between.
struct EngineCounters {
    ReconcilerCounts reconciler;
    telemetry::Histogram write_seconds;
    PublisherCounts publisher;
    LinkStatus link;
    telemetry::Histogram turn_seconds;
};

class Engine {
public:
    Engine(net::asio::io_context& io,
           ReconcilerSettings reconciler,
           routing::PublicationSettings publication,
           LinkSettings link,
           std::unique_ptr<Store> store);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Of an engine before this one. Before start().
    void count_on(const EngineCounters& before);
    [[nodiscard]] EngineCounters counters() const;

    void start();
    net::Awaitable<void> stop();
    /// Of a file that is not the store's: shown as those are, until it is usable again.
    void complain(const std::string& file, std::optional<core::Problem> problem);

    /// An Event that is not of the decisions; a standby says nothing.
    void remark(EventRecord event);

    [[nodiscard]] const Reconciler& reconciler() const;
    [[nodiscard]] const Publisher& publisher() const;
    [[nodiscard]] const LinkStatus& link() const;
    [[nodiscard]] bool leading() const;
    /// Everything is decided and nothing is written: it leads as far as it knows, and nobody else
    /// may be told so.
    [[nodiscard]] bool dry_run() const;
    /// This process is the one that writes.
    [[nodiscard]] bool writes() const { return leading() && !dry_run(); }
    /// Who leads has been found out: we, or another.
    [[nodiscard]] bool lead_known() const;
    /// The first list has been read.
    [[nodiscard]] bool ready() const;
    [[nodiscard]] const std::map<std::string, Complaint>& complaints() const;  ///< by file
    [[nodiscard]] const StoreState& store_state() const;
    [[nodiscard]] const telemetry::Histogram& turn_seconds() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
