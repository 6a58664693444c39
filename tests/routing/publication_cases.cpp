#include "publication_cases.hpp"

#include "support/source_file.hpp"
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/routing/home_addresses.hpp>
#include <ome/wire/published_object_document.hpp>

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace ome::test {
namespace {

using routing::ObjectKind;

std::string text_of(const json::value& value) {
    return std::string(value.get_string());
}

std::int64_t number_of(const json::value& value) {
    return value.is_int64() ? value.get_int64() : static_cast<std::int64_t>(value.to_number<int>());
}

core::ServiceKey key_of(const json::value& text) {
    const std::string path = text_of(text);
    const std::size_t slash = path.find('/');
    return {path.substr(0, slash), path.substr(slash + 1)};
}

void read_config(const json::object& config, routing::PublicationSettings& settings) {
    settings.gateway.clear();
    settings.backend_port = 0;
    for (const auto& [name, value] : config) {
        if (name == "globalGateway") {
            settings.gateway = text_of(value);
        } else if (name == "backendPort") {
            settings.backend_port = number_of(value);
        } else if (name == "globalHostTemplate") {
            settings.host_template = text_of(value);
        } else if (name == "routeNamespace") {
            settings.route_namespace = text_of(value);
        } else if (name == "rewriteHostname") {
            settings.rewrite_hostname = value.get_bool();
        } else if (name == "tls") {
            settings.backend_tls = value.at("enabled").get_bool();
            settings.authorities = text_of(value.at("wellKnownCACertificates"));
        } else if (name == "endpointSlices") {
            settings.endpoint_slices = value.at("enabled").get_bool();
        } else {
            throw std::runtime_error("config." + std::string(name));
        }
    }
}

void turn_tls_on(PublicationBench& bench) {
    bench.settings.backend_tls = true;
    bench.settings.authorities = "System";
}

void set_service(PublicationBench& bench, const core::ServiceKey& key) {
    bench.service.key = key;
    bench.renew_map();
    bench.set_entries({{"worker-a", 2}, {"worker-b", 1}});
}

void read_entries(const json::value& value, PublicationBench& bench) {
    std::vector<std::pair<std::string, std::int32_t>> counted;
    if (!value.is_array()) {
        for (std::int64_t i = 0; i < number_of(value); ++i) {
            counted.emplace_back(fmt::format("worker-{}", i), 1);
        }
        bench.set_entries(counted);
        return;
    }
    bench.map.spec.entries.clear();
    for (const json::value& entry : value.get_array()) {
        bench.map.spec.entries.push_back(
            {.cluster = text_of(entry.at("cluster")),
             .endpoint = text_of(entry.at("endpoint")),
             .weight = static_cast<std::int32_t>(number_of(entry.at("weight"))),
             .healthy = true});
    }
}

// Every home that is not disconnected has a gateway with one address.
void connect(PublicationBench& bench, const json::object& input) {
    routing::HomeAddresses addresses;
    for (const routing::Entry& entry : bench.map.spec.entries) {
        const std::string host = core::host_name(entry.endpoint);
        routing::WorkloadCluster workload;
        const core::ServiceKey gateway = input.contains("servingGateway")
                                             ? key_of(input.at("servingGateway"))
                                             : core::ServiceKey{"infra", "edge"};
        workload.routes.emplace(bench.service.key,
                                routing::ServingRoute{{host}, {{gateway.ns, gateway.name}}});
        std::vector<routing::GatewayAddress> found{{"IPAddress", "203.0.113.10"}};
        if (const auto* told = input.if_contains("gatewayStatusAddresses")) {
            found.clear();
            for (const json::value& one : told->at(entry.cluster).get_array()) {
                found.push_back({text_of(one.at("type")), text_of(one.at("value"))});
            }
        }
        workload.gateways.emplace(gateway, found);
        bool connected = true;
        if (const auto* gone = input.if_contains("disconnected")) {
            for (const json::value& one : gone->get_array()) {
                connected = connected && text_of(one) != entry.cluster;
            }
        }
        addresses.emplace(
            entry.cluster,
            routing::resolve_addresses(
                entry.cluster, bench.service.key, host, connected ? &workload : nullptr));
    }
    bench.world.put_addresses(bench.service.key, std::move(addresses));
}

void put_existing(PublicationBench& bench, const json::value& one) {
    routing::PublishedObject object;
    object.meta.key = key_of(one.at("key"));
    const std::string kind = text_of(one.at("kind"));
    if (kind == "Service") {
        object.spec = routing::ServiceSpec{"elsewhere.example.com", 80};
    } else if (kind == "EndpointSlice") {
        object.spec = routing::EndpointSliceSpec{};
    } else if (kind == "BackendTLSPolicy") {
        object.spec = routing::BackendTlsPolicySpec{};
    }
    for (const auto& [name, value] : one.at("labels").get_object()) {
        object.meta.labels.emplace(name, text_of(value));
    }
    bench.put(std::move(object));
}

void put_route(PublicationBench& bench, const json::value& one) {
    routing::PublishedObject object;
    object.meta.key = key_of(one.at("key"));
    routing::HttpRouteSpec spec;
    for (const json::value& hostname : one.at("hostnames").get_array()) {
        spec.hostnames.push_back(text_of(hostname));
    }
    for (const json::value& parent : one.at("parentRefs").get_array()) {
        const json::value* ns = parent.get_object().if_contains("namespace");
        spec.parents.push_back({ns != nullptr ? std::optional(text_of(*ns)) : std::nullopt,
                                text_of(parent.at("name"))});
    }
    if (one.get_object().contains("deletionTimestamp")) {
        object.meta.deletion_timestamp = bench.now.wall;
    }
    object.spec = std::move(spec);
    bench.put(std::move(object));
}

routing::PublisherState journal_of(const json::object& from) {
    routing::PublisherState journal;
    journal.publisher_name = "gatewayapi";
    if (const json::value* name = from.if_contains("publisherName")) {
        journal.publisher_name = text_of(*name);
    }
    if (const json::value* claims = from.if_contains("claimedTargets")) {
        for (const json::value& claim : claims->get_array()) {
            journal.claimed_targets.push_back(text_of(claim));
        }
    }
    return journal;
}

void put_other_map(PublicationBench& bench, const json::object& other) {
    routing::TrafficMap map;
    map.meta.key = key_of(other.at("key"));
    map.status.publisher = journal_of(other);
    bench.world.put(std::make_shared<const routing::TrafficMap>(std::move(map)));
}

void add_legacy_services(PublicationBench& bench, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        routing::InferenceService service;
        service.key = {"prod", fmt::format("legacy-{}", i)};
        service.finalizers = {std::string(routing::legacy_finalizer)};
        bench.world.put(std::make_shared<const routing::InferenceService>(std::move(service)));
    }
}

// What has to be there, complete, before the situation begins.
bool begins_published(const json::object& input) {
    for (const char* key :
         {"previous", "previouslyPublished", "deletionTimestamp", "from", "before"}) {
        if (input.contains(key)) {
            return true;
        }
    }
    return false;
}

void begin(PlayedCase& played) {
    played.bench.run();
    played.before = std::exchange(played.bench.done, {});
    played.weights_before = played.bench.weights();
    for (const routing::Condition& condition : played.bench.map.status.conditions) {
        played.conditions_before[condition.type] = condition;
    }
    played.bench.now.wall.seconds += 60;
    played.bench.now.steady += std::chrono::seconds(60);
}

// One key of a situation. False: it is not known.
bool set(PlayedCase& played,
         const json::object& input,
         std::string_view key,
         const json::value& value) {
    PublicationBench& bench = played.bench;
    if (key == "config") {
        if (value.is_object()) {
            read_config(value.get_object(), bench.settings);
        }
    } else if (key == "entries") {
        read_entries(value, bench);
    } else if (key == "annotations") {
        for (const auto& [name, text] : value.get_object()) {
            bench.service.global_host = name == "ome.io/global-host" ? std::optional(text_of(text))
                                                                     : bench.service.global_host;
        }
    } else if (key == "spec.observedISVCGeneration") {
        bench.map.spec.observed_isvc_generation = number_of(value);
    } else if (key == "isvc.metadata.generation") {
        bench.service.generation = number_of(value);
    } else if (key == "status.sourceUID") {
        bench.map.status.source_uid = text_of(value);
    } else if (key == "spec.routing.enabled") {
        bench.service.routing = core::ServiceRoutingSettings{.enabled = value.get_bool()};
    } else if (key == "routing.enabled") {
        bench.settings.active = value.get_bool();
    } else if (key == "journal") {
        bench.map.status.publisher =
            value.is_null() ? std::nullopt : std::optional(journal_of(value.get_object()));
    } else if (key == "journal.publisherName") {
        bench.map.status.publisher = journal_of({{"publisherName", value}});
    } else if (key == "ownIsvcHasIt") {
        if (value.get_bool()) {
            bench.service.finalizers = {std::string(routing::legacy_finalizer)};
        }
    } else if (key == "isvcsWithFinalizer ome.io/placement-endpoint" ||
               key == "otherIsvcsWithLegacyFinalizer" || key == "legacyFinalizers") {
        add_legacy_services(bench, number_of(value));
    } else if (key == "otherRoute") {
        put_route(bench, value);
    } else if (key == "otherMap") {
        put_other_map(bench, value.get_object());
    } else if (key == "endpointSlices" || key == "disconnected") {
        bench.settings.endpoint_slices = input.contains("endpointSlices");
    } else if (key == "tls") {
        turn_tls_on(bench);
    } else if (key == "crd") {
        bench.world.set_unreadable(ObjectKind::BackendTlsPolicy,
                                   core::Problem{"no matches for kind \"BackendTLSPolicy\""});
    } else if (key == "to") {
        bench.settings.route_namespace = text_of(value);
    } else if (key == "mapGeneration") {
        bench.map.meta.generation = number_of(value);
    } else if (key == "deletionTimestamp") {
        bench.map.meta.deletion_timestamp = bench.now.wall;
    } else if (key == "existing") {
        for (const json::value& one : value.get_array()) {
            put_existing(bench, one);
        }
    } else {
        // Those that are looked at elsewhere.
        constexpr std::string_view others[] = {"observe",
                                               "previous",
                                               "previouslyPublished",
                                               "change",
                                               "service",
                                               "apiError",
                                               "from",
                                               "before",
                                               "globalGateway",
                                               "routeHasForeignFinalizer",
                                               "map",
                                               "resyncInterval",
                                               "gatewayStatusAddresses",
                                               "servingGateway"};
        return std::find(std::begin(others), std::end(others), key) != std::end(others);
    }
    return true;
}

void set_all(PlayedCase& played, const json::object& input) {
    for (const auto& [key, value] : input) {
        if (!set(played, input, key, value)) {
            played.problem = "unknown key of input: " + std::string(key);
        }
    }
}

// `PUT HTTPRoute 409`
void refuse_writes(PublicationBench& bench, const std::string& error) {
    std::istringstream words(error);
    std::string method;
    std::string kind;
    std::string status;
    words >> method >> kind >> status;
    bench.refuse = [method, kind, status](const routing::ObjectWrite& write) {
        const bool is_meant = routing::to_string(write.object.kind()) == kind &&
                              (method == "POST") == write.uid.empty();
        return is_meant ? std::optional(core::Problem{"the server answered " + status})
                        : std::nullopt;
    };
}

json::array texts(const std::vector<std::string>& values) {
    return json::array(values.begin(), values.end());
}

json::array numbers(const std::vector<std::int64_t>& values) {
    return json::array(values.begin(), values.end());
}

json::object document_of(const routing::PublishedObject& object) {
    return wire::written_object(object, nullptr);
}

const json::value* at_path(const json::value& document, std::string_view pointer) {
    boost::system::error_code ignored;
    return document.find_pointer(pointer, ignored);
}

std::string cluster_of(const routing::PublishedObject& object) {
    const auto found = object.meta.labels.find(std::string(routing::cluster_label));
    return found == object.meta.labels.end() ? std::string() : found->second;
}

json::value condition_value(const PublicationBench& bench, std::string_view type) {
    const routing::Condition* condition = routing::find_condition(bench.map.status, type);
    if (condition == nullptr) {
        return nullptr;
    }
    return json::object{{"status", condition->status},
                        {"reason", condition->reason},
                        {"message", condition->message}};
}

class Lookup {
public:
    Lookup(const PlayedCase& played, const json::object& input)
        : played_(played), bench_(played.bench), input_(input) {
        const auto routes = bench_.owned(ObjectKind::HttpRoute);
        if (!routes.empty()) {
            route_ = document_of(*routes.front());
        }
    }

    std::optional<json::value> run(std::string_view key) {
        for (const auto group :
             {&Lookup::route, &Lookup::backends, &Lookup::status, &Lookup::course}) {
            if (auto value = (this->*group)(key)) {
                return value;
            }
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] json::value part(std::string_view pointer) const {
        const json::value* found = at_path(route_, pointer);
        return found == nullptr ? json::value(nullptr) : *found;
    }

    [[nodiscard]] json::array backend_refs() const {
        const json::value refs = part("/spec/rules/0/backendRefs");
        return refs.is_array() ? refs.get_array() : json::array();
    }

    // By the cluster of the Service that each names.
    template <typename Take>
    [[nodiscard]] json::object by_cluster(const Take& take) const {
        json::object all;
        for (const json::value& ref : backend_refs()) {
            for (const auto* service : bench_.owned(ObjectKind::Service)) {
                if (service->meta.key.name == ref.at("name").as_string()) {
                    all[cluster_of(*service)] = take(ref);
                }
            }
        }
        return all;
    }

    std::optional<json::value> route(std::string_view key) {
        if (key == "backendRefWeights") {
            return by_cluster([](const json::value& ref) { return ref.at("weight"); });
        }
        if (key == "filters") {
            return by_cluster([](const json::value& ref) { return ref.at("filters"); });
        }
        if (key == "httprouteExists") {
            return route_.is_object();
        }
        if (key == "ruleCount") {
            return part("/spec/rules").as_array().size();
        }
        if (key == "ruleFilters") {
            const json::value filters = part("/spec/rules/0/filters");
            return filters.is_null() ? json::value(json::array()) : filters;
        }
        if (key == "urlRewriteFilters") {
            std::int64_t count = 0;
            for (const json::value& ref : backend_refs()) {
                count += ref.as_object().contains("filters") ? 1 : 0;
            }
            return count;
        }
        if (key == "backendRefPort") {
            return part("/spec/rules/0/backendRefs/0/port");
        }
        if (key == "pathMatch") {
            return part("/spec/rules/0/matches/0/path/value");
        }
        if (key == "parentRef") {
            return part("/spec/parentRefs/0");
        }
        if (key == "httproute") {
            return json::value(text_of(part("/metadata/namespace")) + "/" +
                               text_of(part("/metadata/name")));
        }
        if (key == "httprouteName") {
            return part("/metadata/name");
        }
        if (key == "length") {
            return part("/metadata/name").as_string().size();
        }
        if (key == "gatewayForCollisionCheck") {
            const auto plan =
                routing::plan_publication(bench_.map, bench_.service, bench_.settings);
            const auto gateway = routing::gateway_of(plan->gateway, plan->route.ns);
            return json::value(gateway.ns + "/" + gateway.name);
        }
        return std::nullopt;
    }

    std::optional<json::value> backends(std::string_view key) {
        const auto services = bench_.owned(ObjectKind::Service);
        if (key == "service") {
            const json::object made = document_of(*services.front());
            json::object shown = made.at("metadata").as_object();
            shown["spec"] = made.at("spec");
            return shown;
        }
        if (key == "serviceCount" || key == "servicesKept") {
            return services.size();
        }
        if (key == "services") {
            json::array names;
            for (const auto* service : services) {
                names.emplace_back(service->meta.key.name);
            }
            return names;
        }
        if (key == "backendRefOrder" || key == "weights") {
            json::array all;
            for (const json::value& ref : backend_refs()) {
                all.push_back(ref.at(key == "weights" ? "weight" : "name"));
            }
            return all;
        }
        if (key == "externalName") {
            return json::value(
                std::get<routing::ServiceSpec>(services.front()->spec).external_name);
        }
        if (key == "servicePort") {
            return std::get<routing::ServiceSpec>(services.front()->spec).port;
        }
        if (key == "deletedBackendTLSPolicies") {
            return deleted("BackendTLSPolicy");
        }
        return std::nullopt;
    }

    [[nodiscard]] json::array deleted(const std::string& kind) const {
        const std::string before = "delete " + kind + " ";
        json::array names;
        for (const std::string& line : bench_.done) {
            if (line.starts_with(before)) {
                names.emplace_back(line.substr(line.find('/') + 1));
            }
        }
        return names;
    }

    std::optional<json::value> status(std::string_view key) {
        const routing::TrafficMapStatus& status = bench_.map.status;
        const routing::Condition* published = routing::find_condition(status, "Published");
        if (key == "publicationFallback") {
            return condition_value(bench_, "PublicationFallback");
        }
        if (key == "published.reason" || key == "reason") {
            return published == nullptr ? json::value(nullptr) : json::value(published->reason);
        }
        if (key == "conditionObservedGeneration") {
            return published->observed_generation;
        }
        if (key == "status.published") {
            return status.published.value_or(false);
        }
        if (key == "claimedTargets") {
            return texts(status.publisher->claimed_targets);
        }
        if (key == "publisherName") {
            return json::value(status.publisher->publisher_name);
        }
        if (key == "publisher") {
            return status.publisher ? json::value("there") : json::value(nullptr);
        }
        if (key == "gatewayRef") {
            return status.gateway_ref ? json::value("there") : json::value(nullptr);
        }
        if (key == "gatewayRefKept") {
            return status.gateway_ref.has_value();
        }
        if (key == "observedTrafficMapGeneration") {
            return status.observed_traffic_map_generation;
        }
        if (key == "finalizers") {
            return texts(bench_.map.meta.finalizers);
        }
        if (key == "finalizerKept") {
            return !bench_.map.meta.finalizers.empty();
        }
        return std::nullopt;
    }

    [[nodiscard]] std::size_t object_writes() const {
        return bench_.count("write ") + bench_.count("delete ");
    }

    [[nodiscard]] std::string retry() const {
        if (!played_.verdict || played_.verdict->retry == routing::Retry::None) {
            return "none";
        }
        return played_.verdict->retry == routing::Retry::Backoff ? "backoff" : "resync";
    }

    [[nodiscard]] json::value sequence() const {
        json::array all;
        const auto before = played_.conditions_before.find("Published");
        if (before != played_.conditions_before.end()) {
            all.emplace_back(before->second.status + "/" + before->second.reason);
        }
        for (const std::string& line : bench_.done) {
            if (line.starts_with("status ")) {
                all.emplace_back(line.substr(7));
            }
        }
        return all;
    }

    std::optional<json::value> course(std::string_view key) {
        const std::string why = played_.verdict ? played_.verdict->why.message : std::string();
        if (key == "retry") {
            return json::value(retry());
        }
        if (key == "logError" || key == "error" || key == "errorStartsWith" ||
            key == "errorContains") {
            return json::value(why);
        }
        if (key == "logMessage") {
            return json::value(routing::failure_line(played_.verdict->what));
        }
        if (key == "writes") {
            // With statuses and finalizers where nothing at all was to happen.
            return input_.contains("change") ? bench_.done.size() : object_writes();
        }
        if (key == "statusWrites") {
            return bench_.count("status ");
        }
        if (key == "publishedSequence") {
            return sequence();
        }
        if (key == "lastTransitionTimeMoves") {
            return routing::find_condition(bench_.map.status, "Published")->last_transition_time !=
                   played_.conditions_before.at("Published").last_transition_time;
        }
        if (key == "routeUnchanged" || key == "oldRouteUnchanged") {
            return bench_.count("write HTTPRoute") + bench_.count("delete HTTPRoute") == 0;
        }
        if (key == "oldRouteWeights") {
            return bench_.weights() == played_.weights_before ? json::value("unchanged")
                                                              : json::value("changed");
        }
        if (key == "routeWeights") {
            const auto weights = bench_.weights();
            const bool zero =
                std::all_of(weights.begin(), weights.end(), [](auto one) { return one == 0; });
            return zero && !weights.empty() && input_.contains("deletionTimestamp")
                       ? json::value("all 0")
                       : json::value(numbers(weights));
        }
        if (key == "servicesDeleted") {
            return bench_.count("delete Service") > 0;
        }
        if (key == "requeueAfter") {
            return json::value(core::format_duration(bench_.settings.resync_interval));
        }
        return std::nullopt;
    }

    const PlayedCase& played_;
    const PublicationBench& bench_;
    const json::object& input_;
    json::value route_;
};

// A few keys mean two things, told apart by the type of what is expected.
std::optional<json::value> ambiguous(const PlayedCase& played,
                                     std::string_view key,
                                     const json::value& expected) {
    const PublicationBench& bench = played.bench;
    if (key == "published") {
        const json::value condition = condition_value(bench, "Published");
        return expected.is_object() || condition.is_null() ? condition : condition.at("status");
    }
    if (key == "backendRefs") {
        json::array weights = numbers(bench.weights());
        return expected.is_array() ? json::value(std::move(weights)) : json::value(weights.size());
    }
    if (key == "backendTLSPolicies") {
        json::array all;
        const auto plan = routing::plan_publication(bench.map, bench.service, bench.settings);
        for (const auto& home : plan->homes) {
            for (const auto* policy : bench.owned(ObjectKind::BackendTlsPolicy)) {
                if (policy->meta.key.name == home.service) {
                    const json::object made = document_of(*policy);
                    all.push_back(json::object{{"name", policy->meta.key.name},
                                               {"targetRefs", made.at("spec").at("targetRefs")},
                                               {"validation", made.at("spec").at("validation")}});
                }
            }
        }
        return expected.is_array() ? json::value(std::move(all)) : json::value(all.size());
    }
    return std::nullopt;
}

bool holds(std::string_view key, const json::value& actual, const json::value& expected) {
    if (key == "errorStartsWith") {
        return text_of(actual).starts_with(text_of(expected));
    }
    if (key == "errorContains") {
        for (const json::value& one : expected.as_array()) {
            if (text_of(actual).find(text_of(one)) == std::string::npos) {
                return false;
            }
        }
        return true;
    }
    if (actual.is_number() && expected.is_number()) {
        return number_of(actual) == number_of(expected);
    }
    return actual == expected;
}

}  // namespace

PlayedCase play_httproute(const json::object& input) {
    PlayedCase played;
    if (const json::value* service = input.if_contains("service")) {
        set_service(played.bench,
                    {text_of(service->at("namespace")), text_of(service->at("name"))});
    }
    set_all(played, input);
    if (input.contains("before")) {
        PublicationBench& bench = played.bench;
        const routing::PublicationSettings after = bench.settings;
        turn_tls_on(bench);
        begin(played);
        bench.settings = after;
        bench.memory = {};
    }
    if (played.bench.settings.endpoint_slices) {
        connect(played.bench, input);
    }
    played.verdict = played.bench.run();
    return played;
}

PlayedCase play_condition(const json::object& input) {
    PlayedCase played;
    PublicationBench& bench = played.bench;
    if (const json::value* name = input.if_contains("service")) {
        set_service(bench, {"prod", text_of(*name)});
    }
    if (const json::value* gateway = input.if_contains("globalGateway")) {
        bench.settings.gateway = text_of(*gateway);
    }
    if (begins_published(input)) {
        const json::value* previous = input.if_contains("previous");
        const json::value* generation =
            previous != nullptr && previous->is_object()
                ? previous->get_object().if_contains("observedTrafficMapGeneration")
                : nullptr;
        if (generation != nullptr) {
            bench.map.meta.generation = number_of(*generation);
        }
        if (const json::value* from = input.if_contains("from")) {
            bench.settings.route_namespace = text_of(*from);
        }
        begin(played);
    }
    set_all(played, input);
    if (const json::value* error = input.if_contains("apiError")) {
        bench.map.spec.entries.front().weight += 1;
        refuse_writes(bench, text_of(*error));
    }
    if (input.contains("routeHasForeignFinalizer")) {
        routing::PublishedObject route = *bench.owned(ObjectKind::HttpRoute).front();
        route.meta.finalizers = {"example.com/hold"};
        bench.put(std::move(route));
    }
    if (const json::value* interval = input.if_contains("resyncInterval")) {
        core::RoutingSettings routing;
        routing.enabled = true;
        routing.publisher.resync_interval = text_of(*interval);
        core::GatewaySettings gateway;
        gateway.slices_enabled = input.at("endpointSlices").at("enabled").get_bool();
        gateway.address_refresh_interval =
            text_of(input.at("endpointSlices").at("addressRefreshInterval"));
        bench.settings.resync_interval =
            routing::publication_settings(routing, gateway).resync_interval;
    }
    if (bench.settings.endpoint_slices) {
        connect(bench, input);
    }
    const bool stops = input.contains("observe");
    played.verdict = bench.run([stops](const routing::PublicationStep& step) {
        return stops && (!step.writes.empty() || !step.deletes.empty());
    });
    return played;
}

std::optional<json::value> looked_up(const PlayedCase& played,
                                     const json::object& input,
                                     std::string_view key) {
    return Lookup(played, input).run(key);
}

std::vector<json::object> cases_of(std::string_view file, std::string_view group) {
    std::ifstream stream(source_file("tests/cases/" + std::string(file)));
    std::stringstream text;
    text << stream.rdbuf();
    const json::value all = json::parse(text.str());
    std::vector<json::object> found;
    for (const json::value& one : all.as_array()) {
        if (one.at("group") == json::value(group)) {
            found.push_back(one.as_object());
        }
    }
    return found;
}

std::string difference(const PlayedCase& played, const json::object& example) {
    std::string found = played.problem;
    for (const auto& [key, expected] : example.at("expect").as_object()) {
        std::optional<json::value> actual = ambiguous(played, key, expected);
        if (!actual) {
            actual = looked_up(played, example.at("input").as_object(), key);
        }
        if (!actual) {
            found += fmt::format("\nunknown key of expect: {}", std::string(key));
        } else if (!holds(key, *actual, expected)) {
            found += fmt::format("\n{}: is {}, expected {}",
                                 std::string(key),
                                 json::serialize(*actual),
                                 json::serialize(expected));
        }
    }
    return found;
}

}  // namespace ome::test
