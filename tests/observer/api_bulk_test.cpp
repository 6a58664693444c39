#include "api_fixture.hpp"

#include <support/captured_log.hpp>

namespace ome::observer {
namespace {

namespace json = boost::json;

using ApiBulk = ApiTest;

TEST_F(ApiBulk, DeclaresEveryLineAndForgetsWhatIsMissing) {
    put(declaration("old", {"a"}));
    const ApiAnswer answer =
        put_all(line(declaration("one", {"a"})) + line(declaration("two", {"a", "b"})));
    EXPECT_EQ(answer.status, 200U);
    const json::value body = answer.document();
    EXPECT_EQ(body.at("applied"), 2);
    EXPECT_EQ(body.at("forgotten"), 1);
    EXPECT_TRUE(body.at("rejected").as_array().empty());
    EXPECT_EQ(body.at("instance"), hub->instance().c_str());
    EXPECT_FALSE(declared("old"));
    EXPECT_TRUE(declared("one"));
    EXPECT_TRUE(declared("two"));
}

TEST_F(ApiBulk, WhatChangedIsLoggedInOneLine) {
    put(declaration("old", {"a"}));
    test::CapturedLog captured;
    for (int i = 0; i < 2; ++i) {
        put_all(line(declaration("one", {"a"})) + line(declaration("two", {"a", "b"})));
    }
    const std::string log = captured.text();
    const std::size_t told = log.find("services declared services=2 new=2 forgotten=1 rejected=0");
    ASSERT_NE(told, log.npos) << log;
    EXPECT_EQ(log.find("services declared", told + 1), log.npos) << log;
}

TEST_F(ApiBulk, EachLineSucceedsOrFailsAloneAndAFailedOneKeepsItsDeclaration) {
    put(declaration("two", {"a"}));
    json::object wrong = declaration("two", {"b"});
    wrong["probe"].as_object()["timeout"] = "10s";
    const json::value body =
        put_all(line(declaration("one", {"a"})) + line(wrong) + line(declaration("three", {"a"})))
            .document();
    EXPECT_EQ(body.at("applied"), 2);
    EXPECT_EQ(body.at("forgotten"), 0);
    const json::array& rejected = body.at("rejected").as_array();
    ASSERT_EQ(rejected.size(), 1U);
    EXPECT_EQ(rejected[0].at("line"), 2);
    EXPECT_EQ(rejected[0].at("name"), "two");
    EXPECT_EQ(rejected[0].at("error").at("code"), "Invalid");
    EXPECT_EQ(rejected[0].at("error").at("field"), "probe.timeout");
    const json::value kept = call("GET", "/v1/services/prod/two").document();
    EXPECT_EQ(kept.at("homes").as_array().at(0).at("cluster"), "a");
}

TEST_F(ApiBulk, ALineThatIsNotJsonHasOneNumber) {
    const json::value body = put_all(line(declaration("one", {"a"})) + "junk\n").document();
    const json::array& rejected = body.at("rejected").as_array();
    ASSERT_EQ(rejected.size(), 1U);
    EXPECT_EQ(rejected[0].at("line"), 2);
    const std::string message(rejected[0].at("error").at("message").as_string());
    EXPECT_EQ(message.find("line"), message.npos) << message;
    EXPECT_EQ(message.rfind("not JSON: column 1", 0), 0U) << message;
}

TEST_F(ApiBulk, OfTwoLinesForOneServiceTheSecondIsRejected) {
    const json::value body =
        put_all(line(declaration("one", {"a"})) + line(declaration("one", {"b"}))).document();
    EXPECT_EQ(body.at("applied"), 1);
    const json::value& second = body.at("rejected").as_array().at(0);
    EXPECT_EQ(second.at("line"), 2);
    EXPECT_EQ(second.at("error").at("message"), "service prod/one is declared in line 1 already");
    const json::value kept = call("GET", "/v1/services/prod/one").document();
    EXPECT_EQ(kept.at("homes").as_array().at(0).at("cluster"), "a");
}

TEST_F(ApiBulk, ALineThatNamesNoServiceKeepsEverythingFromBeingForgotten) {
    for (const std::string& bad : {std::string("nonsense\n"),
                                   std::string("{}\n"),
                                   std::string("[1]\n"),
                                   std::string(R"({"namespace":"Bad_","name":"x"})") + "\n",
                                   std::string(1024 * 1024 + 1, ' ') + "\n"}) {
        put(declaration("old", {"a"}));
        const json::value body = put_all(line(declaration("one", {"a"})) + bad).document();
        EXPECT_EQ(body.at("applied"), 1);
        EXPECT_EQ(body.at("forgotten"), 0);
        EXPECT_EQ(body.at("rejected").as_array().size(), 1U);
        EXPECT_TRUE(declared("old"));
    }
}

TEST_F(ApiBulk, ABodyThatIsCutShortForgetsNothing) {
    put(declaration("old", {"a"}));
    const ApiAnswer answer = call_in_pieces("PUT",
                                            "/v1/services",
                                            {line(declaration("one", {"a"})) + R"({"namespa)"},
                                            "application/x-ndjson",
                                            Ending::CutShort);
    EXPECT_EQ(answer.status, 400U);
    EXPECT_TRUE(declared("old"));
    EXPECT_TRUE(declared("one"));
}

TEST_F(ApiBulk, AnEmptyBodyForgetsAll) {
    put(declaration("old", {"a"}));
    const json::value body = put_all("").document();
    EXPECT_EQ(body.at("applied"), 0);
    EXPECT_EQ(body.at("forgotten"), 1);
    EXPECT_FALSE(declared("old"));
}

// Somebody declares a service while a body is under way: it is not missing from it.
TEST_F(ApiBulk, WhatIsDeclaredMeanwhileIsNotMissing) {
    class Meddling final : public net::RequestBody {
    public:
        Meddling(Hub* hub, std::string text) : hub_(hub), text_(std::move(text)) {}
        net::Awaitable<std::optional<std::string>> next() override {
            if (std::exchange(told_, true)) {
                co_return std::nullopt;
            }
            core::ServiceDeclaration late;
            late.key = {"prod", "late"};
            std::ignore = co_await hub_->declare(std::move(late));
            co_return text_;
        }
        [[nodiscard]] bool complete() const override { return true; }

    private:
        Hub* hub_;
        std::string text_;
        bool told_ = false;
    };
    net::ServerRequest request;
    request.headers["content-type"] = "application/x-ndjson";
    request.body = std::make_shared<Meddling>(hub.get(), line(declaration("one", {"a"})));
    const auto response = test::run(io, put_services(context.get(), std::move(request)));
    EXPECT_EQ(response.status, 200U);
    EXPECT_TRUE(declared("late"));
}

TEST_F(ApiBulk, TheListOfRejectedLinesIsBoundedAndTheRestIsCounted) {
    std::string lines;
    for (int i = 0; i < 3000; ++i) {
        lines += "{}\n";
    }
    const json::value body = put_all(lines).document();
    EXPECT_EQ(body.at("rejected").as_array().size(), 1000U);
    EXPECT_EQ(body.at("rejectedNotListed"), 2000);
}

// A body without end costs little memory: of refused names, few are kept to tell the second of two.
TEST_F(ApiBulk, RefusedNamesAreNotAllRememberedAndNothingIsForgottenForThat) {
    put(declaration("old", {"a"}));
    put(declaration("missing", {"a"}));
    std::string lines;
    const auto refuse = [&lines](const std::string& name) {
        lines += R"({"namespace":"prod","name":")" + name + "\"}\n";
    };
    for (int i = 0; i < 10'001; ++i) {
        refuse("s" + std::to_string(i));
    }
    refuse("old");
    const json::value body =
        put_all(lines + line(declaration("s0", {"a"})) + line(declaration("s10000", {"a"})))
            .document();
    EXPECT_FALSE(declared("s0")) << "the second line for it";
    EXPECT_TRUE(declared("s10000"));
    EXPECT_EQ(body.at("applied"), 1);
    EXPECT_EQ(body.at("forgotten"), 1);
    EXPECT_TRUE(declared("old")) << "a name that is declared is always remembered";
    EXPECT_FALSE(declared("missing"));
}

TEST_F(ApiBulk, AnotherContentTypeAndAServicesFileAreRefused) {
    EXPECT_EQ(call("PUT", "/v1/services", "{}").status, 415U);
    context->fixed_services = true;
    EXPECT_EQ(put_all("").status, 409U);
}

TEST_F(ApiBulk, TheSameSetAgainKeepsEveryHistory) {
    const std::string lines = line(declaration("one", {"a"}));
    put_all(lines);
    settle();
    const auto before = call("GET", "/v1/services/prod/one").document().at("homes");
    put_all(lines);
    const auto after = call("GET", "/v1/services/prod/one").document().at("homes");
    EXPECT_EQ(after.at(0).at("probe").at("lastProbeTime"),
              before.at(0).at("probe").at("lastProbeTime"));
}

}  // namespace
}  // namespace ome::observer
