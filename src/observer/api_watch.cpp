// GET of a watch: what changes, as it changes. A watch is no more than a place in the feed of
// changes: what it has not told yet stands there once a home, so a slow reader costs no memory and
// gets the newest reading when it comes to it.
#include "api.hpp"
#include <ome/core/deadline.hpp>
#include <ome/net/clock.hpp>
#include <ome/wire/watch_line.hpp>

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ome::observer {
namespace {

using namespace std::chrono_literals;

// Homes told in one piece: bounds memory, and what one message asks of a reactor.
constexpr std::size_t items_in_a_piece = 32;

// "At least every second", with room for a busy machine.
constexpr core::Duration bookmark_interval = 500ms;

// Changes that come this soon after a piece go together into the next one.
constexpr core::Duration gathering_time = 10ms;

constexpr std::int64_t longest_timeout = 86400;
constexpr std::size_t longest_holder = 128;

struct WatchQuery {
    std::string instance;  ///< empty: from the start
    std::uint64_t revision = 0;
    std::string holder;
    core::Duration timeout = core::Duration::max();
};

template <typename Number>
bool parse_whole(std::string_view text, Number& out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
}

bool parse_since(std::string_view text, WatchQuery& query) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos || colon == 0) {
        return false;
    }
    query.instance = text.substr(0, colon);
    return parse_whole(text.substr(colon + 1), query.revision);
}

bool parse_timeout(std::string_view text, WatchQuery& query) {
    std::int64_t seconds = 0;
    const bool valid = parse_whole(text, seconds) && seconds >= 1 && seconds <= longest_timeout;
    query.timeout = std::chrono::seconds(seconds);
    return valid;
}

