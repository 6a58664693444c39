// Random bytes as choices: what a fuzzer of sequences reads its events from. At the end of the
// bytes every choice is 0, and done() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ome::fuzz {

class Choices {
public:
    explicit Choices(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] bool done() const { return at_ >= bytes_.size(); }

    std::uint8_t byte() { return done() ? 0 : static_cast<std::uint8_t>(bytes_[at_++]); }

    /// 0 to `most`, which is below 256.
    std::int32_t up_to(std::int32_t most) { return byte() % (most + 1); }

    bool yes() { return (byte() & 1) != 0; }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
};

}  // namespace ome::fuzz
