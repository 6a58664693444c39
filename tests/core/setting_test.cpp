#include <ome/core/setting.hpp>

#include <gtest/gtest.h>

namespace ome::core {
namespace {

TEST(MessageWithFlag, TurnsTheNameInFrontIntoItsFlag) {
    const Problem problem{"tls-key: /k.pem: No such file or directory", "tls-key"};
    EXPECT_EQ(message_with_flag(problem), "--tls-key: /k.pem: No such file or directory");
    EXPECT_EQ(message_with_flag(problem, "observer-"),
              "--observer-tls-key: /k.pem: No such file or directory");
}

TEST(MessageWithFlag, LeavesOtherMessagesAlone) {
    EXPECT_EQ(message_with_flag({"TLS cannot start: no memory", "ca-file"}),
              "TLS cannot start: no memory");
    EXPECT_EQ(message_with_flag({"--tls-cert and --tls-key must be given together", "tls-cert"}),
              "--tls-cert and --tls-key must be given together");
    EXPECT_EQ(message_with_flag({": odd", ""}), ": odd");
}

}  // namespace
}  // namespace ome::core
