// What stands at a path that a user gives, before and after a program has written there. Never
// below /dev: a test that fails would break it for everybody.
#include <ome/net/named_file.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ome::net {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class NamedFileTest : public testing::Test {
protected:
    NamedFileTest() {
        char name[] = "/tmp/named-file-XXXXXX";
        folder = mkdtemp(name);
    }
    ~NamedFileTest() override { fs::remove_all(folder); }

    [[nodiscard]] std::string at(const std::string& name) const { return folder + "/" + name; }

    [[nodiscard]] static std::string text_of(const std::string& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(at(name)) << text;
        return at(name);
    }
    std::string link(const std::string& name, const std::string& target) const {
        fs::create_symlink(target, at(name));
        return at(name);
    }
    std::string fifo(const std::string& name) const {
        EXPECT_EQ(::mkfifo(at(name).c_str(), 0600), 0);
        return at(name);
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    std::string folder;
};

/// Both ends of a pipe at this path, so that nobody is waited for.
class OpenPipe {
public:
    explicit OpenPipe(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}
    ~OpenPipe() { ::close(descriptor_); }
    OpenPipe(const OpenPipe&) = delete;
    OpenPipe& operator=(const OpenPipe&) = delete;
    [[nodiscard]] std::string text() const {
        char bytes[64];
        const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
        return {bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
    }

private:
    int descriptor_;
};

/// Standard output is this descriptor meanwhile.
class StandardOutput {
public:
    explicit StandardOutput(int descriptor) : before_(::dup(STDOUT_FILENO)) {
        ::dup2(descriptor, STDOUT_FILENO);
        ::close(descriptor);
    }
    ~StandardOutput() {
        ::dup2(before_, STDOUT_FILENO);
        ::close(before_);
    }
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

private:
    int before_;
};

TEST_F(NamedFileTest, AFileIsReplacedAndANewOneIsMade) {
    for (const std::string& path : {file("old", "before"), at("new")}) {
        EXPECT_EQ(replace_named_file(path, "text"), std::nullopt);
        EXPECT_EQ(text_of(path), "text");
    }
    EXPECT_EQ(entries(), 2U);
}

TEST_F(NamedFileTest, ALinkStaysAndTheFileBehindItIsReplaced) {
    const std::string target = file("target", "a longer text");
    const std::string near = link("near", "target");
    const std::string far = link("far", near);
    for (const std::string& path : {near, far}) {
        EXPECT_EQ(replace_named_file(path, path), std::nullopt);
        EXPECT_TRUE(fs::is_symlink(path)) << path;
        EXPECT_EQ(text_of(target), path);
    }
}

TEST_F(NamedFileTest, ALinkToNowhereMakesWhatItLeadsTo) {
    const std::string path = link("link", "nowhere");
    EXPECT_EQ(replace_named_file(path, "text"), std::nullopt);
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_EQ(text_of(at("nowhere")), "text");
}

// As /dev/fd/N after the file was deleted: no path leads there, but the link of the system does.
TEST_F(NamedFileTest, AFileWithoutAPathIsWrittenTo) {
    const int descriptor = ::open(file("deleted", "a longer text").c_str(), O_RDWR | O_CLOEXEC);
    fs::remove(at("deleted"));
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    EXPECT_EQ(replace_named_file(path, "text"), std::nullopt);
    EXPECT_EQ(text_of(path), "text");
    EXPECT_EQ(entries(), 0U);
    ::close(descriptor);
}

TEST_F(NamedFileTest, APipeStaysAndIsWrittenTo) {
    const std::string path = fifo("pipe");
    const std::string link_to_it = link("link", path);
    const OpenPipe pipe(path);
    for (const std::string& given : {path, link_to_it}) {
        EXPECT_EQ(replace_named_file(given, "replaced"), std::nullopt);
        EXPECT_EQ(pipe.text(), "replaced");
        EXPECT_EQ(create_named_file(given, "created"), std::nullopt);
        EXPECT_EQ(pipe.text(), "created");
    }
    EXPECT_TRUE(fs::is_fifo(path));
    EXPECT_TRUE(fs::is_symlink(link_to_it));
    EXPECT_EQ(entries(), 2U);
}

TEST_F(NamedFileTest, ADeviceStaysAndWhatItRefusesIsTold) {
    const std::string path = at("full");
    if (::mknod(path.c_str(), S_IFCHR | 0600, ::makedev(1, 7)) != 0) {
        GTEST_SKIP() << "only root makes devices";
    }
    if (const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC); descriptor >= 0) {
        ::close(descriptor);
    } else {
        GTEST_SKIP() << "devices do not work in " << folder;
    }
    const auto problem = replace_named_file(path, "text");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->message, path + ": cannot write: No space left on device");
    EXPECT_EQ(create_named_file(path, "text"), "No space left on device");
    EXPECT_TRUE(fs::is_character_file(path));
    EXPECT_EQ(entries(), 1U);
}

