#include "policy_samples.hpp"
#include <ome/core/policy_resolution.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

// The path as the payload spells it, quotes included.
std::string spelled(std::string path) {
    ProbePolicy policy;
    policy.path = std::move(path);
    const std::string payload = canonical_payload(policy);
    const std::size_t begin = payload.find("\"path\":") + 7;
    return payload.substr(begin, payload.find(",\"method\"") - begin);
}

TEST(Digest, GivesTheGoldenValueOfTheReference) {
    ProbeSettings probe = samples::probe();
    probe.path = "/healthz/deep";
    probe.gate_statuses = {{500, 502, 503}};
    probe.period = "1s";
    probe.timeout = "500ms";
    EXPECT_EQ(unchecked_policy(probe).digest,
              "sha256:0727917987fccf0698041a81bab6747de022a8646a172535143fc83540b7b210");
}

TEST(Digest, WritesEmptyListsAndMapsAsNull) {
    EXPECT_EQ(canonical_payload(ProbePolicy{}),
              R"({"version":1,"path":"","method":"GET","acceptStatuses":null,"gateStatuses":null,)"
              R"("periodNanoseconds":0,"timeoutNanoseconds":0,"failureThreshold":1,)"
              R"("successThreshold":1,"allFailedPolicy":"PreserveTraffic"})");
    EXPECT_NE(canonical_payload(CapacityPolicy{}).find(R"("options":null,)"), std::string::npos);
}

TEST(Digest, EscapesStringsAsGoDoes) {
    EXPECT_EQ(spelled("/<&>"), R"("/\u003c\u0026\u003e")");
    EXPECT_EQ(spelled("/\"\\\n\r\t\b\f"), R"("/\"\\\n\r\t\b\f")");
    EXPECT_EQ(spelled("/\x01\x7f"), "\"/\\u0001\x7f\"");
    EXPECT_EQ(spelled("/\xE2\x80\xA8\xE2\x80\xA9"), R"("/\u2028\u2029")");
    EXPECT_EQ(spelled("/\u00e9"), "\"/\u00e9\"");
}

TEST(Digest, WritesBytesThatAreNoUtf8AsReplacementEscapes) {
    EXPECT_EQ(spelled("/\xff\xc3"), R"("/\ufffd\ufffd")");
}

TEST(Digest, IgnoresTheStoredDigest) {
    ProbePolicy policy = unchecked_policy(samples::probe());
    policy.digest = "sha256:other";
    EXPECT_EQ(digest_of(policy), unchecked_policy(samples::probe()).digest);
}

}  // namespace
}  // namespace ome::core
