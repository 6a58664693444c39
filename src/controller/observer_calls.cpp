// The requests of the line to the observer.
#include "observer_link_state.hpp"
#include <ome/wire/declaration_text.hpp>
#include <ome/wire/observer_answer.hpp>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t largest_page = std::size_t{256} << 20;
constexpr std::size_t services_a_page = 200;
constexpr std::size_t bulk_piece = 65536;

// The answer comes when the last service has been taken; that the observer lives is told by the
// watch beside it.
constexpr core::Duration bulk_patience = 10min;

std::string path_of(const core::ServiceKey& key) {
    return fmt::format("/v1/services/{}/{}", key.ns, key.name);
}

// The document of an answer, or why there is none that can be used; `what` is what was asked for.
template <typename Document>
core::Result<Document> understood(std::string_view what,
                                  const net::LocalAnswer& answer,
                                  core::Result<Document> (*read)(std::string_view)) {
    if (answer.status != 200) {
        return refusal(what, answer);
    }
    core::Result<Document> document = read(answer.body);
    if (!document) {
        return not_understood(fmt::format("the answer to {}", what), document.error());
    }
    return document;
}

template <typename Document>
core::Result<Document> understood(std::string_view what,
                                  const core::Result<net::LocalAnswer>& answer,
                                  core::Result<Document> (*read)(std::string_view)) {
    return answer ? understood(what, *answer, read) : core::Result<Document>(answer.error());
}

}  // namespace

// The lines of the bulk in pieces of some size, each service as it is when its turn comes.
std::function<std::string()> ObserverLink::State::bulk_lines() {
    auto keys =
        std::make_shared<const std::vector<core::ServiceKey>>(reconciler.begin_sync(clock()));
    return [this, keys, next = std::size_t{0}]() mutable {
        std::string piece;
        while (next < keys->size() && piece.size() < bulk_piece) {
            if (const auto request = reconciler.request_for((*keys)[next++]); request) {
                wire::append_declaration(piece, *request->declaration);
                piece += '\n';
                ++status.declarations;
            }
        }
        return piece;
    };
}

net::Awaitable<Outcome> ObserverLink::State::declare_all() {
    net::LocalRequest request;
    request.method = "PUT";
    request.target = "/v1/services";
    request.content_type = "application/x-ndjson";
    request.pieces = [this] { return bulk_lines(); };
    net::LocalLimits limits;
    limits.timeout = bulk_patience;
    const auto answer = co_await calls.call(std::move(request), limits);
    const auto bulk = understood("the declaration of all services", answer, wire::read_bulk_answer);
    if (!bulk) {
        co_return bulk.error();
    }
    if (Outcome problem = take_instance(bulk->instance)) {
        co_return problem;
    }
    for (const wire::BulkAnswer::Rejected& rejected : bulk->rejected) {
        if (rejected.key) {
            reconciler.refused(*rejected.key, 0, rejected.error.problem, clock());
        }
    }
    co_return std::nullopt;
}

net::Awaitable<Outcome> ObserverLink::State::declare_nothing() {
    net::LocalRequest request;
    request.method = "PUT";
    request.target = "/v1/services";
    request.content_type = "application/x-ndjson";
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    const auto answer = co_await calls.call(std::move(request), limits);
    const auto bulk = understood("the declaration of nothing", answer, wire::read_bulk_answer);
    co_return bulk ? std::nullopt : Outcome(bulk.error());
}

net::Awaitable<Outcome> ObserverLink::State::read_page(std::string& more) {
    net::LocalRequest request;
    request.target = fmt::format("/v1/services?limit={}", services_a_page);
    if (!more.empty()) {
        request.target += "&continue=" + more;
    }
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    limits.max_body_bytes = largest_page;
    const auto answer = co_await calls.call(std::move(request), limits);
    const auto page = understood("the list of services", answer, wire::read_services_answer);
    if (!page) {
        co_return page.error();
    }
    if (Outcome problem = take_instance(page->instance)) {
        co_return problem;
    }
    since = fmt::format("{}:{}", page->instance, page->revision);
    for (const wire::ServiceAnswer& service : page->services) {
        reconciler.told(service, 0, clock());
    }
    more = page->more;
    co_return std::nullopt;
}

// An observer that never ends its list is one that talks nonsense.
net::Awaitable<Outcome> ObserverLink::State::read_all() {
    constexpr std::size_t most_pages = 100'000;
    std::string more;
    for (std::size_t page = 0; page < most_pages; ++page) {
        Outcome problem = co_await read_page(more);
        if (problem || more.empty()) {
            co_return problem;
        }
    }
    co_return core::Problem{"the list of services has no end"};
}

// Which instance this is, and from where on to follow it.
net::Awaitable<Outcome> ObserverLink::State::greet() {
    net::LocalRequest request;
    request.target = "/v1/services?limit=1";
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    const auto answer = co_await calls.call(std::move(request), limits);
    const auto page = understood("the list of services", answer, wire::read_services_answer);
    if (!page) {
        co_return page.error();
    }
    since = fmt::format("{}:{}", page->instance, page->revision);
    co_return take_instance(page->instance);
}

Outcome ObserverLink::State::take_declared(const DeclarationRequest& request,
                                           const net::LocalAnswer& answer) {
    if (answer.status == 422 || answer.status == 413) {
        if (const auto said = wire::read_error_answer(answer.body)) {
            reconciler.refused(request.key, request.ticket, said->problem, clock());
            return std::nullopt;
        }
    }
    const auto service = understood("a declaration", answer, wire::read_service_answer);
    if (!service) {
        return service.error();
    }
    if (Outcome problem = take_instance(service->instance)) {
        return problem;
    }
    reconciler.told(*service, request.ticket, clock());
    return std::nullopt;
}

net::Awaitable<Outcome> ObserverLink::State::send_one(DeclarationRequest request) {
    net::LocalRequest call;
    call.target = path_of(request.key);
    call.method = request.declaration ? "PUT" : "DELETE";
    if (request.declaration) {
        call.content_type = "application/json";
        wire::append_declaration(call.body, *request.declaration);
    }
    net::LocalLimits limits;
    limits.timeout = settings.patience;
    const auto answer = co_await calls.call(std::move(call), limits);
    if (!answer) {
        co_return answer.error();
    }
    ++status.declarations;
    if (!request.declaration) {
        co_return answer->status == 204 ? std::nullopt
                                        : Outcome(refusal("a service to forget", *answer));
    }
    Outcome problem = take_declared(request, *answer);
    if (!problem) {
        changed();
    }
    co_return problem;
}

// Until the session is over.
net::Awaitable<Outcome> ObserverLink::State::send_declarations() {
    while (!stopping && !ended_by) {
        auto request = reconciler.next_request();
        if (!request) {
            idle.expires_at(Timer::time_point::max());
            std::ignore = co_await idle.async_wait(net::as_result);
            continue;
        }
        Outcome problem = co_await send_one(*std::move(request));
        if (problem) {
            co_return problem;
        }
    }
    co_return std::nullopt;
}

}  // namespace ome::controller
