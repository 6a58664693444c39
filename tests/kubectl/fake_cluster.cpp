#include "kubectl/fake_cluster.hpp"

#include "cli.hpp"
#include "json_patch.hpp"
#include "members.hpp"
#include <ome/core/timestamp.hpp>

#include <boost/json.hpp>

#include <cstdlib>

namespace ome::kubectl::test {
namespace {

class FakeWatch final : public Watch {
public:
    FakeWatch(FakeCluster& cluster, Kind kind, const std::string& ns)
        : cluster_(cluster), kind_(kind) {
        for (const auto& [what, object] : cluster.objects) {
            if (what.first == kind && (ns.empty() || what.second.ns == ns)) {
                there_.push_back({what.second, object});
            }
        }
    }

    Answer<std::vector<Change>> next(core::Duration) override {
        if (!there_.empty()) {
            return std::exchange(there_, {});
        }
        if (kind_ != Kind::TrafficMap || cluster_.changes.empty()) {
            return std::vector<Change>{};
        }
        std::vector<Change> changes = std::move(cluster_.changes.front());
        cluster_.changes.pop_front();
        return changes;
    }

private:
    FakeCluster& cluster_;
    Kind kind_;
    std::vector<Change> there_;
};

std::string place(const core::ServiceKey& key) {
    return key.ns + "/" + key.name;
}

}  // namespace

void FakeCluster::put(Kind kind, json::value object) {
    json::object& meta = object.get_object()["metadata"].get_object();
    if (!meta.contains("resourceVersion")) {
        meta["resourceVersion"] = std::to_string(++version_);
    }
    const core::ServiceKey key{text_at(object, {"metadata", "namespace"}),
                               text_at(object, {"metadata", "name"})};
    objects[{kind, key}] = std::move(object);
}

void FakeCluster::remove(Kind kind, const core::ServiceKey& key) {
    objects.erase({kind, key});
}

Answer<json::value> FakeCluster::get(Kind kind, const core::ServiceKey& key, core::Duration) {
    const std::string verb = "get " + std::string(to_string(kind));
    requests.push_back(verb + " " + place(key));
    if (meanwhile) {
        meanwhile(*this);
    }
    if (failures.contains(verb)) {
        return failures.at(verb);
    }
    const auto found = objects.find({kind, key});
    if (found == objects.end()) {
        return ClusterError{Failure::NotFound};
    }
    return found->second;
}

Answer<json::value> FakeCluster::route(const core::ServiceKey&,
                                       const core::ServiceKey& route,
                                       core::Duration) {
    requests.push_back("get HTTPRoute " + place(route));
    if (failures.contains("get HTTPRoute")) {
        return failures.at("get HTTPRoute");
    }
    return routes.contains(route) ? Answer<json::value>(routes.at(route))
                                  : ClusterError{Failure::NotFound};
}

Answer<Page> FakeCluster::list(const ListRequest& request, core::Duration) {
    const std::string verb = "list " + std::string(to_string(request.kind));
    requests.push_back(verb + " " + request.ns + request.continue_token);
    if (failures.contains(verb)) {
        return failures.at(verb);
    }
    if (!request.continue_token.empty() && expired_pages > 0) {
        --expired_pages;
        return ClusterError{Failure::Expired};
    }
    const std::size_t begin =
        request.continue_token.empty() ? 0 : std::stoul(request.continue_token);
    Page page;
    std::size_t index = 0;
    for (const auto& [what, object] : objects) {
        if (what.first != request.kind || (!request.ns.empty() && what.second.ns != request.ns)) {
            continue;
        }
        if (index >= begin + page_size) {
            page.continue_token = std::to_string(index);
            break;
        }
        if (index++ >= begin) {
            page.items.push_back(object);
        }
    }
    if (begin < further_pages) {
        page.continue_token = std::to_string(begin + 1);
    }
    return page;
}

Answer<json::value> FakeCluster::patch(const PatchRequest& request, core::Duration) {
    requests.push_back("patch InferenceService " + place(request.key));
    patches.push_back(request);
    if (meanwhile) {
        meanwhile(*this);
    }
    if (failures.contains("patch")) {
        return failures.at("patch");
    }
    const auto found = objects.find({Kind::InferenceService, request.key});
    if (found == objects.end()) {
        return ClusterError{Failure::NotFound};
    }
    json::value next = found->second;
    if (const Patched patched = apply_json_patch(next, request.operations);
        patched != Patched::Done) {
        return ClusterError{patched == Patched::TestFailed ? Failure::Conflict : Failure::Rejected};
    }
    if (!request.dry_run) {
        next.get_object()["metadata"].get_object()["resourceVersion"] = std::to_string(++version_);
        found->second = next;
    }
    return change_answer ? change_answer(next) : next;
}

Answer<std::unique_ptr<Watch>> FakeCluster::watch(Kind kind, const std::string& ns) {
    const std::string verb = "watch " + std::string(to_string(kind));
    requests.push_back(verb + " " + ns);
    if (failures.contains(verb)) {
        return failures.at(verb);
    }
    return std::unique_ptr<Watch>(std::make_unique<FakeWatch>(*this, kind, ns));
}

World::World() : now(*core::parse_timestamp("2026-10-01T12:00:00Z")) {}

int World::run(const std::string& command_line) {
    std::vector<std::string> words = split_words(command_line);
    // kubectl hands over what follows the plugin's name.
    if (words.size() > 1 && words[0] == "kubectl" && words[1] == "ome") {
        words.erase(words.begin());
        words[0] = "kubectl-ome";
    }
    return run_words(std::move(words));
}

int World::run_words(std::vector<std::string> arguments) {
    // A view of the fake that the session may own.
    struct Borrowed final : Cluster {
        explicit Borrowed(FakeCluster& fake) : real(fake) {}
        std::string context() const override { return real.context(); }
        std::string default_namespace() const override { return real.default_namespace(); }
        Answer<json::value> get(Kind kind,
                                const core::ServiceKey& key,
                                core::Duration most) override {
            return real.get(kind, key, most);
        }
        Answer<json::value> route(const core::ServiceKey& source,
                                  const core::ServiceKey& route,
                                  core::Duration most) override {
            return real.route(source, route, most);
        }
        Answer<Page> list(const ListRequest& request, core::Duration most) override {
            return real.list(request, most);
        }
        Answer<json::value> patch(const PatchRequest& request, core::Duration most) override {
            return real.patch(request, most);
        }
        Answer<std::unique_ptr<Watch>> watch(Kind kind, const std::string& ns) override {
            return real.watch(kind, ns);
        }
        FakeCluster& real;
    };
    Environment environment{
        terminal,
        [this] {
            steady += tick;
            now = now + tick;
            return core::Now{steady, now};
        },
        [this](const Connection& connection) -> Answer<std::unique_ptr<Cluster>> {
            if (!connection.store.empty()) {
                return open_cluster(connection);
            }
            return std::unique_ptr<Cluster>(std::make_unique<Borrowed>(cluster));
        }};
    return run_cli(std::move(arguments), environment);
}

std::vector<std::string> split_words(const std::string& command_line) {
    std::vector<std::string> words;
    bool open = false;
    char quote = 0;
    for (const char c : command_line) {
        if (quote == 0 && c == ' ') {
            open = false;
            continue;
        }
        if (!open) {
            words.emplace_back();
            open = true;
        }
        if (quote == c) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else {
            words.back() += c;
        }
    }
    return words;
}

json::value sample_service(const std::string& ns, const std::string& name) {
    return json::object{
        {"apiVersion", "ome.io/v1beta1"},
        {"kind", "InferenceService"},
        {"metadata",
         json::object{{"name", name},
                      {"namespace", ns},
                      {"uid", "2f6c1d9e"},
                      {"generation", 7},
                      {"resourceVersion", "1284711"}}},
        {"spec",
         json::object{{"placement", json::object{{"policy", "ClusterAffinity"}, {"mode", "All"}}}}},
        {"status", json::object{{"placement", json::object{{"phase", "Placed"}}}}}};
}

json::object sample_entry(const std::string& cluster, std::int64_t weight) {
    return {{"cluster", cluster},
            {"endpoint", "https://chat.prod." + cluster + ".example.com/v1"},
            {"weight", weight},
            {"healthy", true},
            {"capacity", json::object{{"allocated", 2}, {"ready", 2}, {"source", "ControlPlane"}}}};
}

json::value sample_map(const json::value& service, json::array entries) {
    const std::string name = text_at(service, {"metadata", "name"});
    const json::object owner{{"apiVersion", "ome.io/v1beta1"},
                             {"kind", "InferenceService"},
                             {"name", name},
                             {"uid", text_at(service, {"metadata", "uid"})},
                             {"controller", true}};
    return json::object{{"apiVersion", "ome.io/v1beta1"},
                        {"kind", "TrafficMap"},
                        {"metadata",
                         json::object{{"name", name},
                                      {"namespace", text_at(service, {"metadata", "namespace"})},
                                      {"uid", "map-uid"},
                                      {"generation", 4},
                                      {"resourceVersion", "55"},
                                      {"creationTimestamp", "2026-10-01T08:59:30Z"},
                                      {"ownerReferences", json::array{owner}}}},
                        {"spec",
                         json::object{{"service", name},
                                      {"mode", "All"},
                                      {"observedISVCGeneration", 7},
                                      {"entries", std::move(entries)}}},
                        {"status", json::object{{"conditions", json::array()}}}};
}

}  // namespace ome::kubectl::test
