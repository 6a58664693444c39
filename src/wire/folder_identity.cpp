#include <ome/core/schedule.hpp>
#include <ome/wire/folder_identity.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <sstream>

namespace ome::wire {
namespace {

constexpr std::size_t hash_digits = 16;

template <typename Number>
bool parse(std::string_view text, Number& out, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

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

std::string derived_uid(const core::ServiceKey& key) {
    return uid_text(core::identity_hash({"InferenceService", key.ns, key.name}),
                    core::identity_hash({key.name, key.ns, "uid"}),
                    8);
}

CountedGenerations read_generations(std::string_view text, std::size_t* lines) {
    CountedGenerations generations;
    std::istringstream all{std::string(text)};
    for (std::string line; std::getline(all, line);) {
        if (lines != nullptr) {
            ++*lines;
        }
        std::istringstream words(line);
        std::array<std::string, 4> word;
        words >> word[0] >> word[1] >> word[2] >> word[3];
        CountedGeneration counted;
        // A shorter hash is that of a line that was torn.
        if (parse(word[2], counted.generation) && word[3].size() == hash_digits &&
            parse(word[3], counted.spec_hash, 16)) {
            generations[{word[0], word[1]}] = counted;
        }
    }
    return generations;
}

// `namespace name generation hash`: names have no blanks.
std::string generation_line(const core::ServiceKey& key, const CountedGeneration& counted) {
    return fmt::format(
        "{} {} {} {:016x}\n", key.ns, key.name, counted.generation, counted.spec_hash);
}

}  // namespace ome::wire
