#include "configuration_file.hpp"

#include <ome/net/small_file.hpp>
#include <ome/net/text_file.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/document_kind.hpp>

#include <boost/algorithm/string/predicate.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>

#include <utility>

namespace ome::controller {
namespace {

namespace asio = net::asio;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         net::Executor>;

// `multicluster` and `data` hold all.
bool is_at_or_below(std::string_view member, std::string_view path) {
    if (boost::iequals(path, "multicluster") || path == "data" || path == "data.multicluster") {
        return true;
    }
    return boost::istarts_with(member, path) &&
           (member.size() == path.size() || member[path.size()] == '.');
}

}  // namespace

std::optional<core::Problem> half_written(const std::string& where,
                                          const core::Configuration& in_force,
                                          const ReadConfiguration& read) {
    const auto now = core::configured_members(read.all);
    for (const auto& [member, value] : core::configured_members(in_force)) {
        for (const std::string& path : read.nulls) {
            if (!now.contains(member) && is_at_or_below(member, path)) {
                return core::Problem{
                    fmt::format("{}: {}: null must have a value, or not be there: {} is {} at "
                                "present, and a null looks like a file that is not written to its "
                                "end",
                                where,
                                path,
                                member,
                                value),
                    path};
            }
        }
    }
    return std::nullopt;
}

core::Result<ReadConfiguration> read_configuration_text(const std::string& where,
                                                        const std::string& text) {
    if (const auto other = wire::other_than_configuration(text)) {
        return core::Problem{fmt::format("{}: {}", where, other->message)};
    }
    auto config = wire::read_config(text);
    if (!config) {
        return core::Problem{fmt::format("{}: {}", where, config.error().message),
                             config.error().field};
    }
    if (const auto problem = core::configuration_error(config->routing, config->gateway)) {
        return core::Problem{fmt::format("{}: {}", where, problem->message), problem->field};
    }
    ReadConfiguration read;
    for (const core::Problem& warning : config->warnings) {
        read.warnings.push_back(fmt::format("{}: {}", where, warning.message));
    }
    read.routing_off = std::move(config->routing_off);
    read.nulls = std::move(config->nulls);
    read.all = {std::move(config->routing), std::move(config->gateway)};
    return read;
}

core::Result<ReadConfiguration> read_configuration(const std::string& path) {
    const auto text = net::read_text_file(path);
    if (!text) {
        return text.error();
    }
    return read_configuration_text(path, *text);
}

// The file is read on a thread of its own: a disk may take its time.
struct ConfigurationFile::State : std::enable_shared_from_this<State> {
    State(asio::io_context& context, std::string where, core::Duration every, Changed hear)
        : io(context),
          path(std::move(where)),
          interval(every),
          changed(std::move(hear)),
          timer(io) {}

    void wait();
    void look(bool always);
    bool has_changed();
    void tell(core::Result<ReadConfiguration> read);

    asio::io_context& io;
    std::string path;
    core::Duration interval;
    Changed changed;
    Timer timer;
    asio::thread_pool reader{1};
    // Of the reader's thread. Of no file at first: it may have changed since the start read it.
    std::string signature = "not read";
    bool missed = false;
};

void ConfigurationFile::State::wait() {
    if (interval <= core::Duration::zero()) {
        return;
    }
    timer.expires_after(interval);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        if (!error) {
            self->look(false);
            self->wait();
        }
    });
}

// On the reader's thread. A file that is not there at the moment is being replaced, mostly: the
// next look finds it.
bool ConfigurationFile::State::has_changed() {
    std::string now = net::file_signature(path);
    const bool missing = now.empty();
    const bool first_miss = missing && !std::exchange(missed, missing);
    missed = missing;
    return !first_miss && std::exchange(signature, std::move(now)) != signature;
}

void ConfigurationFile::State::look(bool always) {
    asio::post(reader, [self = shared_from_this(), always] {
        if (self->has_changed() || always) {
            asio::post(self->io, [self, read = read_configuration(self->path)]() mutable {
                self->tell(std::move(read));
            });
        }
    });
}

void ConfigurationFile::State::tell(core::Result<ReadConfiguration> read) {
    if (changed) {
        changed(std::move(read));
    }
}

ConfigurationFile::ConfigurationFile(asio::io_context& io,
                                     std::string path,
                                     core::Duration interval,
                                     Changed changed)
    : state_(std::make_shared<State>(io, std::move(path), interval, std::move(changed))) {}

ConfigurationFile::~ConfigurationFile() {
    stop();
}

void ConfigurationFile::start() {
    state_->wait();
}

void ConfigurationFile::read_again() {
    state_->look(true);
}

void ConfigurationFile::stop() {
    state_->changed = nullptr;
    state_->timer.cancel();
    state_->reader.join();
}

}  // namespace ome::controller
