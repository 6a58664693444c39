#include "trust_keeper.hpp"

#include <ome/core/setting.hpp>
#include <ome/telemetry/log.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ome::observer {
namespace {

namespace log = telemetry::log;

void tell(const net::TlsFiles::News& news) {
    for (const core::Problem& problem : news.problems) {
        log::error("TLS files are kept as they were",
                   {{"problem", core::message_with_flag(problem)}});
    }
    for (const std::string& warning : news.warnings) {
        log::warn("TLS files are not well kept", {{"problem", warning}});
    }
}

}  // namespace

TrustKeeper::TrustKeeper(const Settings& settings, HandOn hand_on)
    : named_(!settings.ca_files.empty() || !settings.tls_dir.empty()),
      files_(settings.ca_files, settings.tls_dir),
      hand_on_(std::move(hand_on)) {}

core::Result<std::shared_ptr<const net::Trust>> TrustKeeper::begin() {
    const net::TlsFiles::News news = files_.load();
    if (news.trust == nullptr) {
        return news.problems.front();
    }
    tell(news);
    return news.trust;
}

void TrustKeeper::reload() {
    take(files_.load());
}

void TrustKeeper::look() {
    take(files_.refresh());
}

void TrustKeeper::take(const net::TlsFiles::News& news) {
    tell(news);
    if (news.trust != nullptr) {
        hand_on_(news.trust);
        // The system's authorities alone are read at every SIGHUP, whatever it was sent for.
        log::write(named_ && !news.read.empty() ? log::Level::Info : log::Level::Debug,
                   "what TLS to homes trusts was read again",
                   {{"read", fmt::format("{}", fmt::join(news.read, ", "))}});
    }
}

}  // namespace ome::observer
