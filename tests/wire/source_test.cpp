#include "source.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

std::string as_json(std::string_view yaml) {
    const auto sources = parse_yaml_sources(yaml);
    if (!sources) {
        return sources.error().message;
    }
    std::string joined;
    for (const Source& source : *sources) {
        joined += (joined.empty() ? "" : " ") + json::serialize(source.value);
    }
    return joined;
}

TEST(Source, ThatIsBinaryIsCalledSo) {
    for (const char* text : {"{\"a\": \"\xff\"}", "\"\xfe"}) {
        const auto sources = parse_sources(text);
        ASSERT_FALSE(sources) << text;
        EXPECT_EQ(sources.error().message, "this is no text in UTF-8, expected JSON or YAML");
    }
    EXPECT_NE(parse_sources("{\"\u00e9\": }").error().message.find("line 1"), std::string::npos);
}

TEST(Source, MayBeginWithTheMarkThatEditorsPutThere) {
    const auto broken = parse_sources("\xef\xbb\xbf{\"a\":1,}");
    ASSERT_FALSE(broken) << "as JSON, where YAML would let the comma pass";
    EXPECT_TRUE(broken.error().message.starts_with("line 1, column 8: "));
    EXPECT_TRUE(parse_sources("\xef\xbb\xbf[1]"));
    EXPECT_TRUE(
        parse_sources("\xef\xbb\xbf"
                      "a: 1"));
}

TEST(JsonSource, KnowsTheLineOfEachPart) {
    const auto source = parse_json_source("\n{\"a\": {\n \"b\": [1,\n 2]}}\n", Locate::Yes);
    ASSERT_TRUE(source);
    EXPECT_EQ(source->lines.of(""), 2U);
    EXPECT_EQ(source->lines.of("a"), 2U);
    EXPECT_EQ(source->lines.of("a.b"), 3U);
    EXPECT_EQ(source->lines.of("a.b[1]"), 4U);
    EXPECT_EQ(source->lines.of("a.missing[3].x"), 2U);
}

TEST(JsonSource, FindsMembersNamedTwiceAlsoBehindEscapes) {
    const auto source =
        parse_json_source(R"({"a":{"x":1,"\u0078":2},"s":"\"a\":","a":3})", Locate::No);
    ASSERT_TRUE(source);
    ASSERT_EQ(source->duplicates.size(), 2U);
    EXPECT_EQ(source->duplicates[0].field, "a.x");
    EXPECT_EQ(source->duplicates[1].message, "a is given twice");
}

TEST(JsonSource, FindsARepetitionAmongFewAndManyWithItsPath) {
    for (const int others : {0, 2, 14, 15, 16, 40}) {
        std::string members;
        for (int i = 0; i < others; ++i) {
            members += "\"m" + std::to_string(i) + "\":{},";
        }
        const std::string text =
            R"({"items":[1,{"a.b":{"x":1,)" + members + R"("x":2}}],"x":{"x":[]}})";
        for (const Locate locate : {Locate::No, Locate::Yes}) {
            const auto source = parse_json_source(text, locate);
            ASSERT_TRUE(source);
            ASSERT_EQ(source->duplicates.size(), 1U) << text;
            EXPECT_EQ(source->duplicates[0].field, R"(items[1]["a.b"].x)");
        }
    }
}

TEST(JsonSource, SaysWhereTheTextIsWrong) {
    EXPECT_TRUE(
        parse_json_source("{\n \"a\": }", Locate::No).error().message.starts_with("line 2, "));
    EXPECT_TRUE(parse_json_source("", Locate::No).error().message.starts_with("line 1, "));
    EXPECT_EQ(parse_json_source("{} {}", Locate::No).error().message,
              "line 1, column 4: text after the document");
    EXPECT_FALSE(parse_json_source("{\"a\":1,}", Locate::No));
    EXPECT_FALSE(parse_json_source("\"\xff\"", Locate::No));
}

TEST(JsonSource, BoundsTheDepth) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_TRUE(parse_json_source(nested(64), Locate::Yes));
    EXPECT_FALSE(parse_json_source(nested(65), Locate::Yes));
    EXPECT_FALSE(parse_json_source(nested(1'000'000), Locate::Yes));
}

TEST(YamlSource, ReadsScalarsByTheCoreSchema) {
    EXPECT_EQ(as_json("[~, null, Null, true, FALSE, yes, on]"),
              R"([null,null,null,true,false,"yes","on"])");
    EXPECT_EQ(as_json("[1, -2, +3, 010, 0o10, 0x1F, 18446744073709551615]"),
              "[1,-2,3,10,8,31,18446744073709551615]");
    EXPECT_EQ(as_json("[1_000, 0b1, 1:30, 10s, .inf, v1, -, '']"),
              R"(["1_000","0b1","1:30","10s",".inf","v1","-",""])");
    EXPECT_EQ(as_json("[1.5, .5, 2., 1e3]"), "[1.5E0,5E-1,2E0,1E3]");
}

