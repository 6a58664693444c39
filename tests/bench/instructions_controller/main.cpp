// A fixed amount of the controller's pure work, for counting instructions: no I/O, no clock, and
// the same inputs in every run.
#include "../micro/samples.hpp"
#include "reconciler.hpp"
#include "store.hpp"
#include <ome/routing/ownership.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

using namespace ome;
using namespace std::chrono_literals;

constexpr const char* description =
    "Passes of the controller over one service, without I/O and without a clock: a reading comes, "
    "the\n"
    "map is computed, compared with the stored one, and written if it differs (up to its text).\n"
    "\n"
    "Examples:\n"
    "  instructions_controller same --passes 2000\n"
    "  valgrind --tool=callgrind instructions_controller changed --passes 2000\n"
    "\n"
    "The difference of two counts of passes is what they cost without the program's start.\n"
    "Exit codes: 0 ok, 1 other passes or writes were made than were asked for, 2 wrong usage.";

class World {
public:
    explicit World(std::size_t homes)
        : service_(std::make_shared<const routing::InferenceService>(
              bench::sample_service("chat", homes))),
          reconciler_({.installation = bench::sample_installation()}, now_) {
        reconciler_.hear(controller::news::ServiceIs{service_}, now_);
        reconciler_.hear(controller::news::Listed{}, now_);
        for (const core::ServiceKey& key : reconciler_.begin_sync(now_)) {
            declared_ = reconciler_.request_for(key)->declaration;
        }
        reconciler_.told(answer(first_ceiling), 0, now_);
        reconciler_.synced(now_);
        settle();
    }

    /// A line of the watch about all homes, and the pass that follows.
    void tell(std::int32_t ceiling) {
        reconciler_.heard(now_);
        reconciler_.changed(answer(ceiling), now_);
        settle();
    }

    [[nodiscard]] std::size_t passes() const { return reconciler_.counts(now_).passes; }
    [[nodiscard]] std::size_t writes() const { return writes_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    static constexpr std::int32_t first_ceiling = 8;

private:
    [[nodiscard]] wire::ServiceAnswer answer(std::int32_t ceiling) {
        wire::ServiceAnswer told;
        told.instance = "one";
        told.revision = ++revision_;
        told.service.key = service_->key;
        told.service.owner_uid = service_->uid;
        for (const core::HomeDeclaration& home : declared_->homes) {
            told.service.homes.push_back(bench::sample_reading(home.cluster,
                                                               home.endpoint,
                                                               declared_->capacity->digest,
                                                               declared_->probe->digest,
                                                               ceiling));
        }
        return told;
    }

    // Readings are gathered for 20 ms.
    void settle() {
        now_.steady += 25ms;
        now_.wall = now_.wall + 25ms;
        for (controller::Work work = reconciler_.work(now_, 100); !work.store.empty();
             work = reconciler_.work(now_, 100)) {
            for (const controller::StoreRequest& request : work.store) {
                if (const auto* write = std::get_if<controller::MapWrite>(&request)) {
                    store(*write);
                }
            }
        }
    }

    // What the folder store does of it, up to the file.
    void store(const controller::MapWrite& write) {
        routing::TrafficMap map = stored_ != nullptr ? *stored_ : routing::TrafficMap{};
        map.meta.key = write.key;
        map.meta.uid = "map-uid";
        controller::apply_write(map, write);
        map.meta.resource_version = std::to_string(++writes_);
        std::string text;
        wire::append_traffic_map_yaml(text, map);
        bytes_ += text.size();
        stored_ = std::make_shared<const routing::TrafficMap>(std::move(map));
        reconciler_.hear(controller::StoreResult{.key = write.key, .map = stored_}, now_);
    }

    core::Now now_{core::SteadyTime(1h), bench::sample_instant};
    std::shared_ptr<const routing::InferenceService> service_;
    controller::Reconciler reconciler_;
    std::optional<core::ServiceDeclaration> declared_;
    std::shared_ptr<const routing::TrafficMap> stored_;
    std::uint64_t revision_ = 0;
    std::size_t writes_ = 0;
    std::size_t bytes_ = 0;
};

int run(std::size_t passes, std::size_t homes, bool changing) {
    World world(homes);
    const std::size_t passes_before = world.passes();
    const std::size_t writes_before = world.writes();
    for (std::size_t pass = 0; pass < passes; ++pass) {
        const bool other = changing && pass % 2 == 0;
        world.tell(World::first_ceiling - (other ? 1 : 0));
    }
    const std::size_t passes_made = world.passes() - passes_before;
    const std::size_t writes_made = world.writes() - writes_before;
    fmt::print("{} passes, {} writes, {} bytes of maps\n", passes_made, writes_made, world.bytes());
    return passes_made == passes && writes_made == (changing ? passes : 0) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(description);
    std::string what;
    std::size_t passes = 2000;
    std::size_t homes = 4;
    app.add_option("WHAT", what, "same: the map stays as it is; changed: each pass writes")
        ->required()
        ->check(CLI::IsMember({"same", "changed"}));
    app.add_option("--passes", passes, "How many; readings are good for that long")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--homes", homes, "Homes of the service")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    return run(passes, homes, what == "changed");
}
