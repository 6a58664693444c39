// GET of a service's history, serialised home by home while the client reads.
#include "api.hpp"
#include <ome/wire/history_document.hpp>
#include <ome/wire/json_text.hpp>

#include <fmt/format.h>

namespace ome::observer {
namespace {

constexpr std::size_t homes_in_a_piece = 16;

class HistoryBody final : public net::ResponseBody {
public:
    HistoryBody(ApiContext* context,
                core::ServiceKey service,
                core::HistoryPart part,
                std::vector<core::HomeHistory> first)
        : context_(context),
          service_(std::move(service)),
          part_(std::move(part)),
          homes_(std::move(first)) {}

    net::Awaitable<std::optional<std::string>> next() override {
        if (ended_) {
            co_return std::nullopt;
        }
        std::string piece = told_ == 0 ? head() : std::string();
        for (const core::HomeHistory& home : homes_) {
            piece += told_++ == 0 ? "\n" : ",\n";
            wire::append_history(piece, home);
        }
        ended_ = homes_.size() < part_.limit;
        if (ended_) {
            piece += "]}\n";
        } else {
            part_.from += part_.limit;
            auto more = co_await context_->hub.history(service_, part_);
            homes_ = more ? std::move(*more) : std::vector<core::HomeHistory>();
        }
        co_return piece;
    }

private:
    std::string head() const {
        std::string text =
            fmt::format(R"({{"instance":"{}","namespace":)", context_->hub.instance());
        wire::append_json_string(text, service_.ns);
        text += R"(,"name":)";
        wire::append_json_string(text, service_.name);
        return text + R"(,"homes":[)";
    }

    ApiContext* context_;
    core::ServiceKey service_;
    core::HistoryPart part_;
    std::vector<core::HomeHistory> homes_;
    std::size_t told_ = 0;
    bool ended_ = false;
};

}  // namespace

net::Awaitable<net::ServerResponse> get_history(ApiContext* context, net::ServerRequest request) {
    const core::ServiceKey key = key_of(request);
    core::HistoryPart part{{}, 0, homes_in_a_piece};
    const auto cluster = request.query.find("cluster");
    if (cluster != request.query.end()) {
        part.cluster = cluster->second;
    }
    auto first = co_await context->hub.history(key, part);
    if (!first) {
        co_return not_declared_answer(*context, key);
    }
    if (cluster != request.query.end() && first->empty()) {
        core::Problem problem =
            bad_parameter("cluster", part.cluster, "is not a home of this service");
        co_return error_answer(*context, 404, problem);
    }
    net::ServerResponse response;
    response.content_type = "application/json";
    response.body = std::shared_ptr<net::ResponseBody>(
        std::make_shared<HistoryBody>(context, key, std::move(part), std::move(*first)));
    co_return response;
}

}  // namespace ome::observer
