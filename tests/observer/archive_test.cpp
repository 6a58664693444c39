#include "archive.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>

namespace ome::observer {
namespace {

std::string decompressed(const std::string& bytes) {
    std::string in = bytes;
    std::string out(1 << 20, '\0');
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

TEST(Archive, StandsInWholeBlocksWithAnEnd) {
    const std::string content(600, 'x');
    const std::string tar = make_tar({{"folder/a.txt", content}, {"b", ""}}, 1'796'083'200);
    ASSERT_EQ(tar.size(), 512U + 1024 + 512 + 1024);
    EXPECT_EQ(tar.substr(0, 13), std::string("folder/a.txt\0", 13));
    EXPECT_EQ(tar.substr(124, 11), "00000001130");
    EXPECT_EQ(tar.substr(136, 11), "15303407000");
    EXPECT_EQ(tar.substr(257, 8), std::string("ustar\00000", 8));
    EXPECT_EQ(tar.substr(512, 600), content);
    EXPECT_EQ(tar.substr(1536, 2), std::string("b\0", 2));
    EXPECT_EQ(tar.substr(2048), std::string(1024, '\0'));
}

TEST(Archive, SumsItsHeaderWithBlanksInPlaceOfTheSum) {
    const std::string tar = make_tar({{"a", "x"}}, 0);
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i) {
        sum += i < 148 || i >= 156 ? static_cast<unsigned char>(tar[i]) : 0U;
    }
    EXPECT_EQ(std::strtoul(tar.substr(148, 6).c_str(), nullptr, 8), sum);
}

TEST(Archive, ComesOutOfGzipAsItWentIn) {
    const std::string tar = make_tar({{"a", std::string(100'000, 'y')}}, 0);
    const auto compressed = compress(tar);
    ASSERT_TRUE(compressed);
    EXPECT_LT(compressed->size(), tar.size() / 10);
    EXPECT_EQ(decompressed(*compressed), tar);
    EXPECT_EQ(decompressed(*compress("")), "");
}

}  // namespace
}  // namespace ome::observer
