#include "store_teller.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace ome::controller {

namespace asio = net::asio;

StoreTeller::StoreTeller(asio::io_context& own, asio::io_context& user) : own_(own), user_(user) {}

void StoreTeller::start(Store::Listener listener) {
    told_->listener = std::move(listener);
}

void StoreTeller::stop() {
    told_->listener = {};
}

void StoreTeller::tell(StoreNews one) {
    news_.push_back(std::move(one));
    if (!std::exchange(flushing_, true)) {
        asio::post(own_, [this] { flush(); });
    }
}

void StoreTeller::flush() {
    flushing_ = false;
    if (news_.empty()) {
        return;
    }
    asio::post(user_, [whom = told_, all = std::exchange(news_, {})]() mutable {
        if (whom->listener.news) {
            whom->listener.news(std::move(all));
        }
    });
}

void StoreTeller::tell(StoreResult result) {
    asio::post(user_, [whom = told_, result = std::move(result)]() mutable {
        if (whom->listener.results) {
            whom->listener.results({std::move(result)});
        }
    });
}

void StoreTeller::tell(PublicationResult result) {
    asio::post(user_, [whom = told_, result = std::move(result)]() mutable {
        if (whom->listener.published) {
            whom->listener.published({std::move(result)});
        }
    });
}

void StoreTeller::tell(StoreState now) {
    if (now == shown_) {
        return;
    }
    shown_ = now;
    asio::post(user_, [whom = told_, now = std::move(now)]() mutable {
        if (whom->listener.state) {
            whom->listener.state(std::move(now));
        }
    });
}

void StoreTeller::tell_lead(bool leading, std::uint64_t number) {
    if (!leading) {
        news_.clear();
    }
    asio::post(user_, [whom = told_, leading, number] {
        whom->lead = number;
        if (whom->listener.leading) {
            whom->listener.leading(leading);
        }
    });
}

}  // namespace ome::controller
