// PUT of the whole set, a service a line. Lines are taken one by one as they come, so that a body
// of any size costs little memory and delays no attempt: each service is one message to a reactor.
#include "api.hpp"
#include "api_warnings.hpp"
#include "ndjson_lines.hpp"
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>
#include <ome/wire/declaration_document.hpp>

#include <boost/algorithm/string/replace.hpp>
#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <map>

namespace ome::observer {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_line = 1024 * 1024;

// What is listed of refused lines, so that no body makes a huge answer; the rest is counted.
constexpr std::size_t most_rejected_listed = 1000;
constexpr std::size_t most_rejected_bytes = 1024 * 1024;

// Of services that are not declared and whose line was refused: a body can name any number of them.
// Behind so many the second line of two is looked at like a first one. What is declared is always
// remembered, and so nothing is forgotten that a line has named.
constexpr std::size_t most_refused_names = 10'000;

// Each with a dozen warnings at most, of a kilobyte at most.
constexpr std::size_t most_warned_listed = 100;

// All services of one client have the same slips: the first lines tell them.
constexpr std::size_t most_warned_logged = 10;

class Bulk {
public:
    explicit Bulk(ApiContext* context)
        : context_(context), declared_before_(context->hub.declarations()) {}

    net::Awaitable<void> take(NdjsonLine line) {
        if (line.too_long) {
            all_named_ = false;
            reject(line.number,
                   {},
                   413,
                   {fmt::format("line {} is larger than {} bytes", line.number, longest_line)});
            co_return;
        }
        wire::DeclarationDocument document =
            wire::read_declaration_line(line.text, context_->limits());
        if (!document.key) {
            all_named_ = false;
        } else if (const auto [first, fresh] = named_.try_emplace(*document.key, line.number);
                   !fresh) {
            reject(line.number,
                   document.key,
                   409,
                   {fmt::format("service {}/{} is declared in line {} already",
                                document.key->ns,
                                document.key->name,
                                first->second)});
            co_return;
        }
        note_warnings(line.number, document);
        if (!document.declaration) {
            core::Problem problem = document.declaration.error();
            boost::algorithm::replace_first(problem.message, "not JSON: line 1, ", "not JSON: ");
            reject(line.number, document.key, document.is_json ? 422 : 400, problem);
            if (document.key) {
                bound_names(*document.key);
            }
            co_return;
        }
        const std::size_t before = context_->hub.services();
        std::ignore = co_await context_->hub.declare(std::move(*document.declaration));
        new_ += context_->hub.services() > before ? 1U : 0U;
        ++applied_;
    }

    /// After a complete body. What somebody else declared meanwhile is not missing.
    net::Awaitable<void> forget_missing() {
        if (!all_named_) {
            co_return;
        }
        for (const core::ServiceKey& key : context_->hub.declared_until(declared_before_)) {
            if (!named_.contains(key)) {
                co_await context_->hub.forget(key);
                ++forgotten_;
            }
        }
    }

    /// Of what changed, since controllers repeat their set.
    void log() const {
        const std::size_t rejected = rejected_.size() + unlisted_;
        if (new_ + forgotten_ + rejected > 0) {
            telemetry::log::info("services declared",
                                 {{"services", applied_},
                                  {"new", new_},
                                  {"forgotten", forgotten_},
                                  {"rejected", rejected}});
        }
    }

    [[nodiscard]] json::object answer() {
        json::object body{
            {"applied", applied_}, {"forgotten", forgotten_}, {"rejected", std::move(rejected_)}};
        if (unlisted_ > 0) {
            body["rejectedNotListed"] = unlisted_;
        }
        if (!warned_.empty()) {
            body["warned"] = std::move(warned_);
        }
        if (warned_unlisted_ > 0) {
            body["warnedNotListed"] = warned_unlisted_;
        }
        return body;
    }

private:
    void reject(std::size_t line,
                const std::optional<core::ServiceKey>& key,
                unsigned status,
                const core::Problem& problem) {
        rejected_bytes_ += problem.message.size();
        if (rejected_.size() >= most_rejected_listed || rejected_bytes_ > most_rejected_bytes) {
            ++unlisted_;
            return;
        }
        json::object entry{{"line", line}};
        if (key) {
            entry["namespace"] = key->ns;
            entry["name"] = key->name;
        }
        entry["error"] = error_document(status, problem);
        rejected_.push_back(std::move(entry));
    }

    void bound_names(const core::ServiceKey& refused) {
        if (context_->hub.declares(refused)) {
            return;
        }
        if (refused_names_ < most_refused_names) {
            ++refused_names_;
        } else {
            named_.erase(refused);
        }
    }

    void note_warnings(std::size_t line, const wire::DeclarationDocument& document) {
        if (document.warnings.empty()) {
            return;
        }
        if (document.key && warned_.size() < most_warned_logged) {
            log_warnings(*document.key, document.warnings);
        }
        if (warned_.size() >= most_warned_listed) {
            ++warned_unlisted_;
            return;
        }
        json::object entry{{"line", line}};
        if (document.key) {
            entry["namespace"] = document.key->ns;
            entry["name"] = document.key->name;
        }
        entry["warnings"] = warnings_document(document.warnings);
        warned_.push_back(std::move(entry));
    }

    ApiContext* context_;
    std::uint64_t declared_before_;
    std::map<core::ServiceKey, std::size_t> named_;  ///< and in which line
    std::size_t refused_names_ = 0;  ///< of them, those of nothing that was declared
    bool all_named_ = true;
    std::size_t applied_ = 0;
    /// Of them, those that were not declared before; for the log, and so without regard to what
    /// another client may declare at the same time.
    std::size_t new_ = 0;
    std::size_t forgotten_ = 0;
    json::array rejected_;
    std::size_t rejected_bytes_ = 0;
    std::size_t unlisted_ = 0;
    json::array warned_;
    std::size_t warned_unlisted_ = 0;
};

}  // namespace

net::Awaitable<net::ServerResponse> put_services(ApiContext* context, net::ServerRequest request) {
    if (context->fixed_services) {
        co_return fixed_services_answer(*context);
    }
    context->hub.lease().renew(net::read_clock().steady);
    if (auto refused = wrong_type_answer(*context, request, "application/x-ndjson")) {
        co_return std::move(*refused);
    }
    Bulk bulk(context);
    NdjsonLines lines(longest_line);
    bool more = true;
    while (more) {
        const std::optional<std::string> piece = co_await request.body->next();
        more = piece.has_value();
        if (piece) {
            lines.feed(*piece);
        } else if (request.body->complete()) {
            lines.end();
        }
        while (auto line = lines.next()) {
            co_await bulk.take(std::move(*line));
        }
    }
    if (!request.body->complete()) {
        bulk.log();
        const bool late = request.body->too_slow();
        core::Problem problem{
            fmt::format("the body {}: complete lines were applied, and nothing was forgotten",
                        late ? "did not arrive in time" : "was cut short")};
        co_return error_answer(*context, late ? 408 : 400, problem);
    }
    co_await bulk.forget_missing();
    bulk.log();
    context->hub.lease().renew(net::read_clock().steady);
    co_return json_answer(*context, 200, bulk.answer());
}

}  // namespace ome::observer
