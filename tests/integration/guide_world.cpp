#include "integration/guide_world.hpp"

#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr const char* steady_service = "routable";  ///< its homes always pass

std::vector<GuideService> all_services() {
    std::vector<GuideService> all;
    for (const auto& services :
         {traffic_map_services, freeze_services, probe_services, capacity_services}) {
        std::ranges::move(services(), std::back_inserter(all));
    }
    return all;
}

std::string home_name(const GuideService& service, const GuideHome& home) {
    return service.name + "-" + home.cluster;
}

std::vector<std::string> home_arguments(const std::vector<GuideService>& services) {
    std::vector<std::string> arguments;
    for (const GuideService& service : services) {
        for (const GuideHome& home : service.homes) {
            arguments.insert(arguments.end(), {"--home", home_name(service, home)});
        }
    }
    return arguments;
}

std::string candidate(const GuideHome& home, const std::string& endpoint) {
    return fmt::format(
        "    - cluster: {}\n"
        "      phase: Admitted\n"
        "      endpoint: \"{}\"\n"
        "      admittedReplicas: {}\n"
        "      readyReplicas: {}\n",
        home.cluster,
        endpoint,
        home.admitted,
        home.ready);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string text_at(const json::value& value, const char* member) {
    const json::value* found = value.as_object().if_contains(member);
    return found != nullptr ? std::string(found->as_string()) : "";
}

// Not there: a name server that says so, as everyone's would.
DnsReply no_such_name(const std::string& /*name*/, bool /*v6*/) {
    return {.rcode = 3};
}

}  // namespace

GuideService GuideService::with(const std::string& other_routing) const {
    GuideService other = *this;
    other.routing = other_routing;
    return other;
}

GuideWorld::GuideWorld() : services_(all_services()), dns_(no_such_name) {
    homes_ = std::make_unique<Homes>(home_arguments(services_));
    observer_ = std::make_unique<ObserverProcess>(
        "",
        std::vector<std::string>{
            "--dns-servers", dns_.address(), "--max-concurrent-requests", "64"});
    for (const GuideService& service : services_) {
        for (const GuideHome& home : service.homes) {
            homes_->set(home_name(service, home), home.behaviour);
        }
        put(service);
    }
    put_maps_of_others();
    controller_ = std::make_unique<TrafficmapProcess>(
        store_, observer_->port(), std::vector<std::string>{"--probe-time-interval", "1s"});
}

// Written before the controller looks. The owner of the second one is right, its source is not.
void GuideWorld::put_maps_of_others() const {
    store_.write("trafficmaps/llama-demo/llama-chat.yaml",
                 "apiVersion: ome.io/v1beta1\n"
                 "kind: TrafficMap\n"
                 "metadata: {namespace: llama-demo, name: llama-chat, uid: of-nobody}\n"
                 "spec: {service: llama-chat}\n");
    store_.write("trafficmaps/demo/earlier.yaml",
                 "apiVersion: ome.io/v1beta1\n"
                 "kind: TrafficMap\n"
                 "metadata:\n"
                 "  namespace: demo\n"
                 "  name: earlier\n"
                 "  uid: of-an-earlier-service\n"
                 "  ownerReferences:\n"
                 "    - {apiVersion: ome.io/v1beta1, kind: InferenceService, name: earlier,\n"
                 "       uid: second, controller: true}\n"
                 "spec: {service: earlier}\n"
                 "status: {sourceUID: first}\n");
}

void GuideWorld::put(const GuideService& service) const {
    std::string text = fmt::format(
        "apiVersion: ome.io/v1beta1\n"
        "kind: InferenceService\n"
        "metadata: {{name: {}, annotations: {{{}}}, {}}}\n"
        "spec:\n"
        "  placement: {{policy: ClusterAffinity, mode: Split}}\n"
        "  routing: {{{}}}\n"
        "status:\n"
        "  placement:\n"
        "    phase: {}\n"
        "    candidates:\n",
        service.name,
        service.annotations,
        service.metadata,
        service.routing,
        service.phase);
    for (const GuideHome& home : service.homes) {
        text += candidate(home, endpoint(service, home));
    }
    store_.write(fmt::format("inferenceservices/{}/{}.yaml", service.ns, service.name), text);
}

const GuideService& GuideWorld::service(const std::string& name) const {
    return *std::ranges::find(services_, name, &GuideService::name);
}

std::string GuideWorld::endpoint(const GuideService& service, const GuideHome& home) const {
    return home.endpoint ? *home.endpoint : homes_->endpoint(home_name(service, home));
}

