// Status, metrics and health.
#include "api.hpp"
#include "home_metrics.hpp"
#include "metrics_page.hpp"
#include "redact.hpp"
#include "status_document.hpp"
#include <ome/net/clock.hpp>
#include <ome/page/status_page.hpp>
#include <ome/wire/settings_document.hpp>

namespace ome::observer {
namespace {

net::Awaitable<StatusFigures> gather_figures(ApiContext* context) {
    StatusFigures figures;
    figures.version = OME_VERSION;
    figures.shards = co_await context->hub.stats();
    figures.uptime = net::read_clock().steady - context->started.steady;
    figures.services = context->hub.services();
    figures.busy_seconds = context->reactor_busy_seconds();
    figures.limits = context->limits();
    if (context->recorder != nullptr) {
        figures.recording = context->recorder->stats();
    }
    co_return figures;
}

// A few services a message, so that the reactors go on meanwhile.
net::Awaitable<std::string> home_page(ApiContext* context) {
    constexpr std::size_t services_in_a_piece = 32;
    telemetry::MetricsPage page;
    std::optional<core::ServiceKey> last;
    while (true) {
        std::vector<core::ServiceKey> keys = context->hub.keys_after(last, "", services_in_a_piece);
        if (keys.empty()) {
            co_return telemetry::to_text(page);
        }
        last = keys.back();
        for (const RevisedReading& revised : co_await context->hub.read_some(std::move(keys))) {
            add_home_metrics(page, revised.reading);
        }
    }
}

}  // namespace

// As it was written at the start; the limits in force are in the status.
net::Awaitable<net::ServerResponse> get_config(ApiContext* context, net::ServerRequest) {
    boost::json::value document = wire::settings_document(context->settings.in_force);
    redact(document);
    co_return json_answer(*context, 200, std::move(document.get_object()));
}

net::Awaitable<net::ServerResponse> get_status(ApiContext* context, net::ServerRequest) {
    const StatusFigures figures = co_await gather_figures(context);
    co_return json_answer(*context, 200, status_document(figures));
}

net::Awaitable<net::ServerResponse> get_status_text(ApiContext* context, net::ServerRequest) {
    const StatusFigures figures = co_await gather_figures(context);
    co_return text_answer(*context, "text/plain; charset=utf-8", status_text(figures));
}

bool asks_for_page(const net::ServerRequest& request) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    return reads && request.path == "/" && page::names_html(request.header("accept"));
}

net::Awaitable<net::ServerResponse> get_front(ApiContext* context, net::ServerRequest request) {
    if (asks_for_page(request)) {
        co_return page::status_page(page::Mode::Observer);
    }
    net::ServerResponse text = co_await get_status_text(context, std::move(request));
    text.headers.emplace_back("Vary", "Accept");
    co_return text;
}

net::Awaitable<net::ServerResponse> get_metrics(ApiContext* context, net::ServerRequest) {
    const StatusFigures figures = co_await gather_figures(context);
    std::string page = metrics_page(figures);
    if (context->settings.metrics_per_home) {
        page += co_await home_page(context);
    }
    co_return text_answer(*context, telemetry::metrics_content_type, std::move(page));
}

net::Awaitable<net::ServerResponse> get_livez(ApiContext* context, net::ServerRequest) {
    co_return text_answer(*context, "text/plain; charset=utf-8", "ok\n");
}

net::Awaitable<net::ServerResponse> get_readyz(ApiContext* context, net::ServerRequest) {
    const bool ready = context->ready();
    net::ServerResponse response =
        text_answer(*context, "text/plain; charset=utf-8", ready ? "ok\n" : "shutting down\n");
    response.status = ready ? 200 : 503;
    co_return response;
}

}  // namespace ome::observer
