// Controller and publisher over a real folder, step by step: one thread, a clock that stands still
// unless it is moved, and an end of the process wherever a test wants it.
#pragma once

#include "dir_folder.hpp"
#include "integration/scratch.hpp"
#include "publisher.hpp"
#include "reconciler.hpp"
#include "support/fake_clock.hpp"
#include <ome/core/gateway_settings.hpp>
#include <ome/net/small_file.hpp>
#include <ome/wire/published_object_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ome::test {

namespace fs = std::filesystem;

class PublishingTest : public testing::Test {
protected:
    PublishingTest() {
        installation.enabled = true;
        installation.publisher.resync_interval = "1m";
        gateway.global_gateway = "gateway-system/global";
        gateway.backend_port = 80;
        gateway.global_host_template = "{{ .Name }}.{{ .Namespace }}.global.example.com";
        root = scratch.path("store");
        fs::create_directories(root);
    }

    void start() {
        folder = controller::DirFolder::open(root).value();
        ASSERT_TRUE(folder->try_lead());
        reconciler = std::make_unique<controller::Reconciler>(
            controller::ReconcilerSettings{.installation = installation}, clock.now());
        auto publication = routing::publication_settings(installation, gateway);
        publication.cleans_up = !dry_run;
        publisher = std::make_unique<controller::Publisher>(
            std::move(publication), [this](const core::ServiceKey& key) {
                const auto explanation = reconciler->explain(key, clock.now());
                return explanation ? explanation->frozen : std::string();
            });
        hear(folder->list(clock.wall()));
    }

    void end() {
        publisher.reset();
        reconciler.reset();
        folder.reset();
    }

    void restart() {
        end();
        start();
    }

    /// Passes and writes until nothing is left to do at this instant, at most `rounds`.
    void settle(int rounds = 200) {
        for (int round = 0; round < rounds; ++round) {
            hear(folder->look(false, clock.wall()));
            std::vector<controller::StoreRequest> requests;
            for (controller::Work work :
                 {reconciler->work(clock.now(), 1000), publisher->work(clock.now(), 1000)}) {
                for (controller::Notice& notice : work.notices) {
                    notices.push_back(std::move(notice));
                }
                for (controller::StoreRequest& request : work.store) {
                    requests.push_back(std::move(request));
                }
            }
            if (requests.empty()) {
                return;
            }
            carry_out(std::move(requests));
            if (after_each) {
                after_each();
            }
        }
    }

    void advance(core::Duration by) {
        clock.advance(by);
        settle();
    }

