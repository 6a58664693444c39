#include <ome/net/standard_output.hpp>

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <tuple>

namespace ome::net {

Printed print_to(std::FILE* stream, std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
        std::fflush(stream) == 0) {
        return Printed::Whole;
    }
    return errno == EPIPE ? Printed::ReaderLeft : Printed::Failed;
}

Printed print(std::string_view text) {
    const Printed printed = print_to(stdout, text);
    if (printed == Printed::Failed) {
        const std::string cause = std::generic_category().message(errno);
        std::ignore = print_to(stderr, fmt::format("error: standard output: {}\n", cause));
    }
    return printed;
}

bool has_reader(std::FILE* stream) {
    pollfd output{::fileno(stream), POLLOUT, 0};
    return ::poll(&output, 1, 0) != 1 || (output.revents & (POLLERR | POLLHUP)) == 0;
}

int exit_code_of(Printed printed, int code) {
    return printed == Printed::Failed ? std::max(code, 1) : code;
}

}  // namespace ome::net
