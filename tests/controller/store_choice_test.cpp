#include "store_choice.hpp"

#include "integration/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ome::controller {
namespace {

using testing::HasSubstr;

class StoreChoiceTest : public testing::Test {
protected:
    core::Result<ChosenStore> make() {
        return make_store(io, choice, [this](const std::string& name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt
                                            : std::optional<std::string>(found->second);
        });
    }

    [[nodiscard]] std::string kubeconfig(const std::string& more = {}) const {
        return scratch.write("kubeconfig",
                             "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
                             "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'" +
                                 more +
                                 "}}]\n"
                                 "users: [{name: u, user: {token: s3cret}}]\n"
                                 "contexts: [{name: here, context: {cluster: c, user: u, "
                                 "namespace: demo}}]\n");
    }

    test::Scratch scratch;
    net::asio::io_context io{1};
    StoreChoice choice;
    std::map<std::string, std::string> variables;
};

TEST_F(StoreChoiceTest, AFolderThatIsNotThereIsNamed) {
    choice.folder = scratch.path("nowhere");
    const auto made = make();
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr(choice.folder));
}

TEST_F(StoreChoiceTest, AFolder) {
    choice.folder = scratch.path(".");
    const auto made = make();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->name, "dir:" + choice.folder);
    EXPECT_TRUE(made->warnings.empty());
}

TEST_F(StoreChoiceTest, AnApiServerIsFoundWithoutAskingIt) {
    choice.kind = StoreChoice::Kind::Kube;
    choice.access.kubeconfig = kubeconfig();
    choice.kube.election.identity = "me";
    const auto made = make();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->name,
              "kube, https://127.0.0.1:1 (the kubeconfig " + choice.access.kubeconfig +
                  ", context \"here\"); lease demo/ome-trafficmap as me");
}

TEST_F(StoreChoiceTest, AServerWhoseCertificateIsNotLookedAtIsWarnedOf) {
    choice.kind = StoreChoice::Kind::Kube;
    variables["KUBECONFIG"] = kubeconfig(", insecure-skip-tls-verify: true");
    const auto made = make();
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->warnings.size(), 1U);
    EXPECT_THAT(made->warnings[0], HasSubstr("insecure-skip-tls-verify"));
    EXPECT_THAT(made->warnings[0] + made->name, testing::Not(HasSubstr("s3cret")));
}

TEST_F(StoreChoiceTest, WhatIsMissingIsNamed) {
    choice.kind = StoreChoice::Kind::Kube;
    variables["HOME"] = scratch.path("home");
    const auto nothing = make();
    ASSERT_FALSE(nothing);
    EXPECT_THAT(nothing.error().message, HasSubstr(scratch.path("home") + "/.kube/config"));
    choice.access.kubeconfig = kubeconfig();
    choice.access.context = "there";
    const auto no_context = make();
    ASSERT_FALSE(no_context);
    EXPECT_THAT(no_context.error().message,
                HasSubstr("there is no context \"there\": it has \"here\""));
}

TEST(MadeUpIdentity, IsOfOneProcessAlone) {
    EXPECT_NE(made_up_identity(), made_up_identity());
    EXPECT_THAT(made_up_identity(), HasSubstr("_"));
}

}  // namespace
}  // namespace ome::controller
