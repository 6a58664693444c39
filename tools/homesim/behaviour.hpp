// What a simulated home does with the requests of one kind: a list of steps, one an attempt (or one
// a time slice), the last of which repeats unless the list cycles.
#pragma once

#include "latency.hpp"
#include <ome/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ome::homesim {

struct BrokenAnswer;

/// Where an answer stops for good. After a stall the client sees an open connection and no more
/// bytes; a reset or close may happen at the same places.
enum class Stall : std::uint8_t {
    None,
    BeforeHead,  ///< not a byte
    InHead,      ///< half of the status line and headers
    AfterHead,   ///< the head, and none of the body that it announces
    InBody,      ///< the head and half of the body
};

/// How the request ends.
enum class Ending : std::uint8_t {
    Answer,
    Reset,  ///< RST, at the place that Step::cut says
    Close,  ///< FIN, there
};

enum class Framing : std::uint8_t {
    Length,   ///< Content-Length
    Chunked,  ///< one chunk
    Close,    ///< ends with the connection
};

struct Step {
    int status = 200;
    std::optional<std::int64_t> report;  ///< the body is a Report with this count
    std::string body;                    ///< otherwise this is the body
    core::Duration age{};  ///< how old the report says it is; negative: from the future
    /// How far ahead the home's clock is, in the report's stamp and in a Date header.
    std::optional<core::Duration> skew;
    Latency latency;
    Stall stall = Stall::None;
    Ending ending = Ending::Answer;
    Stall cut = Stall::BeforeHead;  ///< where it ends, unless it answers
    const BrokenAnswer* broken = nullptr;
    core::Duration drip{};       ///< positive: one byte of the body at a time, this far apart
    bool drip_head = false;      ///< the head drips, too
    std::uint64_t oversize = 0;  ///< body bytes made up besides
    Framing framing = Framing::Length;
    bool keep_alive = true;

    friend bool operator==(const Step&, const Step&) = default;
};

/// Whether an answer with this status has a body at all.
[[nodiscard]] bool has_body(int status);

/// Never without a step.
struct Behaviour {
    std::vector<Step> steps{Step{}};
    bool cycle = false;
    core::Duration hold{};  ///< positive: a step lasts this long; otherwise one attempt
};

/// Which step answers the `attempt`th request (from 0) since the behaviour was set, `elapsed` ago.
[[nodiscard]] std::size_t step_index(const Behaviour& behaviour,
                                     std::uint64_t attempt,
                                     core::Duration elapsed);

/// Changed behaviours are shared by all homes they apply to.
using SharedBehaviour = std::shared_ptr<const Behaviour>;

}  // namespace ome::homesim
