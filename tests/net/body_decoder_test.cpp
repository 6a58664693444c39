#include "../../src/net/body_decoder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ome::net {
namespace {

ResponseHead framed(Framing framing, std::uint64_t length = 0) {
    ResponseHead head;
    head.status = 200;
    head.framing = framing;
    head.length = length;
    return head;
}

struct Decoded {
    std::string body;
    std::string rest;
    bool complete = false;
    std::string problem;
};

/// Feeds `text` in pieces of `step` bytes, as a socket would give them.
Decoded decode(const ResponseHead& head, const std::string& text, std::size_t step) {
    BodyDecoder decoder(head);
    Decoded result;
    std::string pending;
    for (std::size_t at = 0; at < text.size(); at += step) {
        pending += text.substr(at, step);
        const BodyDecoder::Step done = decoder.decode(pending.data(), pending.size());
        result.body += pending.substr(0, done.produced);
        pending.erase(0, done.consumed);
    }
    result.rest = pending;
    result.complete = decoder.complete();
    result.problem = decoder.problem();
    return result;
}

Decoded chunks(const std::string& text, std::size_t step = 4096) {
    return decode(framed(Framing::Chunked), text, step);
}

TEST(BodyDecoder, ABodyWithALengthEndsThere) {
    const Decoded decoded = decode(framed(Framing::Length, 5), "hellomore", 3);
    EXPECT_EQ(decoded.body, "hello");
    EXPECT_EQ(decoded.rest, "more");
    EXPECT_TRUE(decoded.complete);
    EXPECT_FALSE(decode(framed(Framing::Length, 5), "hell", 3).complete);
    EXPECT_TRUE(BodyDecoder(framed(Framing::Length, 0)).complete());
    EXPECT_TRUE(BodyDecoder(framed(Framing::None, 5)).complete());
}

TEST(BodyDecoder, DecodesChunksHoweverTheBytesAreCut) {
    const std::string text = "5\r\nhello\r\n00a;x=\"y\"\r\n0123456789\r\n0\r\nT: 1\r\n\r\nmore";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        const Decoded decoded = chunks(text, step);
        EXPECT_EQ(decoded.body, "hello0123456789") << step;
        EXPECT_EQ(decoded.rest, "more") << step;
        EXPECT_TRUE(decoded.complete) << step;
    }
}

TEST(BodyDecoder, NoPrefixOfAChunkedBodyIsComplete) {
    const std::string text = "5\r\nhello\r\n0\r\nT: 1\r\n\r\n";
    for (std::size_t size = 0; size < text.size(); ++size) {
        const Decoded decoded = chunks(text.substr(0, size));
        EXPECT_FALSE(decoded.complete) << size;
        EXPECT_EQ(decoded.problem, "") << size;
    }
    EXPECT_TRUE(chunks(text).complete);
}

TEST(BodyDecoder, RefusesBadChunks) {
    for (const char* text : {"\r\n",
                             "x\r\n",
                             "0x4\r\nabcd\r\n",
                             "-1\r\n",
                             " 5\r\nhello\r\n",
                             "5\nhello\n",
                             "5\rhello",
                             "5\r\nhello5\r\n",
                             "5\r\nhello\n0\r\n",
                             "5;x\nhello",
                             "7fffffffffffffff0\r\n",
                             "ffffffffffffffff\r\n"}) {
        const Decoded decoded = chunks(text);
        EXPECT_FALSE(decoded.complete) << text;
        EXPECT_EQ(decoded.problem.find("malformed chunk"), 0U) << text;
    }
}

TEST(BodyDecoder, BoundsExtensionsAndTrailers) {
    EXPECT_EQ(chunks("5;" + std::string(8192, 'x') + "\r\nhello\r\n").problem, "");
    EXPECT_NE(chunks("5;" + std::string(8193, 'x') + "\r\nhello\r\n").problem, "");
    std::string trailers = "0\r\n";
    for (int line = 0; line < 2000; ++line) {
        trailers += "X: y\r\n";
    }
    EXPECT_EQ(chunks(trailers).problem, "chunk extension or trailers are too long");
}

TEST(BodyDecoder, BoundsTheExtensionsOfAllChunksTogether) {
    std::string chunk = "1;" + std::string(8000, 'x') + "\r\nb\r\n";
    std::string text;
    for (int count = 0; count < 8; ++count) {
        text += chunk;
    }
    EXPECT_EQ(chunks(text + "0\r\n\r\n").body, "bbbbbbbb");
    EXPECT_TRUE(chunks(text + "0\r\n\r\n").complete);
    EXPECT_EQ(chunks(text + chunk).problem, "chunk extension or trailers are too long");
    EXPECT_EQ(chunks(text + "0\r\nT: " + std::string(2000, 'x')).problem,
              "chunk extension or trailers are too long");
}

TEST(BodyDecoder, TakesAnyNumberOfSmallChunks) {
    std::string text;
    for (int count = 0; count < 65536; ++count) {
        text += "00001\r\nx\r\n";
    }
    const Decoded decoded = chunks(text + "0\r\n\r\n", 65536);
    EXPECT_EQ(decoded.body, std::string(65536, 'x'));
    EXPECT_TRUE(decoded.complete);
}

TEST(BodyDecoder, BoundsTheDigitsOfASize) {
    const std::string fifteen(15, '0');
    EXPECT_EQ(chunks(fifteen + "5\r\nhello\r\n" + fifteen + "0\r\n\r\n").body, "hello");
    EXPECT_TRUE(chunks(fifteen + "5\r\nhello\r\n" + fifteen + "0\r\n\r\n").complete);
    EXPECT_EQ(chunks(fifteen + "05\r\nhello\r\n").problem, "malformed chunk size");
    EXPECT_EQ(chunks("5\r\nhello\r\n" + std::string(20'000, '0')).problem, "malformed chunk size");
}

TEST(BodyDecoder, TheEndOfTheConnectionEndsOnlyABodyWithoutAnyFraming) {
    BodyDecoder until_close(framed(Framing::UntilClose));
    std::string data = "abc";
    EXPECT_EQ(until_close.decode(data.data(), data.size()).produced, 3U);
    EXPECT_FALSE(until_close.complete());
    until_close.end_of_input();
    EXPECT_TRUE(until_close.complete());
    for (const ResponseHead& head : {framed(Framing::Length, 5), framed(Framing::Chunked)}) {
        BodyDecoder cut(head);
        cut.end_of_input();
        EXPECT_EQ(cut.problem(), "unexpected EOF");
    }
}

TEST(BodyDecoder, RandomBytesNeverGiveMoreThanWentIn) {
    std::mt19937 random(2);  // NOLINT: a fixed seed, so that a failure can be had again
    const std::string valid = "5\r\nhello\r\n0a\r\n0123456789\r\n0\r\n\r\n";
    for (int round = 0; round < 20000; ++round) {
        std::string text = valid;
        text[random() % text.size()] = static_cast<char>(random());
        const Decoded decoded = chunks(text, 1 + random() % 8);
        EXPECT_LE(decoded.body.size() + decoded.rest.size(), text.size());
    }
}

}  // namespace
}  // namespace ome::net