// The outputs are read meanwhile: a full pipe would cost lines of the log.
bool GuideWorld::until(const std::function<bool()>& condition) {
    return eventually(
        [&] {
            (void)controller_->process().wait_for_line("no such line", 1ms);
            (void)observer_->process().wait_for_line("no such line", 1ms);
            return condition();
        },
        patience);
}

bool GuideWorld::time_goes_on() {
    const auto probed = [this] {
        const auto steady = entry(steady_service, "worker-a");
        return steady && steady->probe ? steady->probe->last_probe_time : std::nullopt;
    };
    for (int change = 0; change < 2; ++change) {
        const auto before = probed();
        if (!until([&] {
                const auto now = probed();
                return now && (!before || *now > *before);
            })) {
            return false;
        }
    }
    return true;
}

std::optional<routing::TrafficMap> GuideWorld::map(const std::string& name) const {
    return store_.map(service(name).ns, name);
}

std::string GuideWorld::map_text(const std::string& name) const {
    return store_.read(fmt::format("trafficmaps/{}/{}.yaml", service(name).ns, name));
}

std::optional<routing::Entry> GuideWorld::entry(const std::string& name,
                                                const std::string& cluster) const {
    const auto stored = map(name);
    if (!stored) {
        return std::nullopt;
    }
    const auto found = std::ranges::find(stored->spec.entries, cluster, &routing::Entry::cluster);
    return found == stored->spec.entries.end() ? std::nullopt : std::optional(*found);
}

// Between two dashes of the list, up to the status.
std::string GuideWorld::entry_text(const std::string& name, const std::string& cluster) const {
    const std::string text = map_text(name);
    const std::size_t name_at = text.find("    cluster: " + cluster + "\n");
    if (name_at == std::string::npos) {
        return "no entry";
    }
    const std::string dash = "\n  - ";
    const std::size_t begin = text.rfind(dash, name_at);
    const std::size_t end = std::min(text.find(dash, name_at), text.find("\nstatus:", name_at));
    return text.substr(begin, end - begin);
}

std::string GuideWorld::condition(const std::string& name, const std::string& type) const {
    const auto stored = map(name);
    if (!stored) {
        return "no map";
    }
    const auto found =
        std::ranges::find(stored->status.conditions, type, &routing::Condition::type);
    return found == stored->status.conditions.end()
               ? "no condition"
               : fmt::format("{} {}: {}", found->status, found->reason, found->message);
}

std::string GuideWorld::frozen(const std::string& name) const {
    const json::value status = json::parse(controller_->get("/v1/status").body);
    for (const json::value& row : status.at("maps").as_array()) {
        if (text_at(row, "name") == name && text_at(row, "namespace") == service(name).ns) {
            return text_at(row, "frozen");
        }
    }
    return "";
}

std::vector<std::string> GuideWorld::events(const std::string& name) const {
    std::vector<std::string> messages;
    for (const std::string& line : lines_of(store_.read("events.ndjson"))) {
        boost::system::error_code torn;
        const json::value event = json::parse(line, torn);
        if (!torn && text_at(event, "name") == name) {
            messages.push_back(text_at(event, "message"));
        }
    }
    return messages;
}

bool GuideWorld::logged(const std::string& name, const std::string& error) {
    const std::string isvc = fmt::format("isvc={}/{} ", service(name).ns, name);
    return std::ranges::any_of(lines_of(controller_->process().output()), [&](const auto& line) {
        return line.find("TrafficMap frozen " + isvc + "error=" + core::go_quote(error)) !=
               std::string::npos;
    });
}

std::string GuideWorld::metric(const std::string& metric, const std::string& name) const {
    const std::string series =
        fmt::format("{}{{namespace=\"{}\",trafficmap=\"{}\"}} ", metric, service(name).ns, name);
    for (const std::string& line : lines_of(controller_->get("/metrics").body)) {
        if (line.starts_with(series)) {
            return line.substr(series.size());
        }
    }
    return "";
}

std::string test_name(std::string service) {
    std::ranges::replace(service, '-', '_');
    return service;
}

GuideWorld& GuideTest::world() {
    static std::unique_ptr<GuideWorld> the_world;
    static bool begun = false;
    if (!std::exchange(begun, true)) {
        the_world = std::make_unique<GuideWorld>();
    }
    if (the_world == nullptr) {
        throw std::runtime_error("the programs did not start; see the first test");
    }
    return *the_world;
}

}  // namespace ome::test
