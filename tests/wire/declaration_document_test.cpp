#include <ome/core/policy_rules.hpp>
#include <ome/wire/declaration_document.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

namespace json = boost::json;

const core::ServiceKey prod_svc{"prod", "svc"};

json::object sample() {
    return json::parse(R"({"ownerUID":"0f8e","suspended":false,
        "capacity":{"path":"/capacity","method":"GET","format":"Report","samples":4,"quorum":3,
                    "period":"10s","timeout":"3s","maxAge":"40s"},
        "probe":{"path":"/v1/models","method":"GET","acceptStatuses":[200],"gateStatuses":[404,500],
                 "period":"10s","timeout":"3s","failureThreshold":3,"successThreshold":2,
                 "allFailedPolicy":"PreserveTraffic"},
        "homes":[{"cluster":"worker-a","endpoint":"http://a/","restored":
                  {"policyDigest":"sha256:1","gated":true,"consecutiveFailures":3,
                   "result":"Failing","message":"HTTP 503","lastProbeTime":"2026-09-28T10:00:00Z"}},
                 {"cluster":"worker-b","endpoint":"http://b"}]})")
        .as_object();
}

DeclarationDocument read(const json::object& body) {
    return read_declaration(json::serialize(body), prod_svc, core::chart_limits());
}

core::Problem problem(const json::object& body) {
    const DeclarationDocument document = read(body);
    EXPECT_TRUE(document.is_json);
    return document.declaration ? core::Problem{"none"} : document.declaration.error();
}

json::object& home(json::object& body, std::size_t index) {
    return body["homes"].as_array()[index].as_object();
}

TEST(Declaration, ReadsAllOfIt) {
    const DeclarationDocument document = read(sample());
    ASSERT_TRUE(document.declaration) << document.declaration.error().message;
    const core::ServiceDeclaration& service = *document.declaration;
    EXPECT_EQ(service.key, prod_svc);
    EXPECT_EQ(service.owner_uid, "0f8e");
    EXPECT_EQ(service.capacity->quorum, 3);
    EXPECT_EQ(service.probe->gate_statuses, (std::vector<std::int32_t>{404, 500}));
    ASSERT_EQ(service.homes.size(), 2U);
    EXPECT_TRUE(service.homes[0].restored->gated);
    EXPECT_EQ(service.homes[0].restored->result, core::ProbeResult::Failing);
    EXPECT_EQ(service.homes[0].restored->last_probe_time, (core::WallTime{1790589600, 0}));
    EXPECT_FALSE(service.homes[1].restored.has_value());
    EXPECT_TRUE(document.warnings.empty());
}

TEST(Declaration, TakesAbsentAndNullPoliciesAsOff) {
    json::object body = sample();
    body.erase("probe");
    body["capacity"] = nullptr;
    const DeclarationDocument document = read(body);
    ASSERT_TRUE(document.declaration);
    EXPECT_FALSE(document.declaration->probe || document.declaration->capacity);
}

TEST(Declaration, NamesARequiredFieldThatIsMissing) {
    for (const char* field : {"ownerUID", "homes"}) {
        json::object body = sample();
        body.erase(field);
        EXPECT_EQ(problem(body), (core::Problem{std::string(field) + " is required", field}));
    }
    json::object body = sample();
    home(body, 1).erase("endpoint");
    EXPECT_EQ(problem(body), (core::Problem{"homes[1].endpoint is required", "homes[1].endpoint"}));
}

TEST(Declaration, NamesAClusterThatIsThereTwice) {
    json::object body = sample();
    home(body, 1)["cluster"] = "worker-a";
    EXPECT_EQ(problem(body),
              (core::Problem{R"(homes[1].cluster "worker-a" is named twice (first by homes[0]))",
                             "homes[1].cluster"}));
}

TEST(Declaration, SaysTheFirstOfEachPolicy) {
    json::object body = sample();
    body["probe"].as_object()["timeout"] = "10s";
    EXPECT_EQ(problem(body),
              (core::Problem{"probe.timeout (10s) must be shorter than probe.period (10s)",
                             "probe.timeout"}));
    body["capacity"].as_object().erase("method");
    body["capacity"].as_object().erase("format");
    EXPECT_EQ(problem(body),
              (core::Problem{"probe.timeout (10s) must be shorter than probe.period (10s)\n"
                             "capacity.method is required when capacity.path is set",
                             "probe.timeout"}));
}

