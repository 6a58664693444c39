#include <ome/core/policy_rules.hpp>
#include <ome/wire/check_report.hpp>

#include <gtest/gtest.h>

namespace ome::wire {
namespace {

std::string checked(const std::string& text) {
    return as_text({{"f", check_document(text, core::chart_limits())}});
}

std::string service(const std::string& spec_more, const std::string& status) {
    return "kind: InferenceService\nmetadata: {name: x}\nspec:\n  placement:\n    policy: "
           "ClusterAffinity\n    mode: Split\n" +
           spec_more + "status:\n  placement:\n    phase: Placed\n" + status;
}

TEST(PlacementCheck, FindsNothingInWhatThePlacementWrites) {
    EXPECT_EQ(
        checked(service(
            "    clusterAffinity: []\n    split: {replicas: 6, spread: true}\n",
            "    plan: {id: p, mode: Split, revision: 3, sourceUID: u, observedGeneration: 7,\n"
            "      inputDigest: d, pauseSurge: false, requestedReplicas: 6, assignedReplicas: 6,\n"
            "      unassignedReplicas: 0, originalUnassignedReplicas: 0}\n"
            "    candidates:\n    - {cluster: a, phase: Admitted, endpoint: 'http://a',\n"
            "       admittedReplicas: 4, readyReplicas: 4, observationKnown: true,\n"
            "       appliedPlanID: p, allocation: {clusterUID: c, matched: true,\n"
            "       originalReplicas: 4, currentReplicas: 4, desiredReplicas: 4}}\n")),
        "f: ok (InferenceService)\n");
}

TEST(PlacementCheck, WarnsOfMembersThatNobodyReads) {
    EXPECT_EQ(checked(service("    modus: All\n    split: {replica: 6}\n",
                              "    fase: Placed\n    plan: {ID: p}\n    candidates:\n"
                              "    - cluster: a\n      readyReplica: 2\n"
                              "      allocation: {currentReplica: 1}\n")),
              "f:7: warning: spec.placement.modus is not known and is "
              "ignored\n"
              "f:8: warning: spec.placement.split.replica is not "
              "known and is ignored; did you mean replicas?\n"
              "f:12: warning: status.placement.fase is not known and is "
              "ignored\n"
              "f:13: warning: status.placement.plan.ID is not known and "
              "is ignored\n"
              "f:16: warning: status.placement.candidates[0].readyReplica is not known and is "
              "ignored; did you mean "
              "readyReplicas?\n"
              "f:17: warning: status.placement.candidates[0].allocation.currentReplica is not "
              "known and is "
              "ignored; did you mean currentReplicas?\n");
}

TEST(PlacementCheck, WarnsOfMembersBesideSpecAndStatus) {
    EXPECT_EQ(checked(service("", "") + "stauts: {}\n"),
              "f:10: warning: stauts is not known and is ignored\n");
}

TEST(PlacementCheck, WarnsOfAnAdmittedClusterThatIsNoHome) {
    EXPECT_EQ(
        checked(service("",
                        "    candidates:\n    - cluster: a\n      phase: Admitted\n"
                        "      endpoint: a.example.com:443\n")),
        "f:13: warning: status.placement.candidates[0].endpoint: endpoint URL "
        "\"a.example.com:443\" must be absolute: http:// or https:// is missing in front (as in "
        "https://llm.example.com): cluster "
        "\"a\" is no home and gets no traffic\n");
}

TEST(PlacementCheck, WarnsOfPhasesThatThereAreNot) {
    std::string status = service("", "    candidates:\n    - cluster: a\n      phase: admitted\n");
    status.replace(status.find("phase: Placed"), 13, "phase: placed");
    EXPECT_EQ(checked(status),
              "f:9: warning: status.placement.phase: \"placed\" is none of Pending, Admitting, "
              "Racing, Placed, Failed: no cluster gets traffic while it is not Placed\n"
              "f:12: warning: status.placement.candidates[0].phase: \"admitted\" is none of "
              "Admitting, Placed, Admitted: the cluster \"a\" gets no traffic while it is not "
              "Admitted\n");
}

TEST(PlacementCheck, WarnsOfNegativeCounts) {
    EXPECT_EQ(checked(service("",
                              "    candidates:\n    - cluster: a\n      admittedReplicas: -4\n"
                              "      readyReplicas: 0\n"
                              "      allocation: {desiredReplicas: -1}\n")),
              "f:12: warning: status.placement.candidates[0].admittedReplicas: -4 is negative: a "
              "home cannot have fewer than none, its weight is 0\n"
              "f:14: warning: status.placement.candidates[0].allocation.desiredReplicas: -1 is "
              "negative: a plan cannot give fewer than none\n");
}

}  // namespace
}  // namespace ome::wire
