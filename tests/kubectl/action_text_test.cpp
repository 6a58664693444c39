#include "action_text.hpp"

#include <gtest/gtest.h>

namespace ome::kubectl {
namespace {

TEST(ShellWord, IsInQuotesWhereItHasToBe) {
    EXPECT_EQ(shell_word("dir:/var/lib/ome"), "dir:/var/lib/ome");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("two words"), "'two words'");
    EXPECT_EQ(shell_word("it's; `rm` $(x)"), "'it'\\''s; `rm` $(x)'");
    EXPECT_EQ(shell_word("caf\u00e9"), "'caf\u00e9'");
}

// An ID of a drain is what somebody wrote into an annotation.
TEST(ShellWord, HoldsNothingThatATerminalObeys) {
    EXPECT_EQ(shell_word("a\x1b[31m\r\n\x7f"), "$'a\\x1b[31m\\x0d\\x0a\\x7f'");
    EXPECT_EQ(shell_word("\u202eb\u009b"), "$'\\xe2\\x80\\xaeb\\xc2\\x9b'");
    EXPECT_EQ(shell_word("it's\\\n"), "$'it\\'s\\\\\\x0a'");
}

}  // namespace
}  // namespace ome::kubectl
