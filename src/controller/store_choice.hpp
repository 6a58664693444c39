// Which store the controller runs on, as settings say it, and the store made of that.
#pragma once

#include "dry_run.hpp"
#include "kube_store.hpp"
#include "store.hpp"
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/kube/access.hpp>
#include <ome/net/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ome::controller {

struct StoreChoice {
    enum class Kind : std::uint8_t { Folder, Kube };

    Kind kind = Kind::Folder;

    // Of a folder.
    std::string folder;
    core::Duration resync_interval = std::chrono::seconds(60);

    // Of an API server. Without an identity, one is made up; without a namespace for the lease it
    // is that of the pod, or of the kubeconfig's context.
    kube::AccessChoice access;
    KubeStoreSettings kube;
    bool dry_run = false;  ///< of an API server: nothing is written, see dry_store.hpp
};

struct ChosenStore {
    std::unique_ptr<Store> store;
    std::string name;                        ///< for people: `dir:/var/lib/ome`
    std::vector<std::string> warnings = {};  ///< for the log
    const DryRun* dry_run = nullptr;         ///< of `store`; null: it writes
};

/// Opens the folder, or finds out how the API server is reached; nothing is asked of that yet, and
/// one that is away is waited for. `io`: whose thread uses the store. Problem: what cannot be used,
/// and why. Reads files.
[[nodiscard]] core::Result<ChosenStore> make_store(net::asio::io_context& io,
                                                   const StoreChoice& choice,
                                                   const kube::Environment& environment);

/// `<host>_<random>`: no other process has it.
[[nodiscard]] std::string made_up_identity();

}  // namespace ome::controller
