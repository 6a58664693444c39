#include "services_file.hpp"

#include <ome/core/policy_rules.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/captured_log.hpp>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ome::observer {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServicesFile : public testing::Test {
protected:
    ServicesFile() {
        char name[] = "/tmp/services-file-XXXXXX";
        folder = mkdtemp(name);
        path = folder + "/s";
    }
    ~ServicesFile() override { std::filesystem::remove_all(folder); }

    std::string problem(std::string_view text) {
        std::ofstream(path, std::ios::trunc) << text;
        return problem();
    }
    [[nodiscard]] std::string problem() const {
        const auto read = read_services_file(path, core::chart_limits());
        return read ? "none" : read.error().message;
    }

    std::string folder;
    std::string path;
};

TEST_F(ServicesFile, ThatIsNoFileIsNamedWithItsFlag) {
    EXPECT_EQ(problem(), "--services " + path + ": No such file or directory");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(problem(), "--services " + path + ": is a pipe, expected a file");
    path = folder;
    EXPECT_EQ(problem(), "--services " + path + ": is a folder, expected a file");
}

TEST_F(ServicesFile, OfAnotherSubjectIsNamedAsWhatItIs) {
    EXPECT_EQ(problem("routing: {}"),
              "--services " + path +
                  ": this is a multicluster configuration, expected declarations of services: a "
                  "list, `services` or one of them");
    EXPECT_THAT(problem("kind: InferenceService"), HasSubstr("this is an InferenceService"));
    EXPECT_THAT(problem(""), HasSubstr("the file is empty; to declare no service write []"));
    EXPECT_EQ(problem("[]"), "none");
}

TEST_F(ServicesFile, WithoutAnyDocumentIsEmpty) {
    for (const char* text :
         {"\n", "# c\n", "---\n", "---\n---\n", "null\n", "~\n", "\xef\xbb\xbf"}) {
        EXPECT_THAT(problem(text), HasSubstr("the file is empty; to declare no service write []"))
            << text;
    }
    for (const char* text : {"1", "word", "{}", "kind: List\nitems: []\n"}) {
        EXPECT_NE(problem(text), "none") << text;
    }
    EXPECT_EQ(problem("services: []\n"), "none");
    EXPECT_EQ(problem("---\n[]\n"), "none");
}

TEST_F(ServicesFile, WithASlipOfSyntaxIsToldOfThatAlone) {
    const std::string told = problem("[\n {\"homes\": [],}\n]");
    EXPECT_THAT(told, HasSubstr("--services " + path + ": line 2, column 15: "));
    EXPECT_THAT(told, HasSubstr("is the comma one too many?"));
    EXPECT_THAT(told, Not(HasSubstr("is required")));
}

TEST_F(ServicesFile, TellsWhatItDoesNotTakeAsWritten) {
    test::CapturedLog captured;
    EXPECT_EQ(problem(R"([{"homes":[{"cluster":"a","endpoint":"http://a/#x","clutser":1},
                                    {"cluster":"b","endpoint":"b"}]}])"),
              "none");
    const std::string log = captured.text();
    EXPECT_THAT(log, HasSubstr("homes[0].clutser is not known and is ignored"));
    EXPECT_THAT(log, HasSubstr("homes[0].endpoint: its fragment"));
    EXPECT_THAT(log, HasSubstr("homes[1].endpoint: the home is never tried"));
}

TEST_F(ServicesFile, NamesThePlaceInEveryLine) {
    const std::string told = problem("[\n{\"name\":\"a\",\"probe\":5},\n{\"name\":\"b\"}]");
    EXPECT_EQ(told,
              path + ":2: services[0] (line 2): probe: 5 must be an object\n" + path +
                  ":2: services[0] (line 2): homes is required\n" + path +
                  ":3: services[1] (line 3): homes is required");
}

TEST_F(ServicesFile, NamesThePlaceOfTheThirdHome) {
    EXPECT_THAT(problem(R"([{"homes":[]},
{"name":"b","homes":[{"cluster":"a","endpoint":"http://a"},{"cluster":"b","endpoint":"http://b"},
{"cluster":"c"}]}])"),
                HasSubstr(path + ":2: services[1] (line 2): homes[2].endpoint is required"));
}

}  // namespace
}  // namespace ome::observer
