// The files of --tls-dir: which count for whom, and what happens when they change.
#include "fetch_fixture.hpp"
#include <ome/net/tls_files.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace ome::net {
namespace {

using core::Fault;
using test::response;
using testing::ElementsAre;
using testing::IsEmpty;

class TlsFilesTest : public FetchTest {
protected:
    TlsFilesTest() {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    }
    ~TlsFilesTest() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }

    // A file of another size or inode, so that no clock's grain hides the change.
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path("new"), std::ios::trunc) << text;
        ::chmod(path("new").c_str(), 0600);
        std::filesystem::rename(path("new"), path(name));
    }
    void write_identity(const std::string& cluster, const test::Identity& identity) const {
        write(cluster + ".crt", test::certificate_pem(identity));
        write(cluster + ".key", test::key_pem(identity));
    }
    void remove(const std::string& name) const { std::filesystem::remove(path(name)); }

    /// Takes over what is new, and remembers what was told.
    void take(TlsFiles::News news) {
        problems.clear();
        for (const core::Problem& problem : news.problems) {
            problems.push_back(problem.message);
        }
        warnings = std::move(news.warnings);
        read = std::move(news.read);
        changed = news.trust != nullptr;
        if (news.trust != nullptr) {
            the_client().set_trust(news.trust);
        }
    }

    core::AttemptOutcome fetch_as(const std::string& cluster, std::uint16_t port) {
        const auto request = std::make_shared<PreparedRequest>(
            the_client().prepare(tls_target_of(port), core::Method::Get, true, cluster));
        return test::run(
            io, fetch_once(&the_client(), request, options, nullptr, &deadlines, timeout, &buffer));
    }

    Fault against(const std::string& cluster, const test::Identity& identity) {
        test::ScriptedServer server(test::server_context(identity),
                                    test::answer_all(response("body")));
        return fetch_as(cluster, server.port()).fault;
    }

    std::string folder = testing::TempDir() + "ome-tls-files-" + std::to_string(::getpid());
    test::Authority authority;
    test::Authority other{"other"};
    std::vector<std::string> problems;
    std::vector<std::string> warnings;
    std::vector<std::string> read;
    bool changed = false;
};

TEST_F(TlsFilesTest, SaysWhatWasReadAndNothingThatWasNot) {
    const std::string system = "the system's authorities";
    TlsFiles none({}, "");
    take(none.load());
    EXPECT_THAT(read, ElementsAre(system));

    write_identity("worker-a", authority.leaf());
    write_identity("worker-b", authority.leaf());
    TlsFiles files({authority.file()}, folder);
    take(files.load());
    EXPECT_THAT(read,
                ElementsAre(system, authority.file(), "files of worker-a", "files of worker-b"));
    take(files.refresh());
    EXPECT_THAT(read, IsEmpty());
    write_identity("worker-b", authority.leaf());
    remove("worker-a.crt");
    remove("worker-a.key");
    take(files.refresh());
    EXPECT_THAT(read, ElementsAre("no files of worker-a", "files of worker-b"));
    write("worker-b.crt", "no certificate");
    take(files.refresh());
    EXPECT_THAT(read, IsEmpty());
    EXPECT_EQ(problems.size(), 1U);
}

TEST_F(TlsFilesTest, AClustersOwnAuthorityCountsForItAloneAndInPlaceOfTheCommonOnes) {
    write("worker-a.ca.pem", test::certificate_pem(other.identity()));
    TlsFiles files({authority.file()}, folder);
    take(files.load());
    EXPECT_THAT(problems, IsEmpty());
    EXPECT_EQ(against("worker-a", other.leaf()), Fault::None);
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::Unreachable);
    EXPECT_EQ(against("worker-b", authority.leaf()), Fault::None);
    EXPECT_EQ(against("worker-b", other.leaf()), Fault::Unreachable);
}

TEST_F(TlsFilesTest, AClientCertificateIsShownToItsClusterAlone) {
    write_identity("worker-a", authority.leaf());
    TlsFiles files({authority.file()}, folder);
    take(files.load());
    EXPECT_THAT(warnings, IsEmpty());
    const auto context = test::server_context(authority.leaf());
    test::demand_certificate(*context, authority);
    test::ScriptedServer server(context, test::answer_all(response("body")));
    EXPECT_EQ(fetch_as("worker-a", server.port()).fault, Fault::None);
    EXPECT_NE(fetch_as("worker-b", server.port()).fault, Fault::None);
}

TEST_F(TlsFilesTest, ChangesCountAtTheNextLookAndNothingElseIsNews) {
    write("worker-a.ca.pem", test::certificate_pem(other.identity()));
    TlsFiles files({}, folder);
    take(files.load());
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::Unreachable);
    take(files.refresh());
    EXPECT_FALSE(changed);
    write("worker-a.ca.pem", test::certificate_pem(authority.identity()));
    take(files.refresh());
    EXPECT_TRUE(changed);
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::None);
    remove("worker-a.ca.pem");
    take(files.refresh());
    EXPECT_TRUE(changed);
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::Unreachable);
}

