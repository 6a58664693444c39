#include "resolver.hpp"

#include "error_text.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>

namespace ome::net {
namespace {

using namespace std::chrono_literals;

constexpr core::Duration resolv_conf_interval = 1s;
constexpr std::size_t most_entries = 16384;
constexpr std::size_t most_lookups = 2048;
constexpr const char* system_resolv_conf = "/etc/resolv.conf";

core::SteadyTime now() {
    return std::chrono::steady_clock::now();
}

}  // namespace

Resolver::Resolver(asio::io_context& io, DnsSettings settings, std::shared_ptr<DnsChannel> channel)
    : io_(io),
      settings_(std::move(settings)),
      channel_(std::move(channel)),
      resolv_conf_(resolv_conf_state()),
      resolv_conf_checked_(now()),
      alive_(std::make_shared<bool>(true)) {}

Resolver::~Resolver() {
    stop();
}

core::Result<std::unique_ptr<Resolver>> Resolver::create(asio::io_context& io,
                                                         DnsSettings settings) {
    if (auto problem = check(settings)) {
        return *std::move(problem);
    }
    core::Result<std::shared_ptr<DnsChannel>> channel = DnsChannel::create(io, settings);
    if (!channel) {
        return channel.error();
    }
    // Not make_unique: the constructor is private.
    return std::unique_ptr<Resolver>(new Resolver(io, std::move(settings), *std::move(channel)));
}

Awaitable<Resolved> Resolver::resolve(std::string host, Families wanted, Operation& operation) {
    Resolved resolved;
    for (const std::string& name : candidates(host)) {
        Resolved found = co_await resolve_exactly(name, wanted, operation);
        const bool go_on = found.addresses.empty() && found.no_such_name;
        if (!go_on || resolved.problem.empty()) {
            resolved = std::move(found);
        }
        if (!go_on) {
            entry_for(host)->found_as = name;
            break;
        }
    }
    if (!resolved.problem.empty()) {
        resolved.problem = fmt::format("lookup {}: {}", printable(host), resolved.problem);
    }
    co_return resolved;
}

// What worked the last time comes alone while it is good, so that a name from the search list does
// not cost a failing lookup at each attempt.
std::vector<std::string> Resolver::candidates(const std::string& host) {
    if (stopped_) {
        return {};
    }
    const LookupPtr entry = entry_for(host);
    if (!entry->found_as.empty() && entry_for(entry->found_as)->good(now())) {
        return {entry->found_as};
    }
    std::vector<std::string> names;
    if (!host.ends_with('.')) {
        for (const std::string& domain : channel_->search_list()) {
            names.push_back(host + '.' + domain);
        }
    }
    const bool first = host.find('.') != std::string::npos;
    names.insert(first ? names.begin() : names.end(), host);
    return names;
}

Awaitable<Resolved> Resolver::resolve_exactly(std::string name,
                                              Families wanted,
                                              Operation& operation) {
    if (stopped_) {
        co_return Resolved();
    }
    const LookupPtr entry = entry_for(name);
    refresh(entry, now());
    const JoinedLookup joined(*entry);
    Timer timer(io_);
    for (;;) {
        const core::SteadyTime patience = joined.patience(wanted);
        if (joined.complete() || now() >= patience) {
            break;
        }
        if (operation.over() || stopped_) {
            co_return Resolved();
        }
        timer.expires_at(patience);
        const WakeAtAnswer waiting(*entry, timer);
        const CancelOnEnd hook(operation, timer);
        std::ignore = co_await timer.async_wait(as_result);
    }
    co_return stopped_ ? Resolved() : joined.result();
}

void Resolver::stop() {
    if (stopped_) {
        return;
    }
    stopped_ = true;
    alive_.reset();
    for (const auto& [entry, v6] : queued_) {
        entry->wake();
    }
    queued_.clear();
    channel_.reset();  // answers what is pending, which wakes whoever waits for it
    retired_.clear();
}

Resolver::LookupPtr Resolver::entry_for(const std::string& host) {
    follow_resolv_conf(now());
    if (const auto known = entries_.find(host); known != entries_.end()) {
        recent_.splice(recent_.begin(), recent_, known->second);
        return recent_.front();
    }
    if (recent_.size() >= most_entries) {
        entries_.erase(recent_.back()->name);
        recent_.pop_back();
    }
    recent_.push_front(std::make_shared<Lookup>(host));
    entries_.emplace(recent_.front()->name, recent_.begin());
    return recent_.front();
}

void Resolver::refresh(const LookupPtr& entry, core::SteadyTime at) {
    for (const bool v6 : {true, false}) {
        const FamilyLookup& family = entry->families[v6];
        if (!family.pending() && at >= family.expires) {
            start(entry, v6);
        }
    }
}

void Resolver::start(const LookupPtr& entry, bool v6) {
    ++entry->families[v6].started;
    queued_.emplace_back(entry, v6);
    start_queued();
}

void Resolver::start_queued() {
    while (!stopped_ && !queued_.empty() && channel_->pending() < most_lookups) {
        const auto [entry, v6] = std::move(queued_.front());
        queued_.pop_front();
        ++lookups_;
        // The next one starts in a step of its own: c-ares is still at work in here.
        channel_->query(
            entry->name,
            v6 ? AF_INET6 : AF_INET,
            [this, entry = entry, v6 = v6, alive = std::weak_ptr(alive_)](DnsAnswer answer) {
                entry->finish(v6, std::move(answer), now());
                if (!alive.expired() && !queued_.empty()) {
                    asio::post(io_, [this, alive] {
                        if (!alive.expired()) {
                            start_queued();
                        }
                    });
                }
            });
    }
}

void Resolver::follow_resolv_conf(core::SteadyTime at) {
    if (!settings_.servers.empty() || at - resolv_conf_checked_ < resolv_conf_interval) {
        return;
    }
    resolv_conf_checked_ = at;
    std::erase_if(retired_, [](const auto& channel) { return channel->pending() == 0; });
    const FileState state = resolv_conf_state();
    if (state == resolv_conf_) {
        return;
    }
    core::Result<std::shared_ptr<DnsChannel>> channel = DnsChannel::create(io_, settings_);
    if (!channel) {
        return;  // the old one stays, and the next second sees the difference again
    }
    resolv_conf_ = state;
    ++rebuilds_;
    retired_.push_back(std::exchange(channel_, *std::move(channel)));
    entries_.clear();
    recent_.clear();
}

Resolver::FileState Resolver::resolv_conf_state() const {
    struct stat file {};
    const char* path =
        settings_.resolv_conf.empty() ? system_resolv_conf : settings_.resolv_conf.c_str();
    if (stat(path, &file) != 0) {
        return {};
    }
    const auto seconds = std::chrono::seconds(file.st_mtim.tv_sec);
    const auto modified = seconds + std::chrono::nanoseconds(file.st_mtim.tv_nsec);
    return {std::chrono::nanoseconds(modified).count(), file.st_ino, file.st_size};
}

}  // namespace ome::net
