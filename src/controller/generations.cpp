#include "generations.hpp"

#include <ome/net/safe_write.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>
#include <vector>

namespace ome::controller {
namespace {

constexpr std::size_t spare_lines = 10'000;

}  // namespace

std::string random_uid() {
    std::random_device device;
    const auto half = [&device] {
        return (static_cast<std::uint64_t>(device()) << 32U) | device();
    };
    const std::uint64_t high = half();
    return wire::uid_text(high, half(), 4);
}

void Generations::load() {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path_, error)) {
        return;  // a pipe would be waited for
    }
    std::ifstream file(path_);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    entries_ = wire::read_generations(text, &lines_);
    torn_ = !text.empty() && text.back() != '\n';
}

std::int64_t Generations::of(const core::ServiceKey& key,
                             std::uint64_t spec_hash,
                             std::int64_t at_least) {
    const auto [found, fresh] = entries_.try_emplace(key);
    wire::CountedGeneration& entry = found->second;
    if (fresh) {
        entry.generation = at_least;
    } else if (entry.spec_hash == spec_hash) {
        return entry.generation;
    }
    entry.spec_hash = spec_hash;
    ++entry.generation;
    unsaved_ += wire::generation_line(key, entry);
    return entry.generation;
}

std::optional<core::Problem> Generations::save() {
    if (path_.empty() || unsaved_.empty()) {
        return std::nullopt;
    }
    if (lines_ > 2 * entries_.size() + spare_lines) {
        std::vector<net::FileWrite> whole{{path_, ""}};
        for (const auto& [key, entry] : entries_) {
            whole.front().bytes += wire::generation_line(key, entry);
        }
        net::write_safely(whole);
        if (!whole.front().problem) {
            unsaved_.clear();
            torn_ = false;
            lines_ = entries_.size();
        }
        return whole.front().problem;
    }
    const int descriptor =
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    // What a full disk, or an end in the middle, has left of a line must not spoil the next one.
    const std::string text = (torn_ ? "\n" : "") + unsaved_;
    const ssize_t written = descriptor < 0 ? -1 : ::write(descriptor, text.data(), text.size());
    torn_ = torn_ || written > 0;
    if (written != static_cast<ssize_t>(text.size())) {
        const int error = written < 0 ? errno : ENOSPC;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        return core::Problem{
            fmt::format("{}: cannot write: {}", path_, std::generic_category().message(error))};
    }
    std::ignore = ::fdatasync(descriptor);
    ::close(descriptor);
    lines_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    torn_ = false;
    unsaved_.clear();
    return std::nullopt;
}

}  // namespace ome::controller
