// With what we introduce ourselves, as it is now: files are read again and plugins run again, both
// on a thread of their own.
#pragma once

#include <ome/core/time.hpp>
#include <ome/kube/access.hpp>
#include <ome/kube/failure.hpp>
#include <ome/net/awaitable.hpp>
#include <ome/net/trust.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ome::kube {

struct Identity {
    std::shared_ptr<const net::Trust> trust;  ///< null: no TLS
    std::string token;                        ///< empty: none. A secret
    std::optional<core::WallTime> expires = {};
};

struct LoginSettings {
    core::Duration look_again = std::chrono::seconds(10);  ///< at files
    core::Duration exec_time_limit = std::chrono::seconds(30);
};

/// Reads everything that makes an identity. `before`: the last one, whose Trust is kept where its
/// files are the same. Blocks.
class LoginReader {
public:
    LoginReader(Access access, LoginSettings settings);

    /// `again`: run the plugin even if what it said last holds.
    [[nodiscard]] core::Result<Identity> read(core::WallTime now, bool again);

private:
    struct Material;
    [[nodiscard]] core::Result<Material> material(core::WallTime now, bool again);
    [[nodiscard]] std::optional<core::Problem> ask_plugin(const std::string& authority);

    Access access_;
    LoginSettings settings_;
    wire::ExecCredential said_;  // by the plugin
    std::optional<core::WallTime> said_until_;
    bool has_said_ = false;
    std::string trust_of_;  // what trust_ was made of
    std::shared_ptr<const net::Trust> trust_;
};

class Login {
public:
    Login(net::asio::io_context& io, Access access, LoginSettings settings);
    ~Login();  ///< waits for what is being read
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;

    /// The newest that is known, at most `look_again` old. When it cannot be read at the moment,
    /// the last one that could.
    net::Awaitable<Outcome<Identity>> current();

    /// The server does not take `refused`: read again at once. The same again where nothing is new.
    net::Awaitable<Outcome<Identity>> renewed(Identity refused);

    void stop();  ///< whoever waits gets Stopped

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ome::kube
