#include "route_shelf.hpp"

#include "integration/scratch.hpp"
#include "support/publication_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ome::controller {
namespace {

using routing::ObjectKey;
using routing::ObjectKind;
using Outcome = StoreResult::Outcome;
using testing::HasSubstr;
using testing::Not;

const core::ServiceKey chat{"prod", "chat"};
const ObjectKey route_key{ObjectKind::HttpRoute, "prod", "chat-global"};

class RouteShelfTest : public testing::Test {
protected:
    RouteShelfTest() { std::filesystem::create_directories(tree.folder()); }

    static routing::DesiredObjects desired() {
        test::PublicationBench bench;
        const auto plan = routing::plan_publication(bench.map, bench.service, bench.settings);
        return routing::desired_objects(*plan, bench.settings, {});
    }

    std::vector<PublicationResult> apply(std::vector<ObjectRequest> requests) {
        return shelf.apply(requests, {1'790'000'000, 0});
    }

    static ObjectRequest write(const routing::PublishedObject& object,
                               const routing::PublishedObject* stored = nullptr) {
        routing::ObjectWrite made{object};
        if (stored != nullptr) {
            made.uid = stored->meta.uid;
            made.resource_version = stored->meta.resource_version;
        }
        return ObjectWriteRequest{chat, made};
    }

    static ObjectRequest remove(const routing::PublishedObject& stored) {
        return ObjectDeleteRequest{chat,
                                   {stored.key(), stored.meta.uid, stored.meta.resource_version}};
    }

    [[nodiscard]] std::string text(const std::string& path = "prod/chat.yaml") const {
        std::ifstream file(tree.path_of(path));
        std::stringstream all;
        all << file.rdbuf();
        return all.str();
    }

    void put(const std::string& path, const std::string& content) {
        std::filesystem::create_directories(
            std::filesystem::path(tree.path_of(path)).parent_path());
        std::ofstream(tree.path_of(path)) << content;
        shelf.take_file(path);
    }

    template <typename News>
    std::vector<News> news() {
        std::vector<News> found;
        for (const StoreNews& one : shelf.take_news()) {
            if (const auto* told = std::get_if<News>(&one)) {
                found.push_back(*told);
            }
        }
        return found;
    }

    test::Scratch scratch;
    ManifestTree tree{scratch.path("routes")};
    RouteShelf shelf{tree};
};

TEST_F(RouteShelfTest, KeepsAMapsObjectsInOneFileThatClustersTake) {
    const auto made = desired();
    const auto results =
        apply({write(made.services[0]), write(made.services[1]), write(made.route)});
    ASSERT_EQ(results.size(), 3U);
    for (const auto& result : results) {
        EXPECT_EQ(result.outcome, Outcome::Done);
        ASSERT_NE(result.stored, nullptr);
        EXPECT_FALSE(result.stored->meta.uid.empty());
    }
    EXPECT_THAT(text(),
                testing::StartsWith("apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"));
    EXPECT_THAT(text(), HasSubstr("---\napiVersion: v1\nkind: Service\n"));
    EXPECT_THAT(text(), Not(HasSubstr("resourceVersion")));
    EXPECT_THAT(text(), Not(HasSubstr("uid")));
}

TEST_F(RouteShelfTest, RefusesAWriteOverWhatItDoesNotKnow) {
    const auto made = desired();
    const auto first = apply({write(made.route)});
    const auto second = apply({write(made.route)});
    EXPECT_EQ(second[0].outcome, Outcome::Conflict);
    EXPECT_EQ(second[0].stored, first[0].stored);
    const auto third = apply({write(made.route, first[0].stored.get())});
    EXPECT_EQ(third[0].outcome, Outcome::Done);
    const auto stale = apply({remove(*first[0].stored)});
    EXPECT_EQ(stale[0].outcome, Outcome::Conflict);
}

TEST_F(RouteShelfTest, SeesAnEditThatNobodyHasTold) {
    const auto made = desired();
    const auto first = apply({write(made.route)});
    std::string edited = text();
    edited.replace(edited.find("weight: 2"), 9, "weight: 7");
    std::ofstream(tree.path_of("prod/chat.yaml")) << edited;
    const auto second = apply({write(made.route, first[0].stored.get())});
    EXPECT_EQ(second[0].outcome, Outcome::Conflict);
    const auto third = apply({write(made.route, second[0].stored.get())});
    EXPECT_EQ(third[0].outcome, Outcome::Done);
    EXPECT_THAT(text(), HasSubstr("weight: 2"));
}

TEST_F(RouteShelfTest, LeavesWhatOthersPutIntoTheFile) {
    const auto made = desired();
    const auto first = apply({write(made.route)});
    put("prod/chat.yaml",
        text() +
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: prod\n");
    const auto again = apply({write(made.services[0])});
    EXPECT_EQ(again[0].outcome, Outcome::Done);
    EXPECT_THAT(text(), HasSubstr("kind: ConfigMap"));
    apply({remove(*again[0].stored), remove(*first[0].stored)});
    EXPECT_THAT(text(), HasSubstr("kind: ConfigMap"));
    EXPECT_THAT(text(), Not(HasSubstr("HTTPRoute")));
}

TEST_F(RouteShelfTest, TakesTheFileAwayWithItsLastObject) {
    const auto first = apply({write(desired().route)});
    const auto gone = apply({remove(*first[0].stored)});
    EXPECT_EQ(gone[0].outcome, Outcome::Done);
    EXPECT_EQ(gone[0].stored, nullptr);
    EXPECT_FALSE(std::filesystem::exists(tree.path_of("prod/chat.yaml")));
    EXPECT_EQ(apply({remove(*first[0].stored)})[0].outcome, Outcome::Done);
}

TEST_F(RouteShelfTest, WaitsForForeignFinalizers) {
    apply({write(desired().route)});
    std::string held = text();
    held.replace(held.find("  name: chat-global\n"), 0, "  finalizers:\n  - example.com/hold\n");
    put("prod/chat.yaml", held);
    const auto seen = news<news::ObjectIs>();
    ASSERT_FALSE(seen.empty());
    const auto pending = apply({remove(*seen.back().object)});
    ASSERT_NE(pending[0].stored, nullptr);
    EXPECT_TRUE(pending[0].stored->terminating());
    std::string let_go = text();
    const std::string hold = "  - example.com/hold\n";
    let_go.erase(let_go.find("  finalizers:\n"), std::string("  finalizers:\n").size());
    let_go.erase(let_go.find(hold), hold.size());
    put("prod/chat.yaml", let_go);
    EXPECT_FALSE(std::filesystem::exists(tree.path_of("prod/chat.yaml")));
    EXPECT_EQ(news<news::ObjectGone>().size(), 1U);
}

TEST_F(RouteShelfTest, TellsOfOtherPeoplesRoutes) {
    put("web/site.yaml",
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: site, "
        "namespace: web}\nspec:\n  hostnames: [a.example.com]\n  parentRefs: [{name: g}]\n");
    const auto seen = news<news::ObjectIs>();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(routing::source_of(seen[0].object->meta), std::nullopt);
    shelf.drop_file("web/site.yaml");
    EXPECT_EQ(news<news::ObjectGone>().size(), 1U);
}

TEST_F(RouteShelfTest, PutsAFileOfOursRightThatCannotBeRead) {
    apply({write(desired().route)});
    const std::string before = text();
    put("prod/chat.yaml", "{ broken");
    EXPECT_EQ(text(), before);
}

TEST_F(RouteShelfTest, WritesNothingIntoAForeignFileThatCannotBeRead) {
    put("prod/chat.yaml", "{ broken");
    EXPECT_EQ(news<news::Unusable>().size(), 1U);
    const auto result = apply({write(desired().route)});
    EXPECT_EQ(result[0].outcome, Outcome::Failed);
    EXPECT_EQ(text(), "{ broken");
}

TEST_F(RouteShelfTest, KnowsAnObjectInTwoFilesOnce) {
    apply({write(desired().route)});
    put("prod/copy.yaml", text());
    EXPECT_EQ(news<news::Unusable>().size(), 1U);
}

}  // namespace
}  // namespace ome::controller
