// PUT, GET and DELETE of one service, and the list.
#include "api.hpp"
#include "api_warnings.hpp"
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/reading_document.hpp>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <charconv>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::size_t max_declaration_bytes = 1024 * 1024;

// As in the description of the parameter.
constexpr std::size_t most_listed = 1'000'000'000;

// Services asked for in one message to a reactor: small, so that a list of thousands delays no
// attempt.
constexpr std::size_t services_in_a_piece = 32;

json::object service_document(const RevisedReading& revised) {
    json::object service = wire::reading_document(revised.reading);
    service["revision"] = revised.revision;
    return service;
}

// Answers without a body carry the instance as a header.
net::ServerResponse empty_answer(const ApiContext& context, unsigned status) {
    net::ServerResponse response;
    response.status = status;
    response.headers.emplace_back("Ome-Observer-Instance", context.hub.instance());
    return response;
}

std::string shown(const core::ServiceKey& key) {
    return fmt::format("{}/{}", key.ns, key.name);
}

unsigned status_of(const core::Problem& problem) {
    if (problem.field == "413") {
        return 413;
    }
    return problem.field == "408" ? 408 : 400;
}

/// Where a page goes on: the instance and revision of the first page, and the last key served.
struct PageToken {
    std::string instance;
    std::uint64_t revision = 0;
    core::ServiceKey last;
};

std::string format_token(const PageToken& token) {
    return fmt::format(
        "{}:{}:{}/{}", token.instance, token.revision, token.last.ns, token.last.name);
}

std::optional<PageToken> parse_token(std::string_view text) {
    const std::size_t first = text.find(':');
    const std::size_t second = text.find(':', first + 1);
    const std::size_t slash = text.find('/', second + 1);
    if (first == text.npos || second == text.npos || slash == text.npos) {
        return std::nullopt;
    }
    PageToken token;
    token.instance = text.substr(0, first);
    const std::string_view number = text.substr(first + 1, second - first - 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), token.revision);
    if (error != std::errc{} || end != number.data() + number.size()) {
        return std::nullopt;
    }
    token.last = {std::string(text.substr(second + 1, slash - second - 1)),
                  std::string(text.substr(slash + 1))};
    return token;
}

/// What a list request asked for, or the problem with it.
struct ListQuery {
    std::string ns;
    std::size_t limit = 0;  ///< 0: no limit
    std::optional<PageToken> from;
};

core::Result<ListQuery> parse_list_query(const std::map<std::string, std::string>& query) {
    ListQuery list;
    if (const auto ns = query.find("namespace"); ns != query.end()) {
        list.ns = ns->second;
    }
    if (const auto limit = query.find("limit"); limit != query.end()) {
        const std::string& text = limit->second;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), list.limit);
        if (error != std::errc{} || end != text.data() + text.size() || list.limit == 0 ||
            list.limit > most_listed) {
            return bad_parameter(
                "limit", text, fmt::format("must be a whole number from 1 to {}", most_listed));
        }
    }
    if (const auto from = query.find("continue"); from != query.end() && !from->second.empty()) {
        list.from = parse_token(from->second);
        if (!list.from) {
            return bad_parameter("continue", from->second, "is not one that this API gave out");
        }
    }
    return list;
}

/// The list, serialised piece by piece while the client reads.
class ServiceList final : public net::ResponseBody {
public:
    ServiceList(ApiContext* context, ListQuery query)
        : context_(context), query_(std::move(query)) {
        revision_ = query_.from ? query_.from->revision : context_->hub.revision();
        if (query_.from) {
            last_ = query_.from->last;
        }
    }

    net::Awaitable<std::optional<std::string>> next() override {
        if (ended_) {
            co_return std::nullopt;
        }
        std::string piece;
        if (!begun_) {
            begun_ = true;
            piece = fmt::format(R"({{"instance":"{}","revision":{},"services":[)",
                                context_->hub.instance(),
                                revision_);
        }
        const std::vector<core::ServiceKey> keys = next_keys();
        std::vector<RevisedReading> found = co_await context_->hub.read_some(keys);
        for (const RevisedReading& revised : found) {
            piece += served_++ == 0 ? "\n" : ",\n";
            piece += json::serialize(service_document(revised));
        }
        if (keys.empty()) {
            ended_ = true;
            piece += fmt::format("],\"continue\":{}}}\n", json::serialize(json::string(more())));
        }
        co_return piece;
    }

private:
    std::vector<core::ServiceKey> next_keys() {
        const std::size_t left = query_.limit == 0 ? services_in_a_piece : query_.limit - asked_;
        std::vector<core::ServiceKey> keys =
            context_->hub.keys_after(last_, query_.ns, std::min(left, services_in_a_piece));
        asked_ += keys.size();
        if (!keys.empty()) {
            last_ = keys.back();
        }
        return keys;
    }