TEST(YamlSource, KeepsQuotedScalarsAsTexts) {
    EXPECT_EQ(as_json("['1', \"true\", !!str 5, 'null']"), R"(["1","true","5","null"])");
    EXPECT_EQ(as_json("a: |\n  1\n"), R"({"a":"1\n"})");
}

TEST(YamlSource, ReadsSeveralDocumentsAndLeavesOutEmptyOnes) {
    EXPECT_EQ(as_json("a: 1\n---\n# nothing\n---\nb: 2\n"), R"({"a":1} {"b":2})");
    EXPECT_EQ(as_json(""), "");
}

TEST(YamlSource, RefusesTextThatFollowsADocumentWithoutASeparator) {
    EXPECT_TRUE(as_json(R"("a","b":[1])").starts_with("line 1, column 4: text after"));
    EXPECT_TRUE(as_json("a: 1\n---\nb: 2\n}\n").starts_with("line 4"));
    EXPECT_EQ(as_json("# head\n---\na: 1\n...\n---\nb: 2\n"), R"({"a":1} {"b":2})");
}

TEST(YamlSource, ResolvesAnchorsAndMergeKeys) {
    EXPECT_EQ(as_json("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n"),
              R"({"base":{"x":1,"y":2},"own":{"x":1,"y":3}})");
    EXPECT_EQ(as_json("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n"),
              R"({"a":{"x":1},"b":{"x":2,"y":2},"c":{"x":1,"y":2}})");
    EXPECT_EQ(as_json("c: {<<: 5}"), "line 1: c merges (`<<`) something that is no mapping");
}

TEST(YamlSource, RefusesAliasesThatGrowTooLarge) {
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 10; ++i) {
        bomb += fmt::format(
            "a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n",
            i,
            i - 1);
    }
    EXPECT_NE(as_json(bomb).find("grows too large when aliases are resolved"), std::string::npos);
    EXPECT_NE(as_json("a: &a [*a]").find("line 1"), std::string::npos);
}

TEST(YamlSource, BoundsTheDepthThatAliasesAddUpTo) {
    std::string tower = "a0: &a0 [x]\n";
    for (int i = 1; i < 70; ++i) {
        tower += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
    }
    EXPECT_NE(as_json(tower).find("is nested deeper than 64 levels"), std::string::npos);
}

TEST(YamlSource, TakesAnAliasForTheNameOfAMember) {
    EXPECT_EQ(as_json("a: &k b\n*k : 1\n"), R"({"a":"b","b":1})");
    EXPECT_EQ(as_json("&k a: 1\nb: *k\n"), R"({"a":1,"b":"a"})");
}

TEST(YamlSource, NamesKeysGivenTwiceWithTheirLine) {
    const auto sources = parse_yaml_sources("a:\n  x: 1\n  y: 2\n  x: 3\n");
    ASSERT_TRUE(sources);
    ASSERT_EQ(sources->front().duplicates.size(), 1U);
    EXPECT_EQ(sources->front().duplicates[0].message, "a.x is given twice");
    EXPECT_EQ(sources->front().lines.of("a.x"), 4U);
}

TEST(YamlSource, SaysWhereTheTextIsWrong) {
    EXPECT_TRUE(as_json("a: 1\nb: [1\n").starts_with("line "));
    EXPECT_TRUE(as_json("a: *missing\n").starts_with("line 1"));
    EXPECT_EQ(as_json("? [a]\n: 1\n"), "line 1: the document has a key that is no plain text");
    EXPECT_FALSE(parse_yaml_sources(std::string(100'000, '[')));
}

TEST(YamlSource, ShowsNoControlCharacterOfATextThatIsWrong) {
    const auto wrong = parse_sources("a:\n \"\\\x13\"\n");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message.find('\x13'), std::string::npos) << wrong.error().message;
}

TEST(Sources, TakeATextThatBeginsLikeJsonForNothingElse) {
    EXPECT_TRUE(parse_sources(" [1]"));
    EXPECT_TRUE(parse_sources("a: {b: }"));
    EXPECT_TRUE(
        parse_sources("{\"method\": , \"a\": 1}").error().message.starts_with("line 1, column "));
}

TEST(Paths, QuoteNamesThatAreNoPlainWords) {
    EXPECT_EQ(member_path("", "a"), "a");
    EXPECT_EQ(member_path("a", "b-c"), "a.b-c");
    EXPECT_EQ(member_path("a", "b.c"), "a[\"b.c\"]");
    EXPECT_EQ(item_path("a", 3), "a[3]");
}

}  // namespace
}  // namespace ome::wire
