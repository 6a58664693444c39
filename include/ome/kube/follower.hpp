// All objects of a type, told as they are and as they change, for as long as it runs: a list in
// pages, then a watch with bookmarks, and a list again when the server has forgotten where we were.
// What it does next is decided in follow_plan.hpp.
//
// Every object is parsed alone and handed over; whoever takes it keeps what it needs. So memory
// holds one whole object at a time.
#pragma once

#include <ome/kube/client.hpp>
#include <ome/kube/follow_plan.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ome::kube {

struct FollowTarget {
    std::string collection;  ///< collection_path()
    std::string label_selector = {};
    std::string field_selector = {};
};

struct FollowSettings {
    std::size_t page = 500;  ///< objects
    /// A watch that says nothing for so long may be dead: a server sends bookmarks about every
    /// minute.
    core::Duration patience = std::chrono::seconds(75);
    BackoffSettings backoff = {};
};

/// All are called on the client's io_context and must not destroy the follower. Objects are whole
/// and valid during the call.
struct FollowListener {
    /// A list begins, maybe in the middle of another, which is then no more.
    std::function<void()> list_begins;
    std::function<void(const boost::json::value& object)> listed;
    /// What was not listed since list_begins() is not there any more.
    std::function<void()> list_ends;
    /// Of Added, Modified and Deleted.
    std::function<void(wire::WatchEventType type, const boost::json::value& object)> changed;
    /// It goes on after a pause; told each time.
    std::function<void(const Failure& failure, core::Duration pause)> troubled;
    /// A watch said nothing for so long that everything is listed again; no trouble unless that
    /// fails. Need not be there.
    std::function<void()> silent = {};
};

struct FollowStatus {
    bool watching = false;  ///< a watch is open: what is told is the present
    std::string problem;    ///< the last one; empty since a watch is open
    std::uint64_t lists = 0;
    std::uint64_t watches = 0;
    std::uint64_t events = 0;
    std::uint64_t bookmarks = 0;
};

class Follower {
public:
    Follower(net::asio::io_context& io,
             Client& client,
             FollowTarget target,
             FollowListener listener,
             FollowSettings settings = {});
    ~Follower();  ///< must have been stopped
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    void start();
    net::Awaitable<void> stop();
    [[nodiscard]] const FollowStatus& status() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::kube
