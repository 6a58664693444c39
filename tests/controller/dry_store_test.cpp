#include "dry_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace ome::controller {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class RecordingStore final : public Store {
public:
    explicit RecordingStore(Listener& to, std::size_t& submitted)
        : to_(to), submitted_(submitted) {}
    void start(Listener listener) override { to_ = std::move(listener); }
    void submit(std::vector<StoreRequest> requests) override { submitted_ += requests.size(); }
    void stop() override { to_ = {}; }

private:
    Listener& to_;
    std::size_t& submitted_;
};

template <typename Request>
Request about_chat() {
    Request request;
    request.key = {"demo", "chat"};
    return request;
}

MapFinalizerWrite finalizer_write() {
    MapFinalizerWrite request;
    request.source = {"demo", "chat"};
    return request;
}

class DryStoreTest : public testing::Test {
protected:
    DryStoreTest() : store(io, std::make_unique<RecordingStore>(inner, submitted)) {
        Store::Listener listener;
        listener.news = [this](std::vector<StoreNews> all) { news += all.size(); };
        listener.results = [this](std::vector<StoreResult> all) {
            std::ranges::move(all, std::back_inserter(results));
        };
        listener.published = [this](std::vector<PublicationResult> all) {
            std::ranges::move(all, std::back_inserter(published));
        };
        listener.leading = [this](bool now) { leading = now; };
        store.start(std::move(listener));
    }

    void run() {
        io.restart();
        io.poll();
    }

    net::asio::io_context io{1};
    Store::Listener inner;
    std::size_t submitted = 0;
    DryStore store;
    std::size_t news = 0;
    std::vector<StoreResult> results;
    std::vector<PublicationResult> published;
    bool leading = false;
};

TEST_F(DryStoreTest, PassesOnWhatIsTold) {
    inner.leading(true);
    inner.news({news::MapGone{{"demo", "chat"}}, news::Listed{}});
    EXPECT_TRUE(leading);
    EXPECT_EQ(news, 2U);
}

TEST_F(DryStoreTest, NothingReachesTheStore) {
    auto map = std::make_shared<routing::TrafficMap>();
    map->meta.key = {"demo", "chat"};
    map->meta.uid = "uid";
    inner.news({news::MapIs{map}});
    store.submit({MapDelete{{"demo", "chat"}, {"uid", "1"}},
                  about_chat<EventRecord>(),
                  finalizer_write(),
                  about_chat<DrainLapse>()});
    EXPECT_THAT(results, IsEmpty());  // never from within the call
    run();
    EXPECT_EQ(submitted, 0U);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].outcome, StoreResult::Outcome::Done);
    EXPECT_EQ(results[0].map, nullptr);
    ASSERT_THAT(published, SizeIs(1));
    EXPECT_EQ(published[0].outcome, StoreResult::Outcome::Failed);
    EXPECT_EQ(published[0].problem.message, "a dry run publishes nothing");
    ASSERT_THAT(store.dry_run().rows(), SizeIs(1));
    EXPECT_EQ(store.dry_run().rows()[0].state, DryRun::State::Surplus);
}

TEST_F(DryStoreTest, TellsNothingAfterItsEnd) {
    store.submit({MapDelete{{"demo", "chat"}, {"uid", "1"}}});
    store.stop();
    run();
    EXPECT_THAT(results, IsEmpty());
}

}  // namespace
}  // namespace ome::controller
