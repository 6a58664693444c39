#include "event_file.hpp"

#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace ome::controller {
namespace {

constexpr std::size_t longest_message = 4096;

std::string line_of(const EventRecord& event) {
    return wire::to_text(boost::json::object{
               {"time", core::format_timestamp(event.at)},
               {"type", event.warning ? "Warning" : "Normal"},
               {"reason", event.reason},
               {"kind", event.map_uid.empty() ? "InferenceService" : "TrafficMap"},
               {"namespace", event.key.ns},
               {"name", event.key.name},
               {"uid", event.map_uid.empty() ? event.service_uid : event.map_uid},
               {"message", core::sanitize_detail(event.message, longest_message)}}) +
           "\n";
}

}  // namespace

std::optional<core::Problem> EventFile::append(const EventRecord& event) {
    struct stat found {};
    if (::stat(path_.c_str(), &found) == 0 &&
        static_cast<std::uint64_t>(found.st_size) >= max_bytes_) {
        std::ignore = std::rename(path_.c_str(), (path_ + ".1").c_str());
    }
    // What a full disk has left of a line must not spoil the next one.
    const std::string line = (torn_ ? "\n" : "") + line_of(event);
    // A pipe that nobody reads is an error and not a wait.
    const int descriptor =
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    const ssize_t written = descriptor < 0 ? -1 : ::write(descriptor, line.data(), line.size());
    const int error = written < 0 ? errno : ENOSPC;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    if (written == static_cast<ssize_t>(line.size())) {
        torn_ = false;
        return std::nullopt;
    }
    torn_ = torn_ || written > 0;
    return core::Problem{
        fmt::format("{}: cannot write: {}", path_, std::generic_category().message(error))};
}

}  // namespace ome::controller
