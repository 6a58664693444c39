// What `/` answers whom.
#include "api_fixture.hpp"

#include <gmock/gmock.h>

namespace ome::observer {
namespace {

using testing::HasSubstr;

std::string text_of(const net::ServerResponse& response) {
    return std::get<std::string>(response.body);
}

class ApiFront : public ApiTest {};

TEST_F(ApiFront, ABrowserGetsThePage) {
    const net::ServerResponse page =
        get_accepting("/", "text/html,application/xml;q=0.9,*/*;q=0.8");
    EXPECT_EQ(page.status, 200U);
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_THAT(text_of(page), HasSubstr(R"(name="ome-mode" content="observer")"));
    EXPECT_THAT(page.headers, testing::Contains(testing::Key("Content-Security-Policy")));
}

TEST_F(ApiFront, WhoeverDoesNotAskForHtmlGetsTheTable) {
    for (const char* accept : {"", "*/*", "text/plain", "application/json"}) {
        const net::ServerResponse text = get_accepting("/", accept);
        EXPECT_EQ(text.content_type, "text/plain; charset=utf-8") << accept;
        EXPECT_THAT(text_of(text), testing::StartsWith("version ")) << accept;
        EXPECT_THAT(text.headers, testing::Contains(std::pair("Vary", "Accept"))) << accept;
    }
}

TEST_F(ApiFront, OnlyThePageItselfNeedsNoToken) {
    net::ServerRequest request;
    request.method = "GET";
    request.path = "/";
    request.headers["accept"] = "text/html";
    EXPECT_TRUE(asks_for_page(request));
    request.path = "/v1/services";
    EXPECT_FALSE(asks_for_page(request));
    request.path = "/";
    request.method = "POST";
    EXPECT_FALSE(asks_for_page(request));
    request.method = "GET";
    request.headers["accept"] = "*/*";
    EXPECT_FALSE(asks_for_page(request)) << "the table holds data";
}

}  // namespace
}  // namespace ome::observer
