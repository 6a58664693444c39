// Keeps what TLS to homes depends on up to date. Lives on the API's thread, since it reads files.
#pragma once

#include "settings.hpp"
#include <ome/net/tls_files.hpp>

#include <functional>
#include <memory>

namespace ome::observer {

class TrustKeeper {
public:
    /// `hand_on`: to every reactor.
    using HandOn = std::function<void(const std::shared_ptr<const net::Trust>&)>;

    TrustKeeper(const Settings& settings, HandOn hand_on);

    /// What to begin with. Problem: there is nothing to begin with.
    [[nodiscard]] core::Result<std::shared_ptr<const net::Trust>> begin();

    void reload();  ///< everything, at SIGHUP
    void look();    ///< what has changed

private:
    void take(const net::TlsFiles::News& news);

    bool named_;  ///< files beyond the system's own

    net::TlsFiles files_;
    HandOn hand_on_;
};

}  // namespace ome::observer
