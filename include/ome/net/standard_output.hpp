// What a command prints, and what becomes of it. Programs ignore SIGPIPE, so a reader that leaves
// is an answer of the system and not the end of the process.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace ome::net {

enum class Printed : std::uint8_t {
    Whole,
    ReaderLeft,  ///< `| head`: it has what it wanted; no failure, and nothing to say
    Failed,
};

/// Writes and flushes. Never throws.
[[nodiscard]] Printed print_to(std::FILE* stream, std::string_view text);

/// The same to standard output; a failure is told on standard error, with its cause.
[[nodiscard]] Printed print(std::string_view text);

/// False once the reader at the other end of a pipe or socket has left.
[[nodiscard]] bool has_reader(std::FILE* stream);

/// The exit code of a command that printed last of all: at least 1 if that failed.
[[nodiscard]] int exit_code_of(Printed printed, int code = 0);

}  // namespace ome::net
