#include "kube_writer.hpp"

#include "kube_documents.hpp"
#include <ome/net/clock.hpp>
#include <ome/routing/ownership.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace ome::controller {
namespace {

namespace asio = net::asio;
namespace json = boost::json;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;
using Map = std::shared_ptr<const routing::TrafficMap>;

constexpr core::Duration longest_write = std::chrono::seconds(10);
constexpr core::Duration longest_pause = std::chrono::seconds(30);

core::ServiceKey key_of(const StoreRequest& request) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.source; }) {
                return one.source;
            } else {
                return one.key;
            }
        },
        request);
}

std::string map_path(const core::ServiceKey& key, const char* subresource = "") {
    return object_path(kube::traffic_maps, key.ns, key.name, subresource);
}

core::Result<routing::TrafficMap> read_map(const json::value& object) {
    return wire::read_traffic_map(object);
}

}  // namespace

struct KubeWriter::State {
    State(asio::io_context& context, Surroundings given, std::string instance, std::size_t most)
        : io(context),
          around(std::move(given)),
          at_once(most),
          events({.component = "ome-trafficmap", .instance = std::move(instance)}),
          tasks(context) {}

    void begin_some();
    net::Awaitable<void> serve(core::ServiceKey key);
    net::Awaitable<void> carry_out(StoreRequest request);
    net::Awaitable<StoreResult> write(const MapWrite& request);
    net::Awaitable<StoreResult> write_spec(const MapWrite& request);
    net::Awaitable<StoreResult> write_status(const MapWrite& request, Map map);
    net::Awaitable<StoreResult> remove(const MapDelete& request);
    net::Awaitable<void> record(const EventRecord& event);
    net::Awaitable<void> lapse(const DrainLapse& request);
    net::Awaitable<std::optional<StoreResult>> look_for_staleness(const MapWrite& request);
    net::Awaitable<StoreResult> failed(core::ServiceKey key, kube::Failure failure);
    net::Awaitable<StoreResult> conflict(core::ServiceKey key);
    net::Awaitable<kube::Outcome<json::value>> send(kube::ApiRequest request);
    net::Awaitable<void> wait_for_the_server();
    [[nodiscard]] StoreResult taken(const core::ServiceKey& key,
                                    const kube::Outcome<json::value>& object);

    asio::io_context& io;
    Surroundings around;
    std::size_t at_once;
    kube::EventBook events;
    std::map<core::ServiceKey, std::deque<StoreRequest>> waiting;
    std::deque<core::ServiceKey> turns;  // keys with something waiting that nobody serves
    std::set<core::ServiceKey> served;
    std::optional<core::SteadyTime> leave_alone_until;
    net::TaskScope tasks;
};

namespace {

kube::ApiRequest patch(std::string target, const char* type, std::string body) {
    kube::ApiRequest request;
    request.method = "PATCH";
    request.target = std::move(target);
    request.content_type = type;
    request.body = std::move(body);
    return request;
}

std::string managed(std::string path) {
    return path + "?fieldManager=" + routing_manager;
}

}  // namespace

// A server that asks to be left alone is, by all writes.
net::Awaitable<void> KubeWriter::State::wait_for_the_server() {
    const core::SteadyTime now = net::read_clock().steady;
    if (leave_alone_until && *leave_alone_until > now) {
        Timer timer(io.get_executor());
        timer.expires_after(*leave_alone_until - now);
        std::ignore = co_await timer.async_wait(net::as_result);
    }
}

// Promise 7: the lease is looked at before each request, and the request ends with it.
net::Awaitable<kube::Outcome<json::value>> KubeWriter::State::send(kube::ApiRequest request) {
    co_await wait_for_the_server();
    const auto until = around.leads_until();
    if (!until) {
        co_return kube::Failure{kube::Failure::Kind::Stopped, "this controller does not lead"};
    }
    const core::SteadyTime now = net::read_clock().steady;
    request.deadline = std::min(*until, now + longest_write);
    auto answer = co_await around.client.call(std::move(request));
    if (!answer && answer.error().retry_after) {
        leave_alone_until =
            net::read_clock().steady + std::min(*answer.error().retry_after, longest_pause);
    }
    co_return answer;
}

StoreResult KubeWriter::State::taken(const core::ServiceKey& key,
                                     const kube::Outcome<json::value>& object) {
    auto map = read_map(*object);
    if (!map) {
        return {key, StoreResult::Outcome::Failed, nullptr, map.error()};
    }
    around.stored(key, map->meta.resource_version);
    return {key,
            StoreResult::Outcome::Done,
            std::make_shared<const routing::TrafficMap>(*std::move(map)),
            {}};
}

