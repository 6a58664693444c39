#include <ome/wire/document_check.hpp>
#include <ome/wire/services_document.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

std::vector<DeclaredService> read(std::string_view text) {
    const auto services = read_services(text, chart_limits());
    EXPECT_TRUE(services) << services.error().message;
    return services ? *services : std::vector<DeclaredService>{};
}

TEST(Services, ComeAsAListAnObjectOrDocuments) {
    for (const char* text : {
             R"([{"name":"a","homes":[]},{"name":"b","homes":[]}])",
             R"({"services":[{"name":"a","homes":[]},{"name":"b","homes":[]}]})",
             "- {name: a, homes: []}\n- {name: b, homes: []}\n",
             "name: a\nhomes: []\n---\nname: b\nhomes: []\n",
         }) {
        const auto services = read(text);
        ASSERT_EQ(services.size(), 2U) << text;
        ASSERT_TRUE(services[1].declaration) << services[1].declaration.error().message;
        EXPECT_EQ(services[1].declaration->key, (core::ServiceKey{"default", "b"}));
        EXPECT_EQ(services[1].index, 1U);
    }
}

TEST(Services, HaveDefaultsForNameAndOwner) {
    const auto services = read("homes:\n- {cluster: a, endpoint: 'http://a'}\n");
    ASSERT_EQ(services.size(), 1U);
    ASSERT_TRUE(services[0].declaration);
    EXPECT_EQ(services[0].declaration->key, (core::ServiceKey{"default", "default"}));
    EXPECT_EQ(services[0].declaration->owner_uid, "default/default");
}

TEST(Services, FailAloneWithIndexAndLine) {
    const auto services = read("services:\n- name: a\n  homes: []\n- name: b\n  homes: 5\n");
    ASSERT_EQ(services.size(), 2U);
    EXPECT_TRUE(services[0].declaration);
    EXPECT_EQ(services[1].line, 4U);
    EXPECT_EQ(
        services[1].declaration.error(),
        (core::Problem{"services[1] (line 4): homes: 5 must be a list", "services[1].homes"}));
}

TEST(Services, OfOneNameAreRefusedFromTheSecondOn) {
    const auto services = read("- {homes: []}\n- {homes: []}\n");
    ASSERT_EQ(services.size(), 2U);
    EXPECT_TRUE(services[0].declaration);
    EXPECT_EQ(services[1].declaration.error().message,
              "services[1] (line 2): service \"default/default\" is declared twice (first as "
              "number 1 of the file)");
}

TEST(Services, ReadYamlNumbersAndTextsAsWritten) {
    const auto services = read("- name: '1'\n  homes: []\n- name: 2\n  homes: []\n");
    ASSERT_EQ(services.size(), 2U);
    EXPECT_TRUE(services[0].declaration);
    EXPECT_EQ(services[1].declaration.error().message,
              "services[1] (line 3): name: 2 must be a text");
}

TEST(Services, BlameAKeyGivenTwiceOnItsService) {
    const auto services = read("- {name: a, homes: []}\n- {name: b, homes: [], homes: []}\n");
    ASSERT_EQ(services.size(), 2U);
    EXPECT_TRUE(services[0].declaration);
    EXPECT_EQ(services[1].declaration.error().field, "[1].homes");
}

TEST(Services, FailAsAWholeOnlyWhenTheTextCannotBeRead) {
    EXPECT_FALSE(read_services("- [", chart_limits()));
    EXPECT_FALSE(read_services("services: []\nservices: []\n", chart_limits()));
    EXPECT_TRUE(read("").empty());
}

}  // namespace
}  // namespace ome::wire
