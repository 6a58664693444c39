// POST of attempts: check a service now.
#include "api.hpp"
#include <ome/core/duration.hpp>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::observer {
namespace {

namespace json = boost::json;

json::array skipped_document(const std::vector<core::SkippedAttempt>& skipped) {
    json::array made;
    for (const core::SkippedAttempt& one : skipped) {
        made.push_back(json::object{
            {"cluster", one.cluster}, {"kind", core::to_string(one.kind)}, {"reason", one.reason}});
    }
    return made;
}

net::ServerResponse too_soon_answer(const ApiContext& context, core::Duration retry_after) {
    net::ServerResponse response =
        error_answer(context,
                     429,
                     {fmt::format("attempts may be asked for once in {} (--min-period) and service",
                                  core::format_duration(context.limits().min_period))});
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(retry_after).count();
    response.headers.emplace_back("Retry-After", fmt::format("{}", seconds));
    return response;
}

}  // namespace

net::Awaitable<net::ServerResponse> post_attempts(ApiContext* context, net::ServerRequest request) {
    const core::ServiceKey key = key_of(request);
    const std::optional<core::ExtraAttempts> answer = co_await context->hub.request_attempts(key);
    if (!answer) {
        co_return not_declared_answer(*context, key);
    }
    if (answer->suspended) {
        core::Problem problem{
            fmt::format("service {}/{} is suspended: nothing is sent for it", key.ns, key.name)};
        co_return error_answer(*context, 409, problem);
    }
    if (answer->retry_after > core::Duration::zero()) {
        co_return too_soon_answer(*context, answer->retry_after);
    }
    json::object body{{"started", answer->started}, {"skipped", skipped_document(answer->skipped)}};
    co_return json_answer(*context, 202, std::move(body));
}

}  // namespace ome::observer
