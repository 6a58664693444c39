#include "trust_keeper.hpp"

#include <gtest/gtest.h>
#include <support/captured_log.hpp>

#include <filesystem>
#include <fstream>

namespace ome::observer {
namespace {

// What a SIGHUP logs, and how often the trust was handed on.
std::pair<std::string, int> reload(const Settings& settings) {
    test::CapturedLog captured;
    int handed_on = 0;
    TrustKeeper keeper(settings, [&handed_on](const auto&) { ++handed_on; });
    EXPECT_TRUE(keeper.begin());
    keeper.reload();
    return {captured.text(), handed_on};
}

TEST(TrustKeeper, SaysNothingOfTlsToThoseWhoNameNoFiles) {
    const auto [text, handed_on] = reload({});
    EXPECT_EQ(text, "");
    EXPECT_EQ(handed_on, 1) << "the system's authorities may have changed";
}

TEST(TrustKeeper, SaysWhatWasReadToThoseWhoNameFiles) {
    Settings settings;
    settings.tls_dir = testing::TempDir() + "trust_keeper";
    std::filesystem::create_directory(settings.tls_dir);
    const auto [text, handed_on] = reload(settings);
    std::filesystem::remove(settings.tls_dir);
    EXPECT_NE(text.find("what TLS to homes trusts was read again"), std::string::npos) << text;
    EXPECT_EQ(handed_on, 1);
}

TEST(TrustKeeper, NamesTheFlagOfAFileThatIsNoUse) {
    Settings settings;
    settings.tls_dir = testing::TempDir() + "trust_keeper_flag";
    std::filesystem::create_directory(settings.tls_dir);
    std::ofstream(settings.tls_dir + "/a.ca.pem") << "nonsense";
    const auto [text, handed_on] = reload(settings);
    std::filesystem::remove_all(settings.tls_dir);
    EXPECT_NE(text.find("--tls-dir: " + settings.tls_dir + "/a.ca.pem"), std::string::npos) << text;
}

}  // namespace
}  // namespace ome::observer