// The decision is made anew, on what is there now.
net::Awaitable<StoreResult> KubeWriter::State::conflict(core::ServiceKey key) {
    const auto object = co_await around.client.get(map_path(key));
    if (!object && !object.error().not_found()) {
        co_return StoreResult{
            key, StoreResult::Outcome::Failed, nullptr, core::Problem{object.error().message}};
    }
    StoreResult result{key, StoreResult::Outcome::Conflict, nullptr, {}};
    if (object) {
        auto map = read_map(*object);
        if (map) {
            result.map = std::make_shared<const routing::TrafficMap>(*std::move(map));
        }
    }
    co_return result;
}

net::Awaitable<StoreResult> KubeWriter::State::failed(core::ServiceKey key, kube::Failure failure) {
    // A map that is gone is as much a surprise as one that is another.
    if (failure.conflict() || failure.not_found()) {
        co_return co_await conflict(std::move(key));
    }
    co_return StoreResult{
        key, StoreResult::Outcome::Failed, nullptr, core::Problem{failure.message}};
}

// With a plan the service is read anew before the write (contract/trafficmap.md 9.2).
net::Awaitable<std::optional<StoreResult>> KubeWriter::State::look_for_staleness(
    const MapWrite& request) {
    const core::ServiceKey key = request.key;
    if (!request.service->status || !request.service->status->plan) {
        co_return std::nullopt;
    }
    const auto object =
        co_await around.client.get(object_path(kube::inference_services, key.ns, key.name));
    if (!object && !object.error().not_found()) {
        co_return StoreResult{
            key, StoreResult::Outcome::Failed, nullptr, core::Problem{object.error().message}};
    }
    std::optional<routing::InferenceService> live;
    if (object) {
        auto read = wire::read_inference_service(*object);
        if (!read) {
            co_return StoreResult{key, StoreResult::Outcome::Failed, nullptr, read.error()};
        }
        live = *std::move(read);
    }
    const auto stale = routing::stale_snapshot(*request.service, live ? &*live : nullptr);
    if (!stale) {
        co_return std::nullopt;
    }
    co_return StoreResult{key, StoreResult::Outcome::Failed, nullptr, *stale};
}

net::Awaitable<StoreResult> KubeWriter::State::write_spec(const MapWrite& request) {
    const core::ServiceKey key = request.key;
    kube::ApiRequest sent;
    if (request.precondition.uid.empty()) {
        sent.method = "POST";
        sent.target = managed(collection_path(kube::traffic_maps, key.ns));
        sent.content_type = "application/json";
        sent.body = map_to_create(request);
    } else {
        sent = patch(managed(map_path(key)), "application/merge-patch+json", spec_patch(request));
    }
    const auto object = co_await send(std::move(sent));
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    co_return taken(key, object);
}

net::Awaitable<StoreResult> KubeWriter::State::write_status(const MapWrite& request, Map map) {
    const core::ServiceKey key = request.key;
    const routing::TrafficMap wanted = with_status(*map, request);
    if (wanted.status == map->status) {
        co_return StoreResult{key, StoreResult::Outcome::Done, std::move(map), {}};
    }
    kube::ApiRequest sent = patch(managed(map_path(key, "status")) + "&force=true",
                                  "application/apply-patch+yaml",
                                  status_to_apply(wanted));
    const auto object = co_await send(std::move(sent));
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    co_return taken(key, object);
}

// The spec first, then what follows from it as it is stored.
net::Awaitable<StoreResult> KubeWriter::State::write(const MapWrite& request) {
    auto stale = co_await look_for_staleness(request);
    if (stale) {
        co_return *std::move(stale);
    }
    StoreResult spec = co_await write_spec(request);
    if (spec.outcome != StoreResult::Outcome::Done) {
        co_return spec;
    }
    co_return co_await write_status(request, spec.map);
}

net::Awaitable<StoreResult> KubeWriter::State::remove(const MapDelete& request) {
    const core::ServiceKey key = request.key;
    kube::ApiRequest sent;
    sent.method = "DELETE";
    sent.target = map_path(key);
    sent.content_type = "application/json";
    sent.body = json::serialize(
        json::object{{"apiVersion", "v1"},
                     {"kind", "DeleteOptions"},
                     {"propagationPolicy", "Background"},
                     {"preconditions",
                      {{"uid", request.precondition.uid},
                       {"resourceVersion", request.precondition.resource_version}}}});
    const auto object = co_await send(std::move(sent));
    if (!object && object.error().not_found()) {
        co_return StoreResult{key, StoreResult::Outcome::Done, nullptr, {}};
    }
    if (!object) {
        co_return co_await failed(key, object.error());
    }
    // One that a finalizer holds is answered as it is now, one that is gone as it was last: only
    // the server knows which.
    const auto now = co_await around.client.get(map_path(key));
    if (!now && now.error().not_found()) {
        co_return StoreResult{key, StoreResult::Outcome::Done, nullptr, {}};
    }
    if (!now) {
        co_return StoreResult{
            key, StoreResult::Outcome::Failed, nullptr, core::Problem{now.error().message}};
    }
    co_return taken(key, now);
}

