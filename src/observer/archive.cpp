#include "archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ome::observer {
namespace {

constexpr std::size_t block = 512;

// Where the fields of a ustar header stand, and how long they are.
struct Field {
    std::size_t at;
    std::size_t size;
};
constexpr Field name_field{0, 100};
constexpr Field mode_field{100, 8};
constexpr Field uid_field{108, 8};
constexpr Field gid_field{116, 8};
constexpr Field size_field{124, 12};
constexpr Field time_field{136, 12};
constexpr Field sum_field{148, 8};
constexpr Field type_field{156, 1};
constexpr Field magic_field{257, 8};

using Header = std::array<char, block>;

void put(Header& header, Field field, std::string_view text) {
    std::copy_n(text.begin(), std::min(text.size(), field.size), header.begin() + field.at);
}

void put_octal(Header& header, Field field, std::uint64_t value) {
    put(header, field, fmt::format("{:0{}o}", value, field.size - 1));
}

/// Counted with blanks in its own place.
void put_sum(Header& header) {
    put(header, sum_field, "        ");
    std::uint64_t sum = 0;
    for (const char c : header) {
        sum += static_cast<unsigned char>(c);
    }
    put(header, sum_field, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
}

Header header_of(const ArchivedFile& file, std::int64_t time) {
    Header header{};
    put(header, name_field, file.name);
    put_octal(header, mode_field, 0600);
    put_octal(header, uid_field, 0);
    put_octal(header, gid_field, 0);
    put_octal(header, size_field, file.content.size());
    put_octal(header, time_field, static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)));
    put(header, type_field, "0");
    put(header, magic_field, std::string_view("ustar\00000", 8));
    put_sum(header);
    return header;
}

}  // namespace

std::string make_tar(const std::vector<ArchivedFile>& files, std::int64_t time) {
    std::string tar;
    for (const ArchivedFile& file : files) {
        const Header header = header_of(file, time);
        tar.append(header.data(), header.size());
        tar += file.content;
        tar.resize((tar.size() + block - 1) / block * block);
    }
    return tar.append(2 * block, '\0');
}

core::Result<std::string> compress(std::string_view bytes) {
    constexpr int gzip_wrapper = 16 + MAX_WBITS;
    constexpr int usual_memory = 8;
    z_stream stream{};
    if (deflateInit2(&stream,
                     Z_DEFAULT_COMPRESSION,
                     Z_DEFLATED,
                     gzip_wrapper,
                     usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return core::Problem{"the archive cannot be compressed: no memory is left"};
    }
    std::string out(deflateBound(&stream, bytes.size()), '\0');
    std::string in(bytes);  // zlib's input is not const
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int ended = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (ended != Z_STREAM_END) {
        return core::Problem{"the archive cannot be compressed: it is too large"};
    }
    return core::Result<std::string>(boost::system::in_place_value, std::move(out));
}

}  // namespace ome::observer
