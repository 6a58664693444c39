#include "dir_store.hpp"

#include <ome/core/deadline.hpp>

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;

// Requests that share a flush.
constexpr std::size_t most_at_once = 256;

int milliseconds_until(std::chrono::steady_clock::time_point at) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(at - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

struct DirStore::State {
    State(asio::io_context& context,
          DirStoreSettings chosen,
          std::function<core::WallTime()> reading)
        : io(context), settings(std::move(chosen)), clock(std::move(reading)) {}

    void run();
    bool wait_for_lead();
    void serve();
    void wait(std::chrono::steady_clock::time_point until);
    std::vector<StoreRequest> take_requests();
    void tell(std::vector<StoreNews> news);
    void tell(std::vector<StoreResult> results);
    void tell(std::vector<PublicationResult> results);
    void wake() const;
    [[nodiscard]] bool stopping() {
        const std::lock_guard guard(mutex);
        return stop_asked;
    }

    asio::io_context& io;
    DirStoreSettings settings;
    std::function<core::WallTime()> clock;
    std::unique_ptr<DirFolder> folder;
    /// Shared with what was posted: after stop() nothing is told any more.
    std::shared_ptr<Listener> listener;
    int wakeup = -1;
    std::thread thread;

    std::mutex mutex;
    std::vector<StoreRequest> requests;
    bool stop_asked = false;
};

core::Result<std::unique_ptr<DirStore>> DirStore::create(asio::io_context& io,
                                                         DirStoreSettings settings,
                                                         std::function<core::WallTime()> clock) {
    auto folder = DirFolder::open(settings.path);
    if (!folder) {
        return folder.error();
    }
    auto state = std::make_unique<State>(io, std::move(settings), std::move(clock));
    state->folder = *std::move(folder);
    state->wakeup = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (state->wakeup < 0) {
        return core::Problem{fmt::format("eventfd: {}", std::generic_category().message(errno)),
                             "store"};
    }
    return std::unique_ptr<DirStore>(new DirStore(std::move(state)));
}

DirStore::DirStore(std::unique_ptr<State> state) : state_(std::move(state)) {}

DirStore::~DirStore() {
    stop();
    ::close(state_->wakeup);
}

void DirStore::start(Listener listener) {
    state_->listener = std::make_shared<Listener>(std::move(listener));
    state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void DirStore::submit(std::vector<StoreRequest> requests) {
    if (requests.empty()) {
        return;
    }
    {
        const std::lock_guard guard(state_->mutex);
        std::move(requests.begin(), requests.end(), std::back_inserter(state_->requests));
    }
    state_->wake();
}

void DirStore::stop() {
    if (!state_->thread.joinable()) {
        return;
    }
    {
        const std::lock_guard guard(state_->mutex);
        state_->stop_asked = true;
    }
    state_->wake();
    state_->thread.join();
    *state_->listener = {};
}

void DirStore::State::wake() const {
    const std::uint64_t one = 1;
    std::ignore = ::write(wakeup, &one, sizeof(one));
}

void DirStore::State::tell(std::vector<StoreNews> news) {
    if (news.empty()) {
        return;
    }
    asio::post(io, [to = listener, news = std::move(news)]() mutable {
        if (to->news) {
            to->news(std::move(news));
        }
    });
}

void DirStore::State::tell(std::vector<StoreResult> results) {
    if (results.empty()) {
        return;
    }
    asio::post(io, [to = listener, results = std::move(results)]() mutable {
        if (to->results) {
            to->results(std::move(results));
        }
    });
}

void DirStore::State::tell(std::vector<PublicationResult> results) {
    if (results.empty()) {
        return;
    }
    asio::post(io, [to = listener, results = std::move(results)]() mutable {
        if (to->published) {
            to->published(std::move(results));
        }
    });
}

std::vector<StoreRequest> DirStore::State::take_requests() {
    const std::lock_guard guard(mutex);
    const std::size_t count = std::min(requests.size(), most_at_once);
    const auto end = requests.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<StoreRequest> some(std::make_move_iterator(requests.begin()),
                                   std::make_move_iterator(end));
    requests.erase(requests.begin(), end);
    return some;
}

void DirStore::State::wait(std::chrono::steady_clock::time_point until) {
    std::array<pollfd, 2> watched{pollfd{wakeup, POLLIN, 0},
                                  pollfd{folder->watch_descriptor(), POLLIN, 0}};
    std::ignore = ::poll(watched.data(), watched.size(), milliseconds_until(until));
    std::uint64_t count = 0;
    std::ignore = ::read(wakeup, &count, sizeof(count));
}

bool DirStore::State::wait_for_lead() {
    bool told = false;
    while (!stopping()) {
        if (folder->try_lead()) {
            return true;
        }
        if (!std::exchange(told, true)) {
            asio::post(io, [to = listener] {
                if (to->leading) {
                    to->leading(false);
                }
            });
        }
        wait(core::later(std::chrono::steady_clock::now(), settings.lock_interval));
    }
    return false;
}

void DirStore::State::serve() {
    auto look_again = core::later(std::chrono::steady_clock::now(), settings.resync_interval);
    for (;;) {
        const bool last = stopping();
        std::vector<StoreRequest> some = take_requests();
        if (!some.empty()) {
            DirFolder::Applied applied = folder->apply(some, clock());
            tell(std::move(applied.news));
            tell(std::move(applied.results));
            tell(std::move(applied.published));
        } else if (last) {
            return;
        } else {
            wait(look_again);
        }
        const bool all = std::chrono::steady_clock::now() >= look_again;
        if (all) {
            look_again = core::later(std::chrono::steady_clock::now(), settings.resync_interval);
        }
        tell(folder->look(all, clock()));
    }
}

void DirStore::State::run() {
    if (!wait_for_lead()) {
        return;
    }
    asio::post(io, [to = listener] {
        if (to->leading) {
            to->leading(true);
        }
    });
    tell(folder->list(clock()));
    serve();
}

}  // namespace ome::controller