TEST_F(NamedFileTest, ASocketAndAFolderStay) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    at("socket").copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    fs::create_directory(at("folder"));
    for (const char* name : {"socket", "folder"}) {
        EXPECT_TRUE(replace_named_file(at(name), "text")) << name;
        EXPECT_TRUE(create_named_file(at(name), "text")) << name;
    }
    EXPECT_TRUE(fs::is_socket(at("socket")));
    EXPECT_TRUE(fs::is_directory(at("folder")));
    EXPECT_EQ(entries(), 2U);
    ::close(socket);
}

// Not from its beginning, over what was printed, and not beside the file that others print to.
TEST_F(NamedFileTest, WhereStandardOutputLeadsIsWrittenOn) {
    const std::string path = file("printed", "");
    const std::string by_link = link("stdout", "/proc/self/fd/1");
    EXPECT_FALSE(is_standard_stream(path));
    {
        const StandardOutput output(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        EXPECT_TRUE(is_standard_stream(path));
        EXPECT_TRUE(is_standard_stream(by_link));
        EXPECT_EQ(::write(STDOUT_FILENO, "1", 1), 1);
        EXPECT_EQ(replace_named_file(by_link, "2"), std::nullopt);
        EXPECT_EQ(replace_named_file(path, "3"), std::nullopt);
        EXPECT_EQ(create_named_file(by_link, "4"), std::nullopt);
        EXPECT_EQ(::write(STDOUT_FILENO, "5", 1), 1);
    }
    EXPECT_EQ(text_of(path), "12345");
    EXPECT_TRUE(fs::is_symlink(by_link));
}

// As below systemd, where it leads to the journal.
TEST_F(NamedFileTest, StandardOutputMayBeASocket) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const std::string by_link = link("stdout", "/proc/self/fd/1");
    {
        const StandardOutput output(ends[0]);
        EXPECT_EQ(replace_named_file(by_link, "text"), std::nullopt);
    }
    char bytes[8];
    EXPECT_EQ(::read(ends[1], bytes, sizeof bytes), 4);
    EXPECT_TRUE(fs::is_symlink(by_link));
    ::close(ends[1]);
}

TEST_F(NamedFileTest, OnlyANewFileIsCreated) {
    EXPECT_EQ(create_named_file(at("new"), "text"), std::nullopt);
    EXPECT_EQ(text_of(at("new")), "text");
    EXPECT_EQ(fs::status(at("new")).permissions(), fs::perms(0600));
    const std::string old = file("old", "before");
    for (const std::string& path : {old, link("link", old), link("lost", "nowhere")}) {
        EXPECT_EQ(create_named_file(path, "text"), "File exists") << path;
    }
    EXPECT_EQ(text_of(old), "before");
    EXPECT_FALSE(fs::exists(at("nowhere")));
}

TEST_F(NamedFileTest, AProblemNamesThePathAsGiven) {
    fs::create_directory(at("folder"));
    const auto problem = replace_named_file(link("link", at("folder")), "text");
    ASSERT_TRUE(problem);
    EXPECT_THAT(problem->message, HasSubstr(at("link")));
    EXPECT_THAT(problem->message, EndsWith("Is a directory"));
}

}  // namespace
}  // namespace ome::net
