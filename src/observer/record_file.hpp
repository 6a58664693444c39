// The file of a recording: appended to a line at a time, bounded by rotation to FILE and FILE.1,
// never with half a line in it.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ome::observer {

class RecordFile {
public:
    /// A recording that is there already becomes FILE.1: a history that begins anew reads wrongly
    /// behind an old one.
    [[nodiscard]] static core::Result<RecordFile> open(std::string path, std::uint64_t most_bytes);
    ~RecordFile();
    RecordFile(RecordFile&& other) noexcept;
    RecordFile& operator=(RecordFile&&) = delete;

    /// Whole lines. Absent: they are in the file. Otherwise why none of them is.
    [[nodiscard]] std::optional<std::string> append(std::string_view lines);

private:
    RecordFile(std::string path, std::uint64_t most_bytes)
        : path_(std::move(path)), most_bytes_(most_bytes) {}

    [[nodiscard]] std::optional<std::string> open_anew();
    [[nodiscard]] std::optional<std::string> write_all(std::string_view lines);
    void close_file();

    std::string path_;
    std::uint64_t most_bytes_;
    std::uint64_t size_ = 0;
    int fd_ = -1;
};

}  // namespace ome::observer
