// What a store on a thread of its own has to say, passed on to the thread of its user: as values,
// in the order in which they are told here.
//
// Two threads use it. What each member is for says which one calls it: the store's own, or the
// user's. Both io_contexts are there as long as something is told.
#pragma once

#include "store.hpp"
#include <ome/net/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace ome::controller {

class StoreTeller {
public:
    /// `own`: of the store's own thread; `user`: of the thread that hears.
    StoreTeller(net::asio::io_context& own, net::asio::io_context& user);
    StoreTeller(const StoreTeller&) = delete;
    StoreTeller& operator=(const StoreTeller&) = delete;

    // On the user's thread.

    /// Before anything is told.
    void start(Store::Listener listener);
    /// The number of the lead that the user knows of; 0: of none yet.
    [[nodiscard]] std::uint64_t lead() const { return told_->lead; }
    /// From now on nothing is told, what is under way included. No more may come from the store's
    /// own thread.
    void stop();

    // On the store's own thread.

    /// What comes in one turn of its io_context is told together.
    void tell(StoreNews one);
    void tell(StoreResult result);
    void tell(PublicationResult result);
    /// Where it is not the one that was told last.
    void tell(StoreState now);
    /// Whether this process leads, of lead `number`; 0: there was none yet. When a lead has ended,
    /// news that were not passed on yet are dropped.
    void tell_lead(bool leading, std::uint64_t number);

private:
    // Its content is of the user's thread; shared with what was posted there, which may run when
    // the store is gone.
    struct Told {
        Store::Listener listener;
        std::uint64_t lead = 0;
    };
    void flush();

    net::asio::io_context& own_;
    net::asio::io_context& user_;
    const std::shared_ptr<Told> told_ = std::make_shared<Told>();
    // Of the store's own thread.
    std::vector<StoreNews> news_;
    bool flushing_ = false;
    StoreState shown_;
};

}  // namespace ome::controller