bool parse_holder(std::string_view text, WatchQuery& query) {
    query.holder = text;
    return !text.empty() && text.size() <= longest_holder &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

core::Result<WatchQuery> parse_watch_query(const std::map<std::string, std::string>& given) {
    struct Rule {
        std::string_view name;
        bool (*parse)(std::string_view, WatchQuery&);
        std::string_view rule;
    };
    static constexpr Rule rules[] = {
        {"since", parse_since, "must be INSTANCE:REVISION as a list or a watch gave them"},
        {"timeoutSeconds", parse_timeout, "must be a whole number from 1 to 86400"},
        {"holder", parse_holder, "must have 1 to 128 printable ASCII characters"},
    };
    WatchQuery query;
    for (const Rule& rule : rules) {
        const auto text = given.find(std::string(rule.name));
        if (text != given.end() && !rule.parse(text->second, query)) {
            return bad_parameter(rule.name, text->second, rule.rule);
        }
    }
    return query;
}

/// Keeps the declarations alive while it lives.
class Holding {
public:
    Holding(core::DeclarationLease& lease, bool held) : lease_(held ? &lease : nullptr) {
        if (lease_ != nullptr) {
            lease_->hold(net::read_clock().steady);
        }
    }
    ~Holding() {
        if (lease_ != nullptr) {
            lease_->release(net::read_clock().steady);
        }
    }
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

private:
    core::DeclarationLease* lease_;
};

class WatchStream final : public net::ResponseBody {
public:
    WatchStream(ApiContext* context, const WatchQuery& query, const net::Executor& executor)
        : hub_(context->hub),
          seat_(hub_.watches(), executor),
          holding_(hub_.lease(), !query.holder.empty()),
          instance_(hub_.instance()) {
        const core::SteadyTime now = net::read_clock().steady;
        bookmark_at_ = core::later(now, bookmark_interval);
        end_at_ = core::later(now, query.timeout);
        if (query.instance.empty()) {
            listed_until_ = hub_.revision();
        } else {
            told_ = query.revision;
            gone_ = query.instance != instance_ || !hub_.feed().reaches(told_);
        }
    }

    net::Awaitable<std::optional<std::string>> next() override {
        while (!ended_) {
            std::string piece = co_await read_news();
            finish_piece(piece);
            if (!piece.empty()) {
                co_return piece;
            }
            const core::SteadyTime at = std::min(bookmark_at_, end_at_);
            const bool soon = net::read_clock().steady < gather_until_;
            if (!soon && behind()) {
                continue;
            }
            co_await seat_.rest_until(soon ? std::min(at, gather_until_) : at, !soon);
        }
        co_return std::nullopt;
    }

private:
    [[nodiscard]] bool gone() const {
        return gone_ || hub_.instance() != instance_ ||
               !hub_.feed().reaches(std::max(told_, listed_until_));
    }

    [[nodiscard]] bool behind() const { return !hub_.feed().after(told_, 1).empty(); }

    net::Awaitable<std::string> read_news() {
        std::string text;
        if (gone() || seat_.board().closed() || net::read_clock().steady < gather_until_) {
            co_return text;
        }
        const std::vector<core::FeedItem> items = hub_.feed().after(told_, items_in_a_piece);
        if (items.empty()) {
            co_return text;
        }
        const std::vector<Group> groups = grouped(items);
        std::vector<HomeSelection> wanted;
        for (const Group& group : groups) {
            if (!group.forgotten) {
                wanted.push_back({group.service, group.clusters});
            }
        }
        const auto readings = co_await hub_.read_homes(std::move(wanted));
        auto reading = readings.begin();
        for (const Group& group : groups) {
            append_group(text, group, group.forgotten ? nullptr : &*reading++);
        }
        told_ = items.back().revision;
        if (items.size() < items_in_a_piece) {
            gather_until_ = core::later(net::read_clock().steady, gathering_time);
        }
        co_return text;
    }

    /// Neighbours in the feed that make one line.
    struct Group {
        core::ServiceKey service;
        bool forgotten = false;
        bool whole = false;  ///< the service itself is among it
        std::vector<std::string> clusters;
        std::uint64_t revision = 0;
    };

    static std::vector<Group> grouped(const std::vector<core::FeedItem>& items) {
        std::vector<Group> groups;
        for (const core::FeedItem& item : items) {
            const bool alone = item.forgotten && item.cluster.empty();
            if (groups.empty() || alone || groups.back().service != item.service ||
                groups.back().forgotten != item.forgotten ||
                (groups.back().forgotten && groups.back().whole)) {
                groups.push_back({item.service, item.forgotten, false, {}, 0});
            }
            Group& group = groups.back();
            group.revision = item.revision;
            if (item.cluster.empty()) {
                group.whole = true;
            } else {
                group.clusters.push_back(item.cluster);
            }
        }
        return groups;
    }

    // Homes that are gone by now have their own line further on. A reader that began with a list
    // has never heard of what was forgotten before.
    void append_group(std::string& out,
                      const Group& group,
                      const std::optional<core::ServiceReading>* reading) const {
        const wire::WatchPlace place{instance_, group.revision};
        if (group.forgotten) {
            if (group.revision > listed_until_) {
                wire::append_forgotten_line(out, place, group.service, group.clusters);
            }
        } else if (*reading && (group.whole || !(*reading)->homes.empty())) {
            wire::append_reading_line(out, place, **reading);
        }
    }

    // A bookmark when it is time for one, or the last line.
    void finish_piece(std::string& piece) {
        const core::SteadyTime now = net::read_clock().steady;
        if (gone()) {
            piece.clear();
            wire::append_gone_line(piece, hub_.instance());
            ended_ = true;
            return;
        }
        ended_ = seat_.board().closed() || now >= end_at_;
        if (ended_ || now >= bookmark_at_) {
            wire::append_bookmark_line(piece, {instance_, behind() ? told_ : hub_.revision()});
            bookmark_at_ = core::later(now, bookmark_interval);
        }
    }

    Hub& hub_;
    WatchSeat seat_;
    Holding holding_;
    std::string instance_;
    std::uint64_t told_ = 0;          ///< everything up to here
    std::uint64_t listed_until_ = 0;  ///< began with what there was then
    bool gone_ = false;
    bool ended_ = false;
    core::SteadyTime bookmark_at_;
    core::SteadyTime gather_until_;
    core::SteadyTime end_at_;
};

}  // namespace

net::Awaitable<net::ServerResponse> get_watch(ApiContext* context, net::ServerRequest request) {
    const core::Result<WatchQuery> query = parse_watch_query(request.query);
    if (!query) {
        co_return error_answer(*context, 400, query.error());
    }
    const WatchBoard& board = context->hub.watches();
    if (board.full()) {
        core::Problem problem{
            fmt::format("{} watches are open, the most there may be "
                        "(--api-max-watches)",
                        board.size())};
        net::ServerResponse refused = error_answer(*context, 503, problem);
        refused.headers.emplace_back("Retry-After", "1");
        co_return refused;
    }
    net::ServerResponse response;
    response.content_type = "application/x-ndjson";
    response.headers.emplace_back("Ome-Observer-Instance", context->hub.instance());
    response.body = std::shared_ptr<net::ResponseBody>(
        std::make_shared<WatchStream>(context, *query, co_await net::asio::this_coro::executor));
    co_return response;
}

}  // namespace ome::observer
