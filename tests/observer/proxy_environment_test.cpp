#include "proxy_environment.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ome::observer {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
    return [variables = std::move(variables)](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(ProxyEnvironment, UpperCaseCountsMoreThanLowerCase) {
    const auto read = proxy_variables(environment({{"HTTP_PROXY", "http://a"},
                                                   {"http_proxy", "http://b"},
                                                   {"HTTPS_PROXY", ""},
                                                   {"https_proxy", "http://c"},
                                                   {"no_proxy", "d"}}));
    EXPECT_EQ(read.http, "http://a");
    EXPECT_EQ(read.https, "http://c");
    EXPECT_EQ(read.none, "d");
}

TEST(ProxyEnvironment, F21_NothingIsReadUnlessTheSettingIsOn) {
    std::set<std::string> asked;
    const Environment all = [&](const std::string& name) -> std::optional<std::string> {
        asked.insert(name);
        return "http://proxy.test";
    };
    core::RequestTarget target;
    target.host = "home.test";
    EXPECT_EQ(proxy_rules(Settings(), all)->proxy_for(target), nullptr);
    EXPECT_TRUE(asked.empty());
    Settings on;
    on.proxy_from_environment = true;
    EXPECT_EQ(proxy_rules(on, environment({{"http_proxy", "http://proxy.test"}}))
                  ->proxy_for(target)
                  ->shown(),
              "proxy.test:80");
}

}  // namespace
}  // namespace ome::observer
