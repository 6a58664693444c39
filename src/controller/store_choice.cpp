#include "store_choice.hpp"

#include "dir_store.hpp"
#include "dry_store.hpp"
#include "generations.hpp"
#include <ome/net/clock.hpp>

#include <boost/asio/ip/host_name.hpp>
#include <fmt/format.h>

#include <utility>

namespace ome::controller {
namespace {

core::Result<ChosenStore> folder_store(net::asio::io_context& io, const StoreChoice& choice) {
    auto store = DirStore::create(
        io, {.path = choice.folder, .resync_interval = choice.resync_interval}, [] {
            return net::read_clock().wall;
        });
    if (!store) {
        return store.error();
    }
    ChosenStore chosen;
    chosen.store = *std::move(store);
    chosen.name = "dir:" + choice.folder;
    return chosen;
}

core::Result<ChosenStore> kube_store(net::asio::io_context& io,
                                     const StoreChoice& choice,
                                     const kube::Environment& environment) {
    auto access = kube::find_access(choice.access, environment);
    if (!access) {
        return access.error();
    }
    KubeStoreSettings settings = choice.kube;
    if (settings.lease_namespace.empty()) {
        settings.lease_namespace = access->ns;
    }
    if (settings.election.identity.empty()) {
        settings.election.identity = made_up_identity();
    }
    ChosenStore chosen;
    chosen.name = fmt::format("kube, {} ({}); ", access->server.text, access->origin);
    chosen.name += choice.dry_run ? "dry run"
                                  : fmt::format("lease {}/{} as {}",
                                                settings.lease_namespace,
                                                settings.lease_name,
                                                settings.election.identity);
    chosen.warnings = access->warnings;
    settings.reads_only = choice.dry_run;
    chosen.store = std::make_unique<KubeStore>(io, *std::move(access), std::move(settings));
    if (choice.dry_run) {
        auto dry = std::make_unique<DryStore>(io, std::move(chosen.store));
        chosen.dry_run = &dry->dry_run();
        chosen.store = std::move(dry);
    }
    return chosen;
}

}  // namespace

std::string made_up_identity() {
    boost::system::error_code ignored;
    const std::string host = boost::asio::ip::host_name(ignored);
    return fmt::format("{}_{}", host.empty() ? "host" : host, random_uid());
}

core::Result<ChosenStore> make_store(net::asio::io_context& io,
                                     const StoreChoice& choice,
                                     const kube::Environment& environment) {
    return choice.kind == StoreChoice::Kind::Folder ? folder_store(io, choice)
                                                    : kube_store(io, choice, environment);
}

}  // namespace ome::controller
