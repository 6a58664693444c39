#include "client_state.hpp"
#include <ome/core/deadline.hpp>
#include <ome/kube/client.hpp>
#include <ome/net/clock.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace ome::kube {
namespace {

namespace json = boost::json;

constexpr const char* json_type = "application/json";

ApiRequest write_request(const char* method,
                         std::string target,
                         const char* type,
                         std::string body) {
    ApiRequest request;
    request.method = method;
    request.target = std::move(target);
    request.content_type = type;
    request.body = std::move(body);
    return request;
}

std::string managed(const std::string& path, const std::string& field_manager) {
    return field_manager.empty()
               ? path
               : fmt::format("{}?fieldManager={}", path, url_escaped(field_manager));
}

std::string delete_options(const DeletePreconditions& wanted) {
    json::object preconditions;
    if (!wanted.uid.empty()) {
        preconditions["uid"] = wanted.uid;
    }
    if (!wanted.resource_version.empty()) {
        preconditions["resourceVersion"] = wanted.resource_version;
    }
    json::object options{
        {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", "Background"}};
    if (!preconditions.empty()) {
        options["preconditions"] = std::move(preconditions);
    }
    return json::serialize(options);
}

}  // namespace

Client::State::State(net::asio::io_context& context, Access given, ClientSettings chosen)
    : io(context),
      access(std::move(given)),
      settings(std::move(chosen)),
      login(context, access, {settings.login_look_again, settings.exec_time_limit}),
      connections(context, server_url(), settings.most_connections) {}

net::LocalUrl Client::State::server_url() const {
    net::LocalUrl url = access.server;
    url.user_agent = settings.user_agent;
    return url;
}

core::SteadyTime Client::State::deadline_of(const ApiRequest& request) const {
    return request.deadline ? *request.deadline
                            : core::later(net::read_clock().steady, settings.request_timeout);
}

net::LocalRequest Client::State::sent_form(const ApiRequest& request,
                                           const Identity& identity) const {
    net::LocalRequest sent;
    sent.method = request.method;
    sent.target = access.base_path + request.target;
    sent.content_type = request.content_type;
    sent.body = request.body;
    sent.headers.emplace_back("Accept", json_type);
    if (!identity.token.empty()) {
        sent.headers.emplace_back("Authorization", "Bearer " + identity.token);
    }
    return sent;
}

void Client::State::count(const net::LocalAnswer& answer) {
    stats.failures += answer.status >= 400 ? 1 : 0;
    stats.throttled += answer.status == 429 ? 1 : 0;
    stats.unauthorized += answer.status == 401 ? 1 : 0;
}

std::string Client::State::name_of(const ApiRequest& request) {
    // A continue token says nothing to people, and is long.
    return request.method + " " + request.target.substr(0, request.target.find("&continue="));
}

void Client::State::tell(const ApiRequest& request, unsigned status, const Failure* refusal) const {
    if (settings.answered) {
        settings.answered(request.method, request.target, status, refusal);
    }
}

void Client::State::tell_unanswered(const ApiRequest& request, const Failure& failure) const {
    if (settings.unanswered) {
        settings.unanswered(request.method, request.target, failure);
    }
}

Failure Client::State::unreachable(const ApiRequest& request, const core::Problem& problem) {
    ++stats.failures;
    return {Failure::Kind::Unreachable, name_of(request) + ": " + problem.message};
}

std::optional<core::Duration> Client::State::retry_after(const net::LocalAnswer& answer) {
    const auto header = answer.headers.find("retry-after");
    return header == answer.headers.end() ? std::nullopt : parse_retry_after(header->second);
}

void Client::State::tell_warnings(const ApiRequest& request, const net::LocalAnswer& answer) const {
    const auto header = answer.headers.find("warning");
    if (header == answer.headers.end() || !settings.warned) {
        return;
    }
    for (const std::string& warning : parse_warnings(header->second)) {
        settings.warned(name_of(request), warning);
    }
}

// The answer of one attempt, whatever its status.
net::Awaitable<Outcome<net::LocalAnswer>> Client::State::attempt(const ApiRequest& request,
                                                                 const Identity& identity,
                                                                 core::SteadyTime deadline) {
    Lent connection = co_await connections.borrow(identity, deadline);
    if (!connection) {
        co_return Failure{Failure::Kind::Stopped, name_of(request) + ": no connection in time"};
    }
    net::LocalRequest sent = sent_form(request, identity);
    sent.deadline = deadline;
    net::LocalLimits limits;
    limits.timeout = settings.step_timeout;
    limits.max_body_bytes = settings.largest_answer;
    ++stats.requests;
    auto answer = co_await connection->call(std::move(sent), limits);
    if (!answer) {
        co_return unreachable(request, answer.error());
    }
    count(*answer);
    co_return *std::move(answer);
}

net::Awaitable<Outcome<net::LocalAnswer>> Client::State::exchange(const ApiRequest& request) {
    const core::SteadyTime deadline = deadline_of(request);
    auto identity = co_await login.current();
    if (!identity) {
        co_return identity.error();
    }
    auto answer = co_await attempt(request, *identity, deadline);
    if (!answer || answer->status != 401) {
        co_return answer;
    }
    auto renewed = co_await login.renewed(*identity);
    const bool changed =
        renewed && (renewed->token != identity->token || renewed->trust != identity->trust);
    if (changed) {
        answer = co_await attempt(request, *renewed, deadline);
    }
    co_return answer;
}

Client::Client(net::asio::io_context& io, Access access, ClientSettings settings)
    : state_(std::make_shared<State>(io, std::move(access), std::move(settings))) {}

Client::~Client() = default;

net::Awaitable<Outcome<json::value>> Client::call(ApiRequest request) {
    const auto state = state_;
    auto answer = co_await state->exchange(request);
    if (!answer) {
        state->tell_unanswered(request, answer.error());
        co_return answer.error();
    }
    state->tell_warnings(request, *answer);
    const std::string name = State::name_of(request);
    if (answer->status < 200 || answer->status > 299) {
        Failure failure = refusal(name, answer->status, answer->body, State::retry_after(*answer));
        state->tell(request, answer->status, &failure);
        co_return failure;
    }
    auto document = wire::read_api_document(answer->body);
    if (!document) {
        const Failure failure{Failure::Kind::Unreadable, name + ": " + document.error().message};
        state->tell_unanswered(request, failure);
        co_return failure;
    }
    state->tell(request, answer->status, nullptr);
    co_return *std::move(document);
}

net::Awaitable<Outcome<json::value>> Client::get(std::string path) {
    ApiRequest request;
    request.target = std::move(path);
    co_return co_await call(std::move(request));
}

net::Awaitable<Outcome<json::value>> Client::create(std::string collection,
                                                    std::string object,
                                                    std::string field_manager) {
    ApiRequest request =
        write_request("POST", managed(collection, field_manager), json_type, std::move(object));
    co_return co_await call(std::move(request));
}

net::Awaitable<Outcome<json::value>> Client::replace(std::string path,
                                                     std::string object,
                                                     std::string field_manager) {
    ApiRequest request =
        write_request("PUT", managed(path, field_manager), json_type, std::move(object));
    co_return co_await call(std::move(request));
}

net::Awaitable<Outcome<json::value>> Client::apply(std::string path,
                                                   std::string object,
                                                   ApplyOptions options) {
    // JSON is YAML; there is no media type for an apply in JSON.
    ApiRequest request = write_request("PATCH",
                                       managed(path, options.field_manager),
                                       "application/apply-patch+yaml",
                                       std::move(object));
    request.target += options.force ? "&force=true" : "";
    co_return co_await call(std::move(request));
}

net::Awaitable<Outcome<json::value>> Client::merge_patch(std::string path,
                                                         std::string patch,
                                                         std::string field_manager) {
    ApiRequest request = write_request(
        "PATCH", managed(path, field_manager), "application/merge-patch+json", std::move(patch));
    co_return co_await call(std::move(request));
}

net::Awaitable<Outcome<json::value>> Client::remove(std::string path,
                                                    DeletePreconditions preconditions) {
    ApiRequest request =
        write_request("DELETE", std::move(path), json_type, delete_options(preconditions));
    co_return co_await call(std::move(request));
}

void Client::stop() {
    state_->login.stop();
    state_->connections.stop();
}

const ClientStats& Client::stats() const {
    return state_->stats;
}

const Access& Client::access() const {
    return state_->access;
}

}  // namespace ome::kube
