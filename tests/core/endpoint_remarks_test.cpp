#include <ome/core/endpoint_remarks.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(EndpointRemarks, TellWhatBecomesOfAQueryAndOfAFragment) {
    EXPECT_TRUE(endpoint_remarks("http://a.example/b").empty());
    EXPECT_TRUE(endpoint_remarks("http://a.example/b%3Fx%23y").empty());
    const auto of_query = endpoint_remarks("http://a.example/b?x=1");
    ASSERT_EQ(of_query.size(), 1U);
    EXPECT_TRUE(of_query[0].starts_with("its query (`?...`) stays"));
    EXPECT_EQ(endpoint_remarks("http://a.example/b?"), of_query) << "the sign alone is sent, too";
    const auto of_fragment = endpoint_remarks("http://a.example/b#c?d");
    ASSERT_EQ(of_fragment.size(), 1U);
    EXPECT_TRUE(of_fragment[0].starts_with("its fragment (`#...`) is dropped"));
    EXPECT_EQ(endpoint_remarks("http://a.example/b?x#").size(), 2U);
    EXPECT_TRUE(endpoint_remarks("a.example?x#y").empty()) << "why it is not usable says more";
}

TEST(SchemeRemark, TellsThatASchemeIsMissingWhereThatIsTheFault) {
    for (const char* url : {"a.example", "a.example:443", "10.0.0.1:8080", "worker-a:80/x"}) {
        EXPECT_EQ(scheme_remark(url), "http:// or https:// is missing in front") << url;
    }
    for (const char* url :
         {"", "/x", "//a.example", "http://a.example", "ftp://a.example", "http://a b"}) {
        EXPECT_EQ(scheme_remark(url), "") << url;
    }
}

TEST(EndpointRemarks, TellOfWhatIsAcceptedAndDoesNotWork) {
    const auto of_port = endpoint_remarks("http://a.example:65536");
    ASSERT_EQ(of_port.size(), 1U);
    EXPECT_NE(of_port[0].find("above 65535"), of_port[0].npos);
    EXPECT_EQ(endpoint_remarks("http://a.example:100000/b"), of_port);
    EXPECT_TRUE(endpoint_remarks("http://a.example:65535").empty());
    EXPECT_TRUE(endpoint_remarks("http://a.example:000080").empty());
    const auto of_userinfo = endpoint_remarks("http://user:pw@a.example");
    ASSERT_EQ(of_userinfo.size(), 1U);
    EXPECT_NE(of_userinfo[0].find("never sent"), of_userinfo[0].npos);
    EXPECT_EQ(endpoint_remarks("http://user@a.example"), of_userinfo);
}

}  // namespace
}  // namespace ome::core
