#include "generations.hpp"

#include "safe_write.hpp"
#include <ome/core/schedule.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>
#include <vector>

namespace ome::controller {
namespace {

constexpr std::size_t spare_lines = 10'000;

std::string uid_text(std::uint64_t high, std::uint64_t low, unsigned version) {
    high = (high & ~0xF000ULL) | (static_cast<std::uint64_t>(version) << 12U);
    low = (low & 0x3FFFFFFFFFFFFFFFULL) | 0x8000000000000000ULL;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                       high >> 32U,
                       (high >> 16U) & 0xFFFFU,
                       high & 0xFFFFU,
                       low >> 48U,
                       low & 0xFFFFFFFFFFFFULL);
}

template <typename Number>
bool parse(std::string_view text, Number& out, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string derived_uid(const core::ServiceKey& key) {
    return uid_text(core::identity_hash({"InferenceService", key.ns, key.name}),
                    core::identity_hash({key.name, key.ns, "uid"}),
                    8);
}

std::string random_uid() {
    std::random_device device;
    const auto half = [&device] {
        return (static_cast<std::uint64_t>(device()) << 32U) | device();
    };
    const std::uint64_t high = half();
    return uid_text(high, half(), 4);
}

// `namespace name generation hash`: names have no blanks.
std::string Generations::line_of(const core::ServiceKey& key, const Entry& entry) {
    return fmt::format("{} {} {} {:016x}\n", key.ns, key.name, entry.generation, entry.spec_hash);
}

void Generations::load() {
    std::ifstream lines(path_);
    for (std::string line; std::getline(lines, line);) {
        ++lines_;
        std::istringstream words(line);
        std::array<std::string, 4> word;
        words >> word[0] >> word[1] >> word[2] >> word[3];
        Entry entry;
        if (parse(word[2], entry.generation) && parse(word[3], entry.spec_hash, 16)) {
            entries_[{word[0], word[1]}] = entry;
        }
    }
}

std::int64_t Generations::of(const core::ServiceKey& key,
                             std::uint64_t spec_hash,
                             std::int64_t at_least) {
    const auto [found, fresh] = entries_.try_emplace(key);
    Entry& entry = found->second;
    if (fresh) {
        entry.generation = at_least;
    } else if (entry.spec_hash == spec_hash) {
        return entry.generation;
    }
    entry.spec_hash = spec_hash;
    ++entry.generation;
    unsaved_ += line_of(key, entry);
    return entry.generation;
}

std::optional<core::Problem> Generations::save() {
    if (path_.empty() || unsaved_.empty()) {
        return std::nullopt;
    }
    if (lines_ > 2 * entries_.size() + spare_lines) {
        std::vector<FileWrite> whole{{path_, ""}};
        for (const auto& [key, entry] : entries_) {
            whole.front().bytes += line_of(key, entry);
        }
        write_safely(whole);
        if (!whole.front().problem) {
            unsaved_.clear();
            lines_ = entries_.size();
        }
        return whole.front().problem;
    }
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor < 0 || ::write(descriptor, unsaved_.data(), unsaved_.size()) !=
                              static_cast<ssize_t>(unsaved_.size())) {
        const int error = errno;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        return core::Problem{
            fmt::format("{}: cannot write: {}", path_, std::generic_category().message(error))};
    }
    std::ignore = ::fdatasync(descriptor);
    ::close(descriptor);
    lines_ += static_cast<std::size_t>(std::count(unsaved_.begin(), unsaved_.end(), '\n'));
    unsaved_.clear();
    return std::nullopt;
}

}  // namespace ome::controller
