#include "cluster_kube.hpp"

#include "kube_access.hpp"
#include "kube_objects.hpp"
#include "kube_watch.hpp"
#include "names.hpp"
#include <ome/core/deadline.hpp>
#include <ome/kube/resource.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace ome::kubectl {
namespace {

using End = BlockingLoop::End;

constexpr core::Duration usual_pause = std::chrono::seconds(1);

kube::ClientSettings client_settings() {
    kube::ClientSettings settings;
    // The calls end requests themselves, and earlier.
    settings.request_timeout = 2 * longest_request;
    settings.step_timeout = 2 * longest_request;
    settings.exec_time_limit = longest_request;
    settings.user_agent = "kubectl-ome/" OME_VERSION;
    return settings;
}

template <typename T>
net::Awaitable<void> keep(net::Awaitable<kube::Outcome<T>> request,
                          std::optional<kube::Outcome<T>>& into) {
    auto outcome = co_await std::move(request);
    into = std::move(outcome);
}

}  // namespace

Answer<std::unique_ptr<Cluster>> KubeCluster::open(const Connection& connection,
                                                   const kube::Environment& environment,
                                                   BlockingLoop::Interrupted interrupted) {
    auto access = find_kube_access(connection, environment);
    if (!access) {
        return ClusterError{Failure::Unavailable, access.error().message};
    }
    if (!is_printable(access->context)) {
        return ClusterError{Failure::Unavailable};
    }
    return std::unique_ptr<Cluster>(std::make_unique<KubeCluster>(
        *std::move(access), request_time_of(connection), std::move(interrupted)));
}

KubeCluster::KubeCluster(kube::Access access,
                         core::Duration request_time,
                         BlockingLoop::Interrupted interrupted)
    : loop_(std::move(interrupted)),
      client_(loop_.io(), std::move(access), client_settings()),
      request_time_(request_time) {}

// An answer that arrived counts, even when the time was over meanwhile.
template <typename T, typename Send>
Answer<T> KubeCluster::ask(const Asked& asked, core::Duration most, Send send) {
    const auto give_up = core::later(std::chrono::steady_clock::now(), most);
    for (;;) {
        std::optional<kube::Outcome<T>> outcome;
        End end = loop_.run(keep<T>(send(), outcome), give_up - std::chrono::steady_clock::now());
        if (outcome && *outcome) {
            return **std::move(outcome);
        }
        if (end == End::Done && outcome) {
            const kube::Failure& failure = outcome->error();
            const core::Duration pause = failure.retry_after.value_or(usual_pause);
            if (!failure.overloaded() ||
                core::later(std::chrono::steady_clock::now(), pause) >= give_up) {
                return error_of(failure, asked);
            }
            end = loop_.wait([] { return false; }, pause);
        }
        if (end == End::Interrupted) {
            return ClusterError{Failure::Cancelled};
        }
        if (std::chrono::steady_clock::now() >= give_up) {
            return ClusterError{Failure::Timeout};
        }
    }
}

Answer<json::value> KubeCluster::get(Kind kind, const core::ServiceKey& key, core::Duration most) {
    const std::string path = path_of(kind, key);
    const Asked asked{Asked::Verb::Get, "GET " + path};
    return ask<json::value>(asked, most, [&] { return client_.get(path); });
}

Answer<json::value> KubeCluster::route(const core::ServiceKey& /*source*/,
                                       const core::ServiceKey& route,
                                       core::Duration most) {
    const std::string path = object_path(kube::http_routes, route.ns, route.name);
    const Asked asked{Asked::Verb::Get, "GET " + path};
    return ask<json::value>(asked, most, [&] { return client_.get(path); });
}

Answer<Page> KubeCluster::list(const ListRequest& request, core::Duration most) {
    const std::string target = page_target(request);
    const Asked asked{
        Asked::Verb::List, "GET " + target.substr(0, target.find("&continue=")), request.selector};
    Page page;
    std::optional<ClusterError> unreadable;
    const auto take = [&](std::string_view item) {
        if (auto object = wire::read_api_document(item)) {
            complete(request.kind, *object);
            page.items.push_back(*std::move(object));
        } else {
            unreadable = ClusterError{Failure::Unreadable, object.error().message};
        }
    };
    auto end = ask<wire::ListEnd>(asked, most, [&] {
        page.items.clear();
        return client_.list_page(target, take);
    });
    if (!end) {
        return end.error();
    }
    if (unreadable) {
        return *std::move(unreadable);
    }
    page.continue_token = std::move(end->more);
    return page;
}

Answer<json::value> KubeCluster::patch(const PatchRequest& request, core::Duration most) {
    kube::ApiRequest sent;
    sent.method = "PATCH";
    sent.target = patch_target(request);
    sent.content_type = "application/json-patch+json";
    sent.body = wire::to_text(request.operations);
    const Asked asked{Asked::Verb::Patch, "PATCH " + sent.target};
    return ask<json::value>(asked, most, [&] { return client_.call(sent); });
}

Answer<std::unique_ptr<Watch>> KubeCluster::watch(Kind kind, const std::string& ns) {
    auto watch = std::make_unique<KubeWatch>(loop_, client_, *this, KubeWatch::Of{kind, ns});
    if (auto error = watch->start(request_time_)) {
        return *std::move(error);
    }
    return std::unique_ptr<Watch>(std::move(watch));
}

}  // namespace ome::kubectl
