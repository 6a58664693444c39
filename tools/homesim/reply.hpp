// The bytes that a step sends, and what comes after them.
#pragma once

#include "behaviour.hpp"

#include <cstdint>
#include <string>

namespace ome::homesim {

struct Reply {
    std::string bytes;
    std::size_t steady = 0;  ///< of `bytes`, sent at once even when the rest drips
    std::uint64_t fill = 0;  ///< made-up body bytes behind `bytes`
    std::string tail;        ///< behind the fill
    bool stall = false;      ///< after that, nothing for ever; otherwise the answer is complete
    bool close = false;      ///< the connection ends with the answer
    Ending ending = Ending::Answer;  ///< otherwise the connection is cut after the bytes
};

struct Asked {
    bool head_only = false;  ///< a HEAD request
    bool close = false;      ///< the client wants the connection closed
};

/// What a step sends when its time has come.
[[nodiscard]] Reply make_reply(const Step& step, const Asked& asked, core::WallTime now);

/// An answer of the simulator itself, on the control port or for what is no home.
[[nodiscard]] Reply plain_reply(int status,
                                const std::string& content_type,
                                std::string body,
                                bool close);

}  // namespace ome::homesim
