#include "dry_run.hpp"

#include "reconciler_fixture.hpp"

#include <gmock/gmock.h>

namespace ome::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The reconciler over a dry run: what it writes goes there, and nothing else is told.
class DryRunTest : public test::ReconcilerTest {
protected:
    void SetUp() override {
        settings.probe = {};
        settings.capacity = {};
        begin();
    }

    void tell(const StoreNews& one) {
        dry.hear(one);
        reconciler().hear(one, clock.now());
    }

    void tell_service(int ready_b = 2) {
        routing::InferenceService service = test::routed_service();
        service.status->candidates[1].ready_replicas = ready_b;
        tell(news::ServiceIs{std::make_shared<const routing::InferenceService>(service)});
    }

    /// What another controller would have written for the service.
    [[nodiscard]] std::shared_ptr<const routing::TrafficMap> map_of_another(int weight_b = 1) {
        test::ReconcilerTest::put(test::routed_service());
        test::ReconcilerTest::settle();
        routing::TrafficMap map = *maps.at({"demo", "chat"});
        map.spec.entries[1].weight = weight_b;
        maps.clear();
        services.clear();
        restart();
        return std::make_shared<const routing::TrafficMap>(std::move(map));
    }

    void settle() {
        for (int round = 0; round < 20; ++round) {
            const Work work = reconciler().work(clock.now(), 100);
            if (work.store.empty()) {
                return;
            }
            for (const StoreRequest& request : work.store) {
                if (const auto* write = std::get_if<MapWrite>(&request)) {
                    reconciler().hear(dry.take(*write), clock.now());
                } else if (const auto* remove = std::get_if<MapDelete>(&request)) {
                    reconciler().hear(dry.take(*remove), clock.now());
                }
            }
        }
        FAIL() << "a dry run does not come to rest";
    }

    [[nodiscard]] std::vector<std::string> rows() const {
        std::vector<std::string> all;
        for (const DryRun::Row& row : dry.rows()) {
            std::string text = row.key.name + " " + std::string(to_string(row.state));
            for (const routing::Mismatch& mismatch : row.mismatches) {
                text += " " + mismatch.field + "=" + mismatch.live + "/" + mismatch.wanted;
            }
            all.push_back(std::move(text));
        }
        return all;
    }

    DryRun dry;
};

TEST_F(DryRunTest, AMapThatIsMissing) {
    tell_service();
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat missing"));
    tell(news::ServiceGone{{"demo", "chat"}});
    settle();
    EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(DryRunTest, AMapThatIsEqual) {
    const auto live = map_of_another();
    tell(news::MapIs{live});
    tell_service();
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat equal"));
}

TEST_F(DryRunTest, AMapThatDiffersUntilTheOtherWritesTheSame) {
    const auto live = map_of_another(7);
    tell(news::MapIs{live});
    tell_service();
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat different spec.entries[worker-b].weight=7/1"));
    // Told again as it is: it differs still.
    tell(news::MapIs{live});
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat different spec.entries[worker-b].weight=7/1"));
    auto mended = std::make_shared<routing::TrafficMap>(*live);
    mended->spec.entries[1].weight = 1;
    tell(news::MapIs{mended});
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat equal"));
}

TEST_F(DryRunTest, AServiceThatComesToWhatTheMapSays) {
    tell(news::MapIs{map_of_another()});
    tell_service(0);
    settle();
    ASSERT_THAT(rows(), ElementsAre(testing::StartsWith("chat different ")));
    tell_service();
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat equal"));
}

TEST_F(DryRunTest, AMapThatWouldBeDeleted) {
    tell(news::MapIs{map_of_another()});
    routing::InferenceService service = test::routed_service();
    service.routing.emplace().enabled = false;
    tell(news::ServiceIs{std::make_shared<const routing::InferenceService>(service)});
    settle();
    EXPECT_THAT(rows(), ElementsAre("chat surplus"));
    tell(news::MapGone{{"demo", "chat"}});
    settle();
    EXPECT_THAT(rows(), IsEmpty());
}

}  // namespace
}  // namespace ome::controller