    void write(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(root + "/" + path).parent_path());
        std::ofstream(root + "/" + path) << text;
    }

    void put_service(const std::string& name = "chat",
                     const std::string& extra_spec = {},
                     const std::string& annotations = {},
                     int ready_b = 2) const {
        write("inferenceservices/demo/" + name + ".yaml",
              "apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: " + name +
                  "\n" + (annotations.empty() ? "" : "  annotations: {" + annotations + "}\n") +
                  "spec:\n  placement: {policy: ClusterAffinity, mode: All}\n" + extra_spec +
                  "status:\n  placement:\n    phase: Placed\n    candidates:\n" +
                  candidate(name, "worker-a", 2) + candidate(name, "worker-b", ready_b));
    }

    void remove(const std::string& path) const { fs::remove_all(root + "/" + path); }

    [[nodiscard]] std::string read(const std::string& path) const {
        const auto file = net::read_small_file(root + "/" + path);
        return file ? file->bytes : "";
    }

    [[nodiscard]] std::optional<routing::TrafficMap> map(const std::string& name = "chat") const {
        const auto maps = wire::read_traffic_maps(read("trafficmaps/demo/" + name + ".yaml"));
        return maps && maps->size() == 1 && maps->front().map ? std::optional(*maps->front().map)
                                                              : std::nullopt;
    }

    /// `True Published`
    [[nodiscard]] std::string published(const std::string& name = "chat") const {
        const auto found = map(name);
        const routing::Condition* condition =
            found ? routing::find_condition(found->status, "Published") : nullptr;
        return condition == nullptr ? "" : condition->status + " " + condition->reason;
    }

    [[nodiscard]] std::vector<routing::PublishedObject> objects(
        const std::string& path = "routes/demo/chat.yaml") const {
        std::vector<routing::PublishedObject> all;
        const auto documents = wire::read_documents(read(path));
        if (documents) {
            for (const auto& document : *documents) {
                if (auto object = wire::read_published_object(document)) {
                    all.push_back(*std::move(object));
                }
            }
        }
        return all;
    }

    [[nodiscard]] std::string weights(const std::string& path = "routes/demo/chat.yaml") const {
        std::string text;
        for (const auto& object : objects(path)) {
            if (const auto* route = std::get_if<routing::HttpRouteSpec>(&object.spec)) {
                for (const auto& backend : route->backends) {
                    text += (text.empty() ? "" : " ") + std::to_string(backend.weight);
                }
            }
        }
        return text;
    }

    [[nodiscard]] std::string problems() const {
        std::string text;
        for (const controller::Notice& notice : notices) {
            if (notice.level != controller::Notice::Level::Info) {
                for (const auto& [name, value] : notice.fields) {
                    text += name == "error" ? std::get<std::string>(value) + "\n" : "";
                }
            }
        }
        return text;
    }

    Scratch scratch;
    std::string root;
    FakeClock clock;
    core::RoutingSettings installation;
    core::GatewaySettings gateway;
    bool dry_run = false;
    std::unique_ptr<controller::DirFolder> folder;
    std::unique_ptr<controller::Reconciler> reconciler;
    std::unique_ptr<controller::Publisher> publisher;
    std::vector<controller::Notice> notices;
    std::size_t writes = 0;  ///< requests that write
    std::function<void()> after_each;
    std::function<bool(const routing::PublishedObject&)> refuse;  ///< a write of it

private:
    static std::string candidate(const std::string& name, const std::string& cluster, int ready) {
        return "      - {cluster: " + cluster + ", phase: Admitted, endpoint: 'http://" + name +
               ".demo." + cluster +
               ".example.com', admittedReplicas: 2, readyReplicas: " + std::to_string(ready) +
               "}\n";
    }

    void hear(const std::vector<controller::StoreNews>& told) {
        for (const controller::StoreNews& one : told) {
            reconciler->hear(one, clock.now());
            publisher->hear(one, clock.now());
        }
    }

    // What is refused goes no further.
    bool is_refused(const controller::StoreRequest& request) {
        const auto* write = std::get_if<controller::ObjectWriteRequest>(&request);
        if (!refuse || write == nullptr || !refuse(write->write.object)) {
            return false;
        }
        controller::PublicationResult result;
        result.source = write->source;
        result.object = write->write.object.key();
        result.outcome = controller::StoreResult::Outcome::Failed;
        result.problem.message = "refused";
        publisher->hear(result, clock.now());
        return true;
    }

    void carry_out(std::vector<controller::StoreRequest> requests) {
        std::erase_if(requests, [this](const auto& request) { return is_refused(request); });
        for (const controller::StoreRequest& request : requests) {
            writes += std::holds_alternative<controller::EventRecord>(request) ||
                              std::holds_alternative<controller::AddressQuery>(request)
                          ? 0U
                          : 1U;
        }
        const auto applied = folder->apply(requests, clock.wall());
        hear(applied.news);
        for (const controller::StoreResult& result : applied.results) {
            reconciler->hear(result, clock.now());
            if (result.outcome == controller::StoreResult::Outcome::Done) {
                publisher->hear_map(result.key, result.map, clock.now());
            }
        }
        for (const controller::PublicationResult& result : applied.published) {
            publisher->hear(result, clock.now());
            if (!result.object && result.outcome == controller::StoreResult::Outcome::Done) {
                reconciler->hear(
                    result.map != nullptr
                        ? controller::StoreNews(controller::news::MapIs{result.map})
                        : controller::StoreNews(controller::news::MapGone{result.source}),
                    clock.now());
            }
        }
    }
};

}  // namespace ome::test
