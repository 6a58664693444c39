// A Store that tells what another one tells and writes nothing: what would be written goes to a
// DryRun and is answered as if it had been.
#pragma once

#include "dry_run.hpp"
#include "store.hpp"
#include <ome/net/awaitable.hpp>

#include <memory>

namespace ome::controller {

class DryStore final : public Store {
public:
    /// `io`: whose thread uses the store.
    DryStore(net::asio::io_context& io, std::unique_ptr<Store> store);
    ~DryStore() override;

    void start(Listener listener) override;
    /// Events and lapses of drains are left out; what the publisher asks for fails.
    void submit(std::vector<StoreRequest> requests) override;
    void stop() override;

    [[nodiscard]] const DryRun& dry_run() const { return dry_run_; }

private:
    net::asio::io_context& io_;
    std::unique_ptr<Store> store_;
    DryRun dry_run_;
    /// Shared with what was posted: after stop() nothing is told any more.
    std::shared_ptr<Listener> listener_;
};

}  // namespace ome::controller