TEST_F(TlsFilesTest, ABadFileKeepsTheOldOneAndIsToldOnce) {
    write("worker-a.ca.pem", test::certificate_pem(authority.identity()));
    TlsFiles files({}, folder);
    take(files.load());
    write("worker-a.ca.pem", "nonsense");
    take(files.refresh());
    EXPECT_THAT(
        problems,
        ElementsAre("tls-dir: " + path("worker-a.ca.pem") + ": must hold certificates in PEM"));
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::None);
    take(files.refresh());
    EXPECT_THAT(problems, IsEmpty());
    EXPECT_FALSE(changed);
}

TEST_F(TlsFilesTest, AClusterWhoseFilesWereNeverGoodIsNotMet) {
    write("worker-a.ca.pem", "nonsense");
    TlsFiles files({authority.file()}, folder);
    take(files.load());
    test::ScriptedServer server(test::server_context(authority.leaf()),
                                test::answer_all(response("body")));
    const core::AttemptOutcome outcome = fetch_as("worker-a", server.port());
    EXPECT_EQ(outcome.fault, Fault::Refused);
    EXPECT_EQ(outcome.text, "the files of the cluster in --tls-dir cannot be used");
    EXPECT_EQ(server.connections(), 0U);
    EXPECT_EQ(fetch_as("worker-b", server.port()).fault, Fault::None);
    write("worker-a.ca.pem", test::certificate_pem(authority.identity()));
    take(files.refresh());
    EXPECT_EQ(fetch_as("worker-a", server.port()).fault, Fault::None);
}

TEST_F(TlsFilesTest, KeysAndCertificatesMustComeInPairsThatFit) {
    TlsFiles files({}, folder);
    const auto problem = [&] {
        take(files.refresh());
        return problems.empty() ? "no problem" : problems.front();
    };
    take(files.load());
    write("a.crt", test::certificate_pem(authority.leaf()));
    EXPECT_EQ(problem(), "tls-dir: " + path("a.crt") + ": has no .key file beside it");
    write("a.key", test::key_pem(other.leaf()));
    EXPECT_EQ(problem(), "tls-dir: " + path("a.crt") + ": key values mismatch");
    write("a.key", "nonsense");
    EXPECT_EQ(problem(),
              "tls-dir: " + path("a.key") + ": must hold a private key in PEM, without a password");
    remove("a.crt");
    EXPECT_EQ(problem(), "tls-dir: " + path("a.key") + ": has no .crt file beside it");
    write_identity("a", authority.leaf());
    EXPECT_EQ(problem(), "no problem");
}

TEST_F(TlsFilesTest, AKeyThatOthersMayReadIsWarnedOf) {
    write_identity("a", authority.leaf());
    ::chmod(path("a.key").c_str(), 0644);
    TlsFiles files({}, folder);
    take(files.load());
    EXPECT_THAT(warnings, ElementsAre(path("a.key") + ": others may read this private key"));
    ::chmod(path("a.key").c_str(), 0640);
    take(files.refresh());
    EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(TlsFilesTest, AFolderThatCannotBeReadIsNoEmptyOne) {
    TlsFiles none({}, folder + "/none");
    take(none.load());
    EXPECT_FALSE(changed);
    EXPECT_THAT(problems, ElementsAre("tls-dir: " + folder + "/none: No such file or directory"));

    write("worker-a.ca.pem", test::certificate_pem(authority.identity()));
    TlsFiles files({}, folder);
    take(files.load());
    std::filesystem::rename(folder, folder + ".gone");
    take(files.refresh());
    EXPECT_EQ(problems.size(), 1U);
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::None);
    take(files.refresh());
    EXPECT_THAT(problems, IsEmpty());
    std::filesystem::rename(folder + ".gone", folder);
}

TEST_F(TlsFilesTest, CaFilesAreNoticedToo) {
    write("common.pem", test::certificate_pem(other.identity()));
    write_identity("worker-a", authority.leaf());
    TlsFiles files({path("common.pem")}, folder);
    take(files.load());
    EXPECT_EQ(against("worker-b", authority.leaf()), Fault::Unreachable);
    write("common.pem", test::certificate_pem(authority.identity()));
    take(files.refresh());
    EXPECT_EQ(against("worker-a", authority.leaf()), Fault::None);
    EXPECT_EQ(against("worker-b", authority.leaf()), Fault::None);
    write("common.pem", "nonsense");
    take(files.refresh());
    EXPECT_EQ(problems.size(), 1U);
    EXPECT_EQ(against("worker-b", authority.leaf()), Fault::None);
}

}  // namespace
}  // namespace ome::net
