#include "timer.hpp"
#include <ome/kube/follower.hpp>
#include <ome/kube/page_limit.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/task_scope.hpp>

#include <fmt/format.h>

#include <optional>
#include <random>
#include <utility>

namespace ome::kube {

using Trouble = std::optional<Failure>;

struct Follower::State {
    State(net::asio::io_context& context,
          Client& asked,
          FollowTarget what,
          FollowListener whom,
          FollowSettings chosen)
        : io(context),
          client(asked),
          target(std::move(what)),
          listener(std::move(whom)),
          settings(chosen),
          plan(chosen.backoff),
          tasks(context) {}

    net::Awaitable<void> run();
    net::Awaitable<void> list();
    net::Awaitable<Trouble> list_pages(std::string& resource_version);
    net::Awaitable<void> watch(std::string from);
    net::Awaitable<Trouble> read_events(Watch& stream);
    void take(const wire::WatchEvent& event);
    void fail(const Failure& failure);
    [[nodiscard]] std::string query(const std::string& more) const;
    [[nodiscard]] double draw() { return std::uniform_real_distribution<double>(0.0, 1.0)(random); }

    net::asio::io_context& io;
    Client& client;
    FollowTarget target;
    FollowListener listener;
    FollowSettings settings;
    FollowPlan plan;
    FollowStatus status;
    bool stopping = false;
    std::mt19937_64 random{std::random_device{}()};
    net::TaskScope tasks;
};

std::string Follower::State::query(const std::string& more) const {
    std::string text = target.collection + "?" + more;
    if (!target.label_selector.empty()) {
        text += "&labelSelector=" + url_escaped(target.label_selector);
    }
    if (!target.field_selector.empty()) {
        text += "&fieldSelector=" + url_escaped(target.field_selector);
    }
    return text;
}

void Follower::State::fail(const Failure& failure) {
    if (stopping) {
        return;
    }
    status.watching = false;
    status.problem = failure.message;
    plan.failed(failure, draw());
    listener.troubled(failure, plan.next().pause);
}

// An item that is not JSON spoils the list: it may be anything.
net::Awaitable<Trouble> Follower::State::list_pages(std::string& resource_version) {
    std::string more;
    PageLimit limit;
    do {
        Trouble unreadable;
        std::size_t items = 0;
        const auto take = [&](std::string_view item) {
            ++items;
            const auto object = wire::read_api_document(item);
            if (object) {
                listener.listed(*object);
            } else if (!unreadable) {
                unreadable = Failure{Failure::Kind::Unreadable,
                                     target.collection + ": " + object.error().message};
            }
        };
        std::string page = query(fmt::format("limit={}", settings.page));
        page += more.empty() ? "" : "&continue=" + url_escaped(more);
        auto end = co_await client.list_page(std::move(page), take);
        if (!end) {
            co_return end.error();
        }
        if (unreadable) {
            co_return unreadable;
        }
        // Of the first page: a watch from there misses nothing of the later ones.
        if (resource_version.empty()) {
            resource_version = end->resource_version;
        }
        more = std::move(end->more);
        const auto too_many = more.empty() ? std::nullopt : limit.exceeded(items);
        if (too_many) {
            co_return Failure{Failure::Kind::Unreadable, target.collection + ": " + *too_many};
        }
    } while (!more.empty() && !stopping);
    co_return std::nullopt;
}

net::Awaitable<void> Follower::State::list() {
    ++status.lists;
    listener.list_begins();
    std::string resource_version;
    const Trouble trouble = co_await list_pages(resource_version);
    if (stopping) {
        co_return;
    }
    if (trouble) {
        fail(*trouble);
        co_return;
    }
    if (resource_version.empty()) {
        fail({Failure::Kind::Unreadable,
              target.collection + ": the list has no metadata.resourceVersion"});
        co_return;
    }
    plan.listed(std::move(resource_version));
    listener.list_ends();
}

void Follower::State::take(const wire::WatchEvent& event) {
    plan.heard(wire::identity_of(event.object).resource_version);
    if (event.type == wire::WatchEventType::Bookmark) {
        ++status.bookmarks;
        return;
    }
    ++status.events;
    listener.changed(event.type, event.object);
}

net::Awaitable<Trouble> Follower::State::read_events(Watch& stream) {
    while (!stopping) {
        auto event = co_await stream.next(settings.patience);
        if (!event) {
            co_return event.error();
        }
        if (!*event) {
            co_return std::nullopt;
        }
        if (!stopping) {
            take(**event);
        }
    }
    co_return std::nullopt;
}

net::Awaitable<void> Follower::State::watch(std::string from) {
    ++status.watches;
    const auto length = std::chrono::duration_cast<std::chrono::seconds>(watch_length(draw()));
    const core::SteadyTime begun = net::read_clock().steady;
    auto stream = co_await client.watch(query(
        fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                    length.count(),
                    url_escaped(from))));
    if (!stream) {
        fail(stream.error());
        co_return;
    }
    status.watching = true;
    status.problem.clear();
    const Trouble trouble = co_await read_events(**stream);
    if (trouble && trouble->kind == Failure::Kind::Silent) {
        status.watching = false;
        plan.silent();
        if (listener.silent && !stopping) {
            listener.silent();
        }
    } else if (trouble) {
        fail(*trouble);
    } else {
        plan.ended(net::read_clock().steady - begun, draw());
    }
}

net::Awaitable<void> Follower::State::run() {
    co_await net::asio::this_coro::throw_if_cancelled(false);
    while (!stopping) {
        FollowPlan::Step step = plan.next();
        if (step.pause > core::Duration::zero()) {
            status.watching = false;
            co_await pause(io, step.pause);
        }
        if (stopping) {
            break;
        }
        if (step.list()) {
            co_await list();
        } else {
            co_await watch(std::move(step.watch_from));
        }
    }
    status.watching = false;
}

Follower::Follower(net::asio::io_context& io,
                   Client& client,
                   FollowTarget target,
                   FollowListener listener,
                   FollowSettings settings)
    : state_(
          std::make_unique<State>(io, client, std::move(target), std::move(listener), settings)) {}

Follower::~Follower() = default;

void Follower::start() {
    state_->tasks.spawn(state_->run());
}

net::Awaitable<void> Follower::stop() {
    state_->stopping = true;
    co_await state_->tasks.stop();
}

const FollowStatus& Follower::status() const {
    return state_->status;
}

}  // namespace ome::kube
