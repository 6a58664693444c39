#include "host_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::routing {
namespace {

std::string rendered(std::string_view text) {
    const auto parsed = HostTemplate::parse(text);
    if (!parsed) {
        return "parse: " + parsed.error().message;
    }
    const auto made = parsed->render({"chat", "prod"});
    return made ? *made : "render: " + made.error().message;
}

TEST(HostTemplate, PutsNameAndNamespaceIn) {
    EXPECT_EQ(rendered(""), "");
    EXPECT_EQ(rendered("fixed.example.com"), "fixed.example.com");
    EXPECT_EQ(rendered("{{ .Name }}.{{.Namespace}}.example.com"), "chat.prod.example.com");
    EXPECT_EQ(rendered("{{ print .Name \"-\" .Namespace }}.x"), "chat-prod.x");
    EXPECT_EQ(rendered("{{ printf \"%s-%v.100%%\" .Name .Namespace }}"), "chat-prod.100%");
    EXPECT_EQ(rendered("{{ .Name | printf `%s.x` }}"), "chat.x");
    EXPECT_EQ(rendered("{{ `}}` }}"), "}}");
}

TEST(HostTemplate, TrimsAndComments) {
    EXPECT_EQ(rendered("a  {{- .Name -}}  b"), "achatb");
    EXPECT_EQ(rendered("a{{/* a }} comment */}}b"), "ab");
    EXPECT_EQ(rendered("a {{- /* x */ -}} b"), "ab");
}

TEST(HostTemplate, Decides) {
    const char* text =
        "{{ if eq .Namespace \"prod\" \"live\" }}www{{ else if eq .Namespace \"test\" }}t{{ else "
        "}}{{ .Namespace }}{{ end }}.example.com";
    EXPECT_EQ(rendered(text), "www.example.com");
    EXPECT_EQ(rendered("{{ if and .Name (not (eq .Namespace \"prod\")) }}a{{ else }}b{{ end }}"),
              "b");
    EXPECT_EQ(rendered("{{ if or \"\" .Name }}{{ if ne .Name \"x\" }}in{{ end }}{{ end }}"), "in");
    EXPECT_EQ(rendered("{{ or \"\" .Name }}"), "chat");
    EXPECT_EQ(rendered("{{ if eq .Name \"x\" }}a{{ else if eq .Name \"y\" }}b{{ end }}c"), "c");
}

TEST(HostTemplate, SaysWhatItDoesNotKnow) {
    using testing::HasSubstr;
    EXPECT_THAT(rendered("{{ lower .Name }}"), HasSubstr("parse: \"lower\" is not supported"));
    EXPECT_THAT(rendered("{{ .Cluster }}"), HasSubstr("render: there is no field .Cluster"));
    EXPECT_THAT(rendered("{{ .Name.x }}"), HasSubstr("only the fields .Name and .Namespace"));
    EXPECT_THAT(rendered("{{ range .Name }}{{ end }}"), HasSubstr("\"range\" is not supported"));
    EXPECT_THAT(rendered("{{ .Name"), HasSubstr("unclosed action"));
    EXPECT_THAT(rendered("x{{"), HasSubstr("unclosed action"));
    EXPECT_THAT(rendered("{{ if .Name }}x"), HasSubstr("{{if}} has no {{end}}"));
    EXPECT_THAT(rendered("{{ if .Name }}x{{ else }}y"), HasSubstr("{{if}} has no {{end}}"));
    EXPECT_THAT(rendered("x{{ end }}"), HasSubstr("unexpected {{end}}"));
    EXPECT_THAT(rendered("{{ else }}"), HasSubstr("unexpected {{else}}"));
    EXPECT_THAT(rendered("{{ }}"), HasSubstr("missing value for command"));
    EXPECT_THAT(rendered("{{ $x := .Name }}"), HasSubstr("unexpected \"$x := .Name"));
    EXPECT_THAT(rendered("{{ \"a }}"), HasSubstr("unclosed action"));
    EXPECT_THAT(rendered("{{ (.Name }}"), HasSubstr("unclosed left paren"));
    EXPECT_THAT(rendered("{{ .Name \"x\" }}"), HasSubstr("a value takes no arguments"));
    EXPECT_THAT(rendered("{{ printf \"%d\" .Name }}"), HasSubstr("does not fit its arguments"));
    EXPECT_THAT(rendered("{{ printf \"%s\" }}"), HasSubstr("does not fit its arguments"));
    EXPECT_THAT(rendered("{{ eq .Name }}"), HasSubstr("wrong number of arguments"));
    EXPECT_THAT(rendered("{{ .Name | .Namespace }}"), HasSubstr("only a function"));
    EXPECT_THAT(rendered("{{/* x"), HasSubstr("unclosed comment"));
}

TEST(HostTemplate, BoundsHowDeepItNests) {
    std::string deep = "{{ ";
    deep.append(1000, '(');
    EXPECT_THAT(rendered(deep + " }}"), testing::HasSubstr("nest too deeply"));
    std::string ifs;
    for (int i = 0; i < 1000; ++i) {
        ifs += "{{ if .Name }}";
    }
    EXPECT_THAT(rendered(ifs), testing::HasSubstr("nests too deeply"));
}

}  // namespace
}  // namespace ome::routing
