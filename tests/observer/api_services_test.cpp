// What one declaration is answered.
#include "api_fixture.hpp"
#include "api_routes.hpp"

#include <gmock/gmock.h>
#include <support/captured_log.hpp>

#include <regex>

namespace ome::observer {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ApiServices : public ApiTest {
protected:
    static std::vector<std::string> fields(const json::value& answer) {
        std::vector<std::string> found;
        for (const json::value& warning : answer.at("warnings").as_array()) {
            const json::value* field = warning.as_object().if_contains("field");
            found.push_back(field != nullptr ? std::string(field->as_string()) : std::string());
        }
        return found;
    }

    static json::object odd_declaration() {
        json::object one = declaration("one", {"a", "b", "c"});
        one["probe"].as_object()["perod"] = "10s";
        one["homes"].as_array()[2].as_object()["clutser"] = "x";
        one["homes"].as_array()[1].as_object()["endpoint"] = "http://127.0.0.1:9/b?x=1";
        return one;
    }
};

TEST_F(ApiServices, AnErrorOfNoMemberHasAnEmptyField) {
    const ApiAnswer answer = call("GET", "/v1/services/prod/nowhere");
    EXPECT_EQ(answer.status, 404U);
    EXPECT_EQ(answer.document().at("error").at("field"), "");
}

TEST_F(ApiServices, AParameterGivenTwiceIsRefused) {
    const ApiAnswer answer = call("GET", "/v1/services?limit=1&limit=2");
    EXPECT_EQ(answer.status, 400U);
    EXPECT_THAT(answer.text, HasSubstr("limit"));
    EXPECT_THAT(answer.text, HasSubstr("is given more than once"));
    EXPECT_EQ(call("GET", "/metrics?x=1&x=2").status, 200U) << "which takes any";
}

TEST_F(ApiServices, MediaTypesAreTheSameInAnyCase) {
    const std::string body = line(declaration("llama", {"a"}));
    for (const char* type :
         {"application/json", "Application/JSON", "APPLICATION/JSON ; charset=utf-8"}) {
        EXPECT_EQ(call("PUT", "/v1/services/prod/llama", body, type).status, 200U) << type;
    }
    EXPECT_EQ(call("PUT", "/v1/services/prod/llama", body, "application/jso").status, 415U);
}

TEST_F(ApiServices, ABodyWhereNoneIsTakenIsRefused) {
    ASSERT_EQ(put(declaration("llama", {"a"})).status, 200U);
    int refused = 0;
    for (const Route& route : api_routes()) {
        if (!route.body_type.empty() || route.others == OtherParameters::Ignored) {
            continue;
        }
        std::string target(route.pattern);
        target = std::regex_replace(target, std::regex("\\{namespace\\}"), "prod");
        target = std::regex_replace(target, std::regex("\\{name\\}"), "llama");
        const std::string method(route.method);
        const ApiAnswer answer = call(method, target, "{}");
        EXPECT_EQ(answer.status, 400U) << method << " " << target;
        EXPECT_THAT(answer.text, HasSubstr(method + " " + target + " takes no body"));
        const ApiAnswer cut = call_in_pieces(method, target, {}, "", Ending::CutShort);
        EXPECT_EQ(cut.status, 400U) << method << " " << target;
        ++refused;
    }
    EXPECT_GE(refused, 8);
    EXPECT_EQ(call("GET", "/v1/services/prod/llama").status, 200U) << "it was not deleted";
}

TEST_F(ApiServices, ProbesOfKubeletAndPrometheusMayBringWhatTheyLike) {
    EXPECT_EQ(call("GET", "/livez", "{}").status, 200U);
    EXPECT_EQ(call("GET", "/metrics", "{}").status, 200U);
}

TEST_F(ApiServices, WhatIsNewAndWhatIsForgottenIsLoggedOnce) {
    test::CapturedLog captured;
    put(declaration("one", {"a", "b"}));
    put(declaration("one", {"a"}));
    call("DELETE", "/v1/services/prod/one");
    call("DELETE", "/v1/services/prod/one");
    const std::string log = captured.text();
    const std::size_t declared = log.find("service declared");
    ASSERT_NE(declared, log.npos) << log;
    EXPECT_THAT(log, HasSubstr("service=prod/one homes=2"));
    EXPECT_EQ(log.find("service declared", declared + 1), log.npos) << log;
    const std::size_t forgotten = log.find("service forgotten");
    ASSERT_NE(forgotten, log.npos) << log;
    EXPECT_EQ(log.find("service forgotten", forgotten + 1), log.npos) << log;
}

TEST_F(ApiServices, ADeclarationWithoutOddMembersIsAnsweredWithoutWarnings) {
    const ApiAnswer answer = put(declaration("one", {"a"}));
    EXPECT_EQ(answer.status, 200U);
    EXPECT_FALSE(answer.document().as_object().contains("warnings"));
}

TEST_F(ApiServices, MembersThatAreNotKnownAreToldInTheAnswerAndTaken) {
    test::CapturedLog captured;
    const ApiAnswer answer = put(odd_declaration());
    ASSERT_EQ(answer.status, 200U) << answer.text;
    EXPECT_THAT(fields(answer.document()),
                ElementsAre("probe.perod", "homes[1].endpoint", "homes[2].clutser"));
    EXPECT_EQ(answer.document().at("warnings").at(0).at("message"),
              "probe.perod is not known and is ignored")
        << "period is there, and was not meant";
    EXPECT_TRUE(declared("one"));
    const std::string log = captured.text();
    EXPECT_THAT(log, HasSubstr("probe.perod is not known and is ignored"));
    EXPECT_THAT(log, HasSubstr("prod/one"));
}

TEST_F(ApiServices, TheWholeSetIsLoggedByItsFirstLines) {
    std::string lines;
    for (int i = 0; i < 200; ++i) {
        json::object one = declaration("many-" + std::to_string(i), {});
        one["suspend"] = true;
        lines += line(one);
    }
    test::CapturedLog captured;
    const ApiAnswer answer = put_all(lines);
    EXPECT_EQ(answer.document().at("warned").as_array().size(), 100U);
    EXPECT_EQ(answer.document().at("warnedNotListed"), 100);
    const std::string log = captured.text();
    EXPECT_THAT(log, HasSubstr("many-9"));
    EXPECT_THAT(log, Not(HasSubstr("many-10")));
}

TEST_F(ApiServices, ARefusedDeclarationComesWithItsWarnings) {
    json::object one = declaration("one", {"a"});
    one["probe"].as_object().erase("period");
    one["probe"].as_object()["perod"] = "10s";
    const ApiAnswer answer = put(one);
    EXPECT_EQ(answer.status, 422U);
    EXPECT_THAT(fields(answer.document()), ElementsAre("probe.perod"));
    EXPECT_THAT(answer.text,
                HasSubstr("probe.perod is not known and is ignored; did you mean period?"));
    EXPECT_FALSE(declared("one"));
}

TEST_F(ApiServices, OfVeryManyWarningsTheFirstOnesAreTold) {
    json::object one = declaration("one", {"a"});
    for (int i = 0; i < 3000; ++i) {
        one[std::string(200, 'x') + std::to_string(i)] = i;
    }
    const ApiAnswer answer = put(one);
    ASSERT_EQ(answer.status, 200U);
    EXPECT_LT(answer.text.size(), 20'000U);
    EXPECT_THAT(answer.text, HasSubstr("and 2988 more"));
}

TEST_F(ApiServices, LinesOfTheWholeSetAreWarnedOfByTheirNumber) {
    json::object odd = declaration("two", {"a"});
    odd["suspend"] = true;
    const ApiAnswer answer = put_all(line(declaration("one", {"a"})) + line(odd));
    ASSERT_EQ(answer.status, 200U);
    const json::value document = answer.document();
    EXPECT_EQ(document.at("applied"), 2);
    const json::array& warned = document.at("warned").as_array();
    ASSERT_EQ(warned.size(), 1U);
    EXPECT_EQ(warned[0].at("line"), 2);
    EXPECT_EQ(warned[0].at("name"), "two");
    EXPECT_THAT(fields(warned[0]), ElementsAre("suspend"));
}

}  // namespace
}  // namespace ome::observer