TEST(Declaration, NamesMembersOfAnotherType) {
    json::object body = sample();
    body["suspended"] = "no";
    EXPECT_EQ(problem(body),
              (core::Problem{"suspended: \"no\" must be true or false", "suspended"}));
    body = sample();
    body["homes"] = json::object{};
    EXPECT_EQ(problem(body), (core::Problem{"homes: {} must be a list", "homes"}));
    body["homes"] = {1};
    EXPECT_EQ(problem(body), (core::Problem{"homes[0]: 1 must be an object", "homes[0]"}));
}

TEST(Declaration, ChecksNamesOfClustersAndOwners) {
    json::object body = sample();
    home(body, 0)["cluster"] = std::string(253, 'c');
    EXPECT_EQ(problem(body).message, "none");
    home(body, 0)["cluster"] = std::string(254, 'c');
    EXPECT_TRUE(problem(body).message.ends_with("must have at most 253 bytes"));
    home(body, 0)["cluster"] = "";
    EXPECT_EQ(problem(body).message, "homes[0].cluster \"\" must not be empty");
    home(body, 0)["cluster"] = "a\nb";
    EXPECT_EQ(problem(body).message,
              R"(homes[0].cluster "a\nb" must not contain control characters)");
    body = sample();
    body["ownerUID"] = "";
    EXPECT_EQ(problem(body).field, "ownerUID");
}

TEST(Declaration, ReadsRestoredMemberByMember) {
    json::object body = sample();
    json::object& restored = home(body, 0)["restored"].as_object();
    restored["consecutiveFailures"] = -1;
    restored["result"] = "";
    restored.erase("lastProbeTime");
    const DeclarationDocument document = read(body);
    ASSERT_TRUE(document.declaration);
    EXPECT_EQ(document.declaration->homes[0].restored->consecutive_failures, 0);
    ASSERT_EQ(document.warnings.size(), 1U);
    EXPECT_EQ(document.warnings[0].message, "homes[0].restored.consecutiveFailures -1 counts as 0");
    EXPECT_EQ(document.declaration->homes[0].restored->result, core::ProbeResult::Unknown);
    EXPECT_FALSE(document.declaration->homes[0].restored->last_probe_time.has_value());

    restored["result"] = "Broken";
    EXPECT_EQ(problem(body).field, "homes[0].restored.result");
    restored["result"] = "Passing";
    restored["lastProbeTime"] = "yesterday";
    EXPECT_EQ(
        problem(body).message,
        R"(homes[0].restored.lastProbeTime "yesterday" must be an RFC 3339 time with a zone, of the )"
        "years 0000 to 9999 in UTC");
}

TEST(Declaration, IgnoresWhatASuspendedOneSaysOfPoliciesAndHomes) {
    const DeclarationDocument document =
        read({{"ownerUID", "u"}, {"suspended", true}, {"homes", 5}, {"probe", json::object{}}});
    ASSERT_TRUE(document.declaration);
    EXPECT_TRUE(document.declaration->suspended);
    EXPECT_TRUE(document.declaration->homes.empty());
}

TEST(Declaration, MustAgreeWithTheUrl) {
    json::object body = sample();
    body["namespace"] = "prod";
    body["name"] = "svc";
    EXPECT_EQ(problem(body).message, "none");
    body["name"] = "other";
    EXPECT_EQ(problem(body), (core::Problem{R"(name "other" must equal the URL's "svc")", "name"}));
}

TEST(Declaration, WarnsOfUnknownMembersAndRefusesThoseGivenTwice) {
    json::object body = sample();
    body["extra"] = 1;
    home(body, 0)["weight"] = 1;
    const DeclarationDocument document = read(body);
    ASSERT_TRUE(document.declaration);
    ASSERT_EQ(document.warnings.size(), 2U);
    EXPECT_EQ(document.warnings[0].field, "homes[0].weight");
    EXPECT_EQ(document.warnings[1].message, "extra is not known and is ignored");
    const auto twice = read_declaration(
        R"({"ownerUID":"a","ownerUID":"b","homes":[]})", prod_svc, core::chart_limits());
    EXPECT_EQ(twice.declaration.error().message, "ownerUID is given twice");
}

