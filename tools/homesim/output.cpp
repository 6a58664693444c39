#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace ome::homesim {

int print(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
        std::fflush(stdout) == 0) {
        return 0;
    }
    if (errno == EPIPE) {
        return 0;
    }
    fmt::print(
        stderr, "ome-homesim: standard output: {}\n", std::generic_category().message(errno));
    return 1;
}

}  // namespace ome::homesim
