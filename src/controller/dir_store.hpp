// The folder as a Store: a thread of its own reads, flushes and waits for the lock, so that no disk
// holds up the reactor.
#pragma once

#include "dir_folder.hpp"
#include "store.hpp"
#include <ome/net/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace ome::controller {

struct DirStoreSettings {
    std::string path;
    /// Everything is looked at again this often, should the system have kept something to itself.
    core::Duration resync_interval = std::chrono::seconds(60);
    core::Duration lock_interval = std::chrono::milliseconds(200);
};

class DirStore final : public Store {
public:
    /// `io`: whose thread uses the store. `clock` is called on the store's thread.
    [[nodiscard]] static core::Result<std::unique_ptr<DirStore>> create(
        net::asio::io_context& io,
        DirStoreSettings settings,
        std::function<core::WallTime()> clock);
    ~DirStore() override;

    void start(Listener listener) override;
    void submit(std::vector<StoreRequest> requests) override;
    void stop() override;

private:
    struct State;
    explicit DirStore(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace ome::controller