TEST(Declaration, WarnsOfAnEndpointThatCannotBeUsedAndShowsNoSecretOfIt) {
    json::object body = sample();
    home(body, 0)["endpoint"] = "ftp://user:secret@h";
    const DeclarationDocument document = read(body);
    ASSERT_TRUE(document.declaration) << "the other homes are observed";
    ASSERT_EQ(document.warnings.size(), 1U);
    EXPECT_EQ(document.warnings[0].message,
              "homes[0].endpoint: the home is never tried: endpoint URL \"ftp://***@h\" must use "
              "HTTP or HTTPS");
}

TEST(Declaration, WarnsOfPoliciesThatCannotDoWhatTheyLookLike) {
    json::object body = sample();
    body["probe"].as_object()["path"] = "/a%zz";
    body["capacity"].as_object()["path"] = "/a?x=1";
    const DeclarationDocument document = read(body);
    ASSERT_TRUE(document.declaration);
    ASSERT_EQ(document.warnings.size(), 2U);
    EXPECT_EQ(document.warnings[0].field, "probe.path");
    EXPECT_EQ(
        document.warnings[0].message,
        "probe.path \"/a%zz\" has the malformed escape \"%zz\": no request can be sent, every "
        "attempt fails");
    EXPECT_EQ(document.warnings[1].field, "capacity.path");
}

TEST(Declaration, TellsWhatIsNotJsonFromWhatIsNotValid) {
    const auto broken = read_declaration("{", prod_svc, core::chart_limits());
    EXPECT_FALSE(broken.is_json);
    EXPECT_TRUE(broken.declaration.error().message.starts_with("not JSON: line 1"));
    const auto list = read_declaration("[]", prod_svc, core::chart_limits());
    EXPECT_TRUE(list.is_json);
    EXPECT_FALSE(list.declaration);
}

TEST(Declaration, BoundsTheNumberOfMessages) {
    json::object body = sample();
    json::array homes;
    for (int i = 0; i < 50; ++i) {
        homes.emplace_back(i);
    }
    body["homes"] = homes;
    EXPECT_TRUE(problem(body).message.ends_with("\n(and 40 more)"));
}

TEST(BulkLine, MustNameItsService) {
    const auto unnamed =
        read_declaration_line(R"({"ownerUID":"u","homes":[]})", core::chart_limits());
    EXPECT_FALSE(unnamed.key.has_value());
    EXPECT_EQ(unnamed.declaration.error().message, "namespace is required\nname is required");
}

TEST(BulkLine, KeepsItsNameWhenTheRestIsNotUsable) {
    const auto named = read_declaration_line(R"({"namespace":"prod","name":"svc","homes":[]})",
                                             core::chart_limits());
    EXPECT_EQ(named.key, prod_svc);
    EXPECT_EQ(named.declaration.error().field, "ownerUID");
}

TEST(Keys, AreDnsNames) {
    EXPECT_EQ(invalid_key({"a-1", "b.c-2"}), std::nullopt);
    EXPECT_EQ(invalid_key({std::string(63, 'a'), std::string(253, 'b')}), std::nullopt);
    for (const core::ServiceKey& key : {core::ServiceKey{"", "b"},
                                        core::ServiceKey{"A", "b"},
                                        core::ServiceKey{"a.b", "b"},
                                        core::ServiceKey{"-a", "b"},
                                        core::ServiceKey{std::string(64, 'a'), "b"}}) {
        EXPECT_EQ(invalid_key(key)->field, "namespace") << key.ns;
    }
    for (const char* name : {"", ".", "a..b", "a.", ".a", "a.-b", "a/b", "a_b"}) {
        EXPECT_EQ(invalid_key({"a", name})->field, "name") << name;
    }
    EXPECT_EQ(invalid_key({"a", std::string(254, 'b')})->field, "name");
}

}  // namespace
}  // namespace ome::wire
