#include "parser_words.hpp"

#include <ome/core/policy_rules.hpp>
#include <ome/wire/check_report.hpp>
#include <ome/wire/config_document.hpp>

#include <boost/json/error.hpp>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

// What `check` prints of a file called f.
std::string checked(const std::string& text) {
    return as_text({{"f", check_document(text, core::chart_limits())}});
}

TEST(ParserWords, NameTheLineOnce) {
    EXPECT_EQ(checked("kind: InferenceService\nmetadata: {name: x\n"),
              "f:3: column 1: inside braces a `,` or the closing `}` is missing\n");
    EXPECT_EQ(checked("kind: InferenceService\n\tmetadata: 5\n"),
              "f:2: column 1: a tab in the indentation: YAML takes blanks\n");
    EXPECT_EQ(checked("a: \"x"),
              "f:1: column 6: the text ends inside quotes: a closing quote is missing\n");
    EXPECT_EQ(
        checked("{\"kind\":\"InferenceService\",\n\"metadata\":}"),
        "f:2: column 12: \"}\" is not what JSON has here: expected a value (a text takes double "
        "quotes)\n");
    EXPECT_EQ(checked("{\"homes\":[],\n}"),
              "f:2: column 1: \"}\" is not what JSON has here: expected a name in double quotes "
              "behind the comma; is the comma one too many?\n")
        << "and nothing of what is missing, which nobody can know";
    EXPECT_EQ(checked("{\"kind\":\"x\",\n\"metadata\":{\"name\":\"x\""),
              "f:2: column 23: the JSON text ends before it is complete: a quote, brace or bracket "
              "is not closed\n");
}

TEST(ParserWords, CountLinesOfTheFileInsideAConfigMap) {
    EXPECT_EQ(
        checked("kind: ConfigMap\ndata:\n  multicluster: |\n    {\"routing\":\n    {,\n"),
        "f:5: data.multicluster: column 2: \",\" is not what JSON has here: expected a name in "
        "double quotes, or `}`\n");
    EXPECT_EQ(
        checked("kind: ConfigMap\ndata:\n  multicluster: '{,'\n"),
        "f:3: data.multicluster: column 2: \",\" is not what JSON has here: expected a name in "
        "double quotes, or `}`\n");
    EXPECT_EQ(checked(R"({"kind":"ConfigMap",
"data":{"multicluster":"{\n,"}})"),
              "f:2: data.multicluster: line 2 of the text, column 1: \",\" is not what JSON has "
              "here: expected a name in double quotes, or `}`\n");
    EXPECT_EQ(read_config("kind: ConfigMap\ndata:\n  multicluster: |\n    {\"routing\":\n    {,\n")
                  .error()
                  .message,
              "load multi-cluster configuration: unable to parse multicluster config json: unable "
              "to unmarshall multicluster json string due to data.multicluster: line 2, column 2: "
              "\",\" is not what JSON has here: expected a name in double quotes, or `}` ");
}

TEST(ParserWords, LeaveOtherMessagesAsTheyAre) {
    EXPECT_EQ(yaml_fault_words("bad\ndereference"), "bad dereference");
    EXPECT_EQ(json_fault_words("x", 0, boost::json::error::too_deep),
              make_error_code(boost::json::error::too_deep).message());
}

}  // namespace
}  // namespace ome::wire
