// What stands before the API: its token and its certificate, read again when their files change.
// Lives on the API's thread.
#pragma once

#include "settings.hpp"
#include <ome/net/server_tls.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::observer {

class ApiGuard {
public:
    explicit ApiGuard(const Settings& settings);

    /// Reads the files. Problem: one that cannot be used.
    [[nodiscard]] std::optional<core::Problem> begin();

    /// Reads what has changed; a bad file leaves the old one in force and is logged. What is
    /// returned is to be used from now on; null: nothing new.
    [[nodiscard]] std::shared_ptr<const net::ServerTls> look();

    /// As look(), and what has not changed is read again as well: whoever asks wants to hear of
    /// files that are still bad.
    [[nodiscard]] std::shared_ptr<const net::ServerTls> reload();

    /// Whether a request may pass. Looks at the token's file once more before it says no.
    [[nodiscard]] bool admits(std::string_view authorization);

    /// Whether a page may make a request: one without an Origin is not made by a page, one of our
    /// own, or of a page that --allowed-hosts names, is welcome. A page of another site can send a
    /// POST without asking first. Both are values of headers.
    [[nodiscard]] bool welcomes(std::string_view origin, std::string_view host) const;

    [[nodiscard]] const std::shared_ptr<const net::ServerTls>& tls() const { return tls_; }

private:
    [[nodiscard]] std::optional<core::Problem> load_token();
    [[nodiscard]] std::optional<core::Problem> load_tls();
    void look_at_token();

    std::vector<std::string> allowed_hosts_;
    std::string token_file_;
    std::string certificate_file_;
    std::string key_file_;
    std::string token_seen_;  ///< signatures of the files when they were last read
    std::string tls_seen_;
    std::string token_;
    std::shared_ptr<const net::ServerTls> tls_;
};

}  // namespace ome::observer
