#include "dry_store.hpp"

#include "refused_requests.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace ome::controller {
DryStore::DryStore(net::asio::io_context& io, std::unique_ptr<Store> store)
    : io_(io), store_(std::move(store)), listener_(std::make_shared<Listener>()) {}

DryStore::~DryStore() = default;

void DryStore::start(Listener listener) {
    *listener_ = std::move(listener);
    Listener inner;
    inner.leading = listener_->leading;
    inner.state = listener_->state;
    inner.news = [this](std::vector<StoreNews> all) {
        for (const StoreNews& one : all) {
            dry_run_.hear(one);
        }
        if (listener_->news) {
            listener_->news(std::move(all));
        }
    };
    store_->start(std::move(inner));
}

void DryStore::submit(std::vector<StoreRequest> requests) {
    std::vector<StoreResult> results;
    std::vector<PublicationResult> published;
    for (const StoreRequest& request : requests) {
        if (const auto* write = std::get_if<MapWrite>(&request)) {
            results.push_back(dry_run_.take(*write));
        } else if (const auto* remove = std::get_if<MapDelete>(&request)) {
            results.push_back(dry_run_.take(*remove));
        } else if (auto refused = refused_publication(request, {"a dry run publishes nothing"})) {
            published.push_back(*std::move(refused));
        }
    }
    net::asio::post(
        io_,
        [to = listener_, results = std::move(results), published = std::move(published)]() mutable {
            if (to->results && !results.empty()) {
                to->results(std::move(results));
            }
            if (to->published && !published.empty()) {
                to->published(std::move(published));
            }
        });
}

void DryStore::stop() {
    store_->stop();
    *listener_ = {};
}

}  // namespace ome::controller
