#include "kube_failure.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::kubectl {
namespace {

using kube::refusal;

constexpr const char* path = "/apis/ome.io/v1beta1/namespaces/prod/trafficmaps/chat";

Asked asked(Asked::Verb verb, std::string selector = {}) {
    return {verb, std::string("GET ") + path, std::move(selector)};
}

ClusterError error_for(Asked::Verb verb, unsigned code, const std::string& body) {
    return error_of(refusal(std::string("GET ") + path, code, body, std::nullopt), asked(verb));
}

std::string status(const std::string& rest) {
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure",)" + rest + "}";
}

TEST(KubeFailure, TellsARefusalInAWordAndNotInTheServersText) {
    const ClusterError forbidden =
        error_for(Asked::Verb::Get,
                  403,
                  status(R"("reason":"Forbidden","code":403,"message":"user bob ...")"));
    EXPECT_EQ(words_of(forbidden), "Forbidden");
    EXPECT_EQ(words_of(error_for(Asked::Verb::Get, 401, "Unauthorized")), "Unauthorized");
    EXPECT_EQ(words_of(error_for(Asked::Verb::List, 504, "")), "Timeout");
    EXPECT_EQ(words_of(error_for(Asked::Verb::List, 500, "a secret")), "Unavailable (HTTP 500)");
    EXPECT_EQ(words_of(error_for(Asked::Verb::Patch, 405, "")), "Unsupported");
}

std::string in_full(unsigned code, const std::string& message) {
    return words_in_full(error_for(
        Asked::Verb::Patch,
        code,
        json::serialize(json::object{
            {"kind", "Status"}, {"apiVersion", "v1"}, {"code", code}, {"message", message}})));
}

// Whose rights are missing learns which, where the contract does not say otherwise.
TEST(KubeFailure, TellsARefusalInFullWithTheServersWords) {
    EXPECT_EQ(in_full(403, R"(User "bob" cannot patch resource "x")"),
              R"(Forbidden (User "bob" cannot patch resource "x"))");
    EXPECT_EQ(in_full(422, "spec: is bad"), "Rejected (spec: is bad)");
    EXPECT_EQ(in_full(403, ""), "Forbidden");
    EXPECT_EQ(in_full(401, "Unauthorized"),
              "Unauthorized (the API server does not accept the login)");
    EXPECT_EQ(in_full(500, "a secret"), "Unavailable (HTTP 500)");
}

TEST(KubeFailure, TheServersWordsAreBoundedAndHoldNothingThatATerminalObeys) {
    EXPECT_EQ(in_full(403, "a\x1b[31mb\r\nc"), "Forbidden (ab c)");
    EXPECT_EQ(in_full(403, std::string(5000, 'x')).size(),
              512 + std::string("Forbidden ()").size());
}

TEST(KubeFailure, NoTokenIsRepeated) {
    EXPECT_EQ(in_full(403, "Authorization: Bearer abcdefghijkl is not known"), "Forbidden");
    EXPECT_EQ(in_full(403, "token sk-abcdefghijklmnop is not known"), "Forbidden");
}

TEST(KubeFailure, TellsAMissingObjectFromAMissingApi) {
    const std::string no_chat = status(
        R"("reason":"NotFound","code":404,"details":{"name":"chat","group":"ome.io","kind":"trafficmaps"})");
    EXPECT_EQ(error_for(Asked::Verb::Get, 404, no_chat).what, Failure::NotFound);
    EXPECT_EQ(error_for(Asked::Verb::Patch, 404, no_chat).what, Failure::NotFound);
    EXPECT_EQ(words_of(error_for(Asked::Verb::Get, 404, "404 page not found\n")),
              "OMEAPIMissing (install OME first)");
    EXPECT_EQ(error_for(Asked::Verb::List, 404, no_chat).what, Failure::ApiMissing)
        << "a list of nothing is empty";
}

TEST(KubeFailure, AFailedTestOfAPatchIsAConflictAndAnAdmissionIsNot) {
    const std::string bare = status(
        R"("reason":"Invalid","code":422,"details":{},"message":"the server rejected our request due to an error in our request")");
    EXPECT_EQ(error_for(Asked::Verb::Patch, 422, bare).what, Failure::Conflict);
    EXPECT_EQ(error_for(Asked::Verb::Get, 422, bare).what, Failure::Rejected);
    EXPECT_EQ(error_for(Asked::Verb::Patch, 409, status(R"("reason":"Conflict","code":409)")).what,
              Failure::Conflict);
    const std::string invalid = status(
        R"("reason":"Invalid","code":422,"message":"InferenceService \"chat\" is invalid","details":{"name":"chat","causes":[{"reason":"FieldValueInvalid","field":"spec"}]})");
    EXPECT_EQ(error_for(Asked::Verb::Patch, 422, invalid).what, Failure::Rejected);
    const std::string denied = status(
        R"("reason":"Invalid","code":422,"message":"admission webhook \"x\" denied the request")");
    EXPECT_EQ(error_for(Asked::Verb::Patch, 422, denied).what, Failure::Rejected);
    EXPECT_EQ(error_for(Asked::Verb::Patch, 400, denied).what, Failure::Rejected);
}

TEST(KubeFailure, ATokenThatIsTooOldIsExpired) {
    EXPECT_EQ(error_for(Asked::Verb::List, 410, status(R"("reason":"Expired","code":410)")).what,
              Failure::Expired);
}

TEST(KubeFailure, NamesASelectorThatIsNone) {
    const auto refused = [](const char* selector) {
        return words_of(error_of(refusal("GET /x", 400, status(R"("reason":"BadRequest")"), {}),
                                 asked(Asked::Verb::List, selector)));
    };
    EXPECT_EQ(refused("a in (b"), "Rejected (\"a in (b\" is no label selector)");
    EXPECT_EQ(refused("a=b"), "Rejected");
}

TEST(KubeFailure, SaysWhatWeKnowOurselves) {
    const kube::Failure away{
        kube::Failure::Kind::Unreachable,
        std::string("GET ") + path + ": cannot reach https://10.0.0.1:6443: Connection refused"};
    EXPECT_EQ(words_of(error_of(away, asked(Asked::Verb::Get))),
              "Unavailable (cannot reach https://10.0.0.1:6443: Connection refused)");
    const kube::Failure login{kube::Failure::Kind::Login, "cannot log in: exec plugin \"x\": gone"};
    EXPECT_EQ(words_of(error_of(login, asked(Asked::Verb::Get))),
              "Unauthorized (cannot log in: exec plugin \"x\": gone)");
    EXPECT_EQ(error_of({kube::Failure::Kind::Stopped}, asked(Asked::Verb::Get)).what,
              Failure::Cancelled);
}

}  // namespace
}  // namespace ome::kubectl
