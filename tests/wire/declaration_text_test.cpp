#include <ome/core/policy_resolution.hpp>
#include <ome/core/policy_rules.hpp>
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/declaration_text.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

core::ServiceDeclaration full() {
    core::ServiceDeclaration declaration;
    declaration.key = {"team", "chat"};
    declaration.owner_uid = "uid \"1\"";
    declaration.capacity = core::CapacityPolicy{.path = "/capacity?a=\"b\"",
                                                .method = core::Method::Post,
                                                .format = "Report",
                                                .options = {},
                                                .period = std::chrono::seconds(10),
                                                .timeout = std::chrono::milliseconds(2500),
                                                .samples = 4,
                                                .quorum = 3,
                                                .max_age = std::chrono::seconds(90),
                                                .digest = ""};
    declaration.probe = core::ProbePolicy{.path = "/v1/models",
                                          .method = core::Method::Head,
                                          .accept_statuses = {200, 204},
                                          .gate_statuses = {503},
                                          .period = std::chrono::seconds(20),
                                          .timeout = std::chrono::seconds(3),
                                          .failure_threshold = 3,
                                          .success_threshold = 2,
                                          .all_failed_policy = core::AllFailedPolicy::Drain,
                                          .digest = ""};
    declaration.homes = {
        {"worker-a", "http://user:pa%20ss@a.example/x?y#z", std::nullopt},
        {"worker-b",
         "http://b.example",
         core::RestoredProbe{.policy_digest = "sha256:1",
                             .gated = true,
                             .consecutive_failures = 3,
                             .result = core::ProbeResult::Failing,
                             .message = "HTTP 503",
                             .last_probe_time = core::WallTime{1'790'589'600, 500'000'000}}},
    };
    return declaration;
}

std::string text_of(const core::ServiceDeclaration& declaration) {
    std::string text;
    append_declaration(text, declaration);
    return text;
}

core::ServiceDeclaration read_back(const core::ServiceDeclaration& declaration) {
    const DeclarationDocument read =
        read_declaration_line(text_of(declaration), core::chart_limits());
    EXPECT_TRUE(read.declaration) << read.declaration.error().message;
    // The query and the fragment of the first home and of a path are worth a word; everything is
    // known.
    for (const core::Problem& warning : read.warnings) {
        EXPECT_TRUE(warning.field == "homes[0].endpoint" || warning.field == "capacity.path")
            << warning.message;
    }
    return read.declaration ? *read.declaration : core::ServiceDeclaration{};
}

TEST(DeclarationText, IsReadBackAsItWas) {
    const core::ServiceDeclaration written = full();
    const core::ServiceDeclaration read = read_back(written);
    EXPECT_EQ(read.key, written.key);
    EXPECT_EQ(read.owner_uid, written.owner_uid);
    EXPECT_FALSE(read.suspended);
    ASSERT_TRUE(read.capacity && read.probe);
    EXPECT_EQ(canonical_payload(*read.capacity), canonical_payload(*written.capacity));
    EXPECT_EQ(canonical_payload(*read.probe), canonical_payload(*written.probe));
    ASSERT_EQ(read.homes.size(), 2U);
    EXPECT_EQ(read.homes[0].cluster, "worker-a");
    EXPECT_EQ(read.homes[0].endpoint, written.homes[0].endpoint);
    EXPECT_FALSE(read.homes[0].restored);
    ASSERT_TRUE(read.homes[1].restored);
    EXPECT_EQ(read.homes[1].restored->policy_digest, "sha256:1");
    EXPECT_TRUE(read.homes[1].restored->gated);
    EXPECT_EQ(read.homes[1].restored->consecutive_failures, 3);
    EXPECT_EQ(read.homes[1].restored->result, core::ProbeResult::Failing);
    EXPECT_EQ(read.homes[1].restored->message, "HTTP 503");
    EXPECT_EQ(read.homes[1].restored->last_probe_time, written.homes[1].restored->last_probe_time);
}

TEST(DeclarationText, LeavesOutWhatIsOff) {
    core::ServiceDeclaration declaration = full();
    declaration.capacity.reset();
    declaration.probe.reset();
    declaration.homes.clear();
    EXPECT_EQ(
        text_of(declaration),
        R"({"namespace":"team","name":"chat","ownerUID":"uid \"1\"","suspended":false,"homes":[]})");
    const core::ServiceDeclaration read = read_back(declaration);
    EXPECT_FALSE(read.capacity);
    EXPECT_FALSE(read.probe);
}

TEST(DeclarationText, ASuspendedServiceKeepsWhatItHas) {
    core::ServiceDeclaration declaration = full();
    declaration.suspended = true;
    EXPECT_EQ(text_of(declaration),
              R"({"namespace":"team","name":"chat","ownerUID":"uid \"1\"","suspended":true})");
    EXPECT_TRUE(read_back(declaration).suspended);
}

TEST(DeclarationText, IsOneLine) {
    core::ServiceDeclaration declaration = full();
    declaration.homes[1].restored->message = "a\nb\r\n";
    EXPECT_EQ(text_of(declaration).find_first_of("\r\n"), std::string::npos);
}

}  // namespace
}  // namespace ome::wire