    std::string more() const {
        if (!last_ || context_->hub.keys_after(last_, query_.ns, 1).empty()) {
            return {};
        }
        return format_token({context_->hub.instance(), revision_, *last_});
    }

    ApiContext* context_;
    ListQuery query_;
    std::uint64_t revision_ = 0;
    std::optional<core::ServiceKey> last_;
    std::size_t asked_ = 0;
    std::size_t served_ = 0;
    bool begun_ = false;
    bool ended_ = false;
};

}  // namespace

net::Awaitable<net::ServerResponse> put_service(ApiContext* context, net::ServerRequest request) {
    if (context->fixed_services) {
        co_return fixed_services_answer(*context);
    }
    context->hub.lease().renew(net::read_clock().steady);
    if (auto refused = wrong_type_answer(*context, request, "application/json")) {
        co_return std::move(*refused);
    }
    core::Result<std::string> body = co_await net::read_all(request.body, max_declaration_bytes);
    if (!body) {
        co_return error_answer(*context, status_of(body.error()), {body.error().message});
    }
    wire::DeclarationDocument document =
        wire::read_declaration(*body, key_of(request), context->limits());
    log_warnings(key_of(request), document.warnings);
    json::object warned;
    if (!document.warnings.empty()) {
        warned["warnings"] = warnings_document(document.warnings);
    }
    if (!document.declaration) {
        const unsigned status = document.is_json ? 422 : 400;
        warned["error"] = error_document(status, document.declaration.error());
        co_return json_answer(*context, status, std::move(warned));
    }
    // Controllers repeat themselves; what is new is told once.
    const auto before = co_await context->hub.read(document.declaration->key);
    if (!before) {
        telemetry::log::info("service declared",
                             {{"service", shown(document.declaration->key)},
                              {"homes", document.declaration->homes.size()}});
    }
    const RevisedReading revised = co_await context->hub.declare(std::move(*document.declaration));
    json::object answer = service_document(revised);
    answer.insert(warned.begin(), warned.end());
    co_return json_answer(*context, 200, std::move(answer));
}

net::Awaitable<net::ServerResponse> get_service(ApiContext* context, net::ServerRequest request) {
    const core::ServiceKey key = key_of(request);
    const std::optional<RevisedReading> revised = co_await context->hub.read(key);
    if (!revised) {
        co_return not_declared_answer(*context, key);
    }
    co_return json_answer(*context, 200, service_document(*revised));
}

net::Awaitable<net::ServerResponse> delete_service(ApiContext* context,
                                                   net::ServerRequest request) {
    if (context->fixed_services) {
        co_return fixed_services_answer(*context);
    }
    const core::ServiceKey key = key_of(request);
    const auto before = co_await context->hub.read(key);
    if (before) {
        telemetry::log::info("service forgotten", {{"service", shown(key)}});
    }
    co_await context->hub.forget(key);
    co_return empty_answer(*context, 204);
}

net::Awaitable<net::ServerResponse> get_services(ApiContext* context, net::ServerRequest request) {
    core::Result<ListQuery> query = parse_list_query(request.query);
    if (!query) {
        co_return error_answer(*context, 400, query.error());
    }
    if (query->from && query->from->instance != context->hub.instance()) {
        core::Problem problem{"continue belongs to an instance that is gone: list again",
                              "continue"};
        co_return error_answer(*context, 410, problem);
    }
    net::ServerResponse response;
    response.content_type = "application/json";
    response.body = std::shared_ptr<net::ResponseBody>(
        std::make_shared<ServiceList>(context, std::move(*query)));
    co_return response;
}

}  // namespace ome::observer