net::Awaitable<void> KubeWriter::State::record(const EventRecord& event) {
    const bool of_map = !event.map_uid.empty();
    const kube::EventNote note{of_map ? kube::traffic_maps : kube::inference_services,
                               event.key.ns,
                               event.key.name,
                               of_map ? event.map_uid : event.service_uid,
                               event.warning,
                               event.reason,
                               event.message};
    const auto write = events.admit(note, net::read_clock());
    if (!write) {
        co_return;
    }
    kube::ApiRequest sent;
    if (write->create) {
        sent.method = "POST";
        sent.target = collection_path(kube::events, write->ns);
        sent.content_type = "application/json";
        sent.body = write->body;
    } else {
        sent = patch(object_path(kube::events, write->ns, write->name),
                     "application/merge-patch+json",
                     write->body);
    }
    const auto object = co_await send(std::move(sent));
    if (!object && !object.error().already_exists()) {
        events.lost(note);
        around.event_lost(object.error());
    }
}

// One that somebody else's write came before is decided anew, like one that failed.
net::Awaitable<void> KubeWriter::State::lapse(const DrainLapse& request) {
    kube::ApiRequest sent =
        patch(managed(object_path(kube::inference_services, request.key.ns, request.key.name)),
              "application/json-patch+json",
              lapse_patch(request));
    const auto object = co_await send(std::move(sent));
    if (!object) {
        co_return;
    }
    for (const EventRecord& event : request.events) {
        co_await record(event);
    }
}

net::Awaitable<void> KubeWriter::State::carry_out(StoreRequest request) {
    if (const auto* event = std::get_if<EventRecord>(&request)) {
        co_await record(*event);
        co_return;
    }
    if (const auto* lapsed = std::get_if<DrainLapse>(&request)) {
        co_await lapse(*lapsed);
        co_return;
    }
    if (const auto* write_request = std::get_if<MapWrite>(&request)) {
        StoreResult result = co_await write(*write_request);
        around.result(std::move(result));
        co_return;
    }
    if (const auto* deletion = std::get_if<MapDelete>(&request)) {
        StoreResult result = co_await remove(*deletion);
        around.result(std::move(result));
        co_return;
    }
    around.published({.source = key_of(request),
                      .outcome = StoreResult::Outcome::Failed,
                      .problem = core::Problem{"this store does not publish"}});
}

net::Awaitable<void> KubeWriter::State::serve(core::ServiceKey key) {
    co_await asio::this_coro::throw_if_cancelled(false);
    std::deque<StoreRequest>& mine = waiting[key];
    while (!mine.empty()) {
        StoreRequest request = std::move(mine.front());
        mine.pop_front();
        co_await carry_out(std::move(request));
    }
    waiting.erase(key);
    served.erase(key);
    begin_some();
}

void KubeWriter::State::begin_some() {
    while (served.size() < at_once && !turns.empty()) {
        core::ServiceKey key = std::move(turns.front());
        turns.pop_front();
        served.insert(key);
        tasks.spawn(serve(std::move(key)));
    }
}

KubeWriter::KubeWriter(asio::io_context& io,
                       Surroundings surroundings,
                       std::string instance,
                       std::size_t at_once)
    : state_(std::make_unique<State>(io, std::move(surroundings), std::move(instance), at_once)) {}

KubeWriter::~KubeWriter() = default;

void KubeWriter::submit(std::vector<StoreRequest> requests) {
    State& state = *state_;
    for (StoreRequest& request : requests) {
        const core::ServiceKey key = key_of(request);
        std::deque<StoreRequest>& mine = state.waiting[key];
        if (mine.empty() && state.served.find(key) == state.served.end()) {
            state.turns.push_back(key);
        }
        mine.push_back(std::move(request));
    }
    state.begin_some();
}

// Whoever serves a key holds on to its queue.
void KubeWriter::drop() {
    State& state = *state_;
    state.turns.clear();
    std::erase_if(state.waiting, [&state](const auto& one) {
        return state.served.find(one.first) == state.served.end();
    });
    for (auto& [key, requests] : state.waiting) {
        requests.clear();
    }
}

bool KubeWriter::idle() const {
    return state_->served.empty() && state_->turns.empty();
}

net::Awaitable<void> KubeWriter::stop(core::Duration patience) {
    const core::SteadyTime until = net::read_clock().steady + patience;
    while (!state_->served.empty() && net::read_clock().steady < until) {
        Timer timer(state_->io.get_executor());
        timer.expires_after(std::chrono::milliseconds(5));
        std::ignore = co_await timer.async_wait(net::as_result);
    }
    state_->turns.clear();
    for (auto& [key, requests] : state_->waiting) {
        requests.clear();
    }
    co_await state_->tasks.stop();
}

}  // namespace ome::controller
