// What a command of the plugin has around it: the control plane, the terminal, the clock. Tests
// give their own of each.
#pragma once

#include "cluster.hpp"
#include <ome/core/problem.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ome::kubectl {

/// The kubeconfig flags of kubectl, and the store.
struct Connection {
    std::string store;  ///< `dir:PATH`; empty: a Kubernetes API server
    std::string kubeconfig;
    std::string context;
    std::string cluster;  ///< of the kubeconfig; never a workload cluster
    std::string user;
    std::string server;
    std::string token;  ///< a secret
    std::string certificate_authority;
    std::string client_certificate;
    std::string client_key;
    std::string tls_server_name;
    std::string ns;  ///< empty: that of the context
    std::string request_timeout;
    bool insecure_skip_tls_verify = false;
};

struct Line {
    enum class End : std::uint8_t { Complete, NoInput, TooLong, Interrupted, TimedOut };
    End end = End::Complete;
    std::string text = {};
};

class Terminal {
public:
    virtual ~Terminal() = default;
    /// False: it could not be written.
    virtual bool out(std::string_view text) = 0;
    virtual void err(std::string_view text) = 0;
    /// Whether a person can answer a question, and whether the output is a screen.
    [[nodiscard]] virtual bool can_ask() const = 0;
    [[nodiscard]] virtual bool is_screen() const = 0;
    /// A line of at most `longest` characters from the person.
    [[nodiscard]] virtual Line read_line(std::size_t longest, core::Duration most) = 0;
    /// Ctrl-C was pressed.
    [[nodiscard]] virtual bool interrupted() const = 0;
    /// Characters a line of the screen holds.
    [[nodiscard]] virtual std::size_t columns() const = 0;
};

using OpenCluster = std::function<Answer<std::unique_ptr<Cluster>>(const Connection&)>;

struct Environment {
    Terminal& terminal;
    std::function<core::Now()> clock;
    OpenCluster open_cluster;
    std::string commit = {};  ///< that `--version` tells; empty: nobody knows
};

inline constexpr core::Duration longest_request = std::chrono::seconds(10);

/// `--request-timeout` as kubectl takes it: a duration, or a number of seconds. Absent: neither.
[[nodiscard]] std::optional<core::Duration> parse_request_timeout(const std::string& text);

/// For one request: 10 s, or --request-timeout when that is shorter and not 0.
[[nodiscard]] core::Duration request_time_of(const Connection& connection);

/// An environment with what the flags say: opened when a command first needs it, after its
/// arguments were checked.
class Session {
public:
    Session(Environment& environment, Connection connection)
        : environment_(environment), connection_(std::move(connection)) {}

    /// The same surroundings with another connection.
    [[nodiscard]] Session with(Connection connection) {
        return {environment_, std::move(connection)};
    }

    /// The problem is an error message.
    [[nodiscard]] core::Result<Cluster*> cluster();
    /// -n, or that of the context. cluster() must have succeeded.
    [[nodiscard]] std::string ns() const;
    [[nodiscard]] core::Duration request_time() const { return request_time_of(connection_); }

    [[nodiscard]] const Connection& connection() const { return connection_; }
    [[nodiscard]] Terminal& terminal() { return environment_.terminal; }
    [[nodiscard]] core::Now now() const { return environment_.clock(); }

    /// Writes `error: <message>` and gives the exit code for it.
    int fail(std::string_view message, int code = 1);
    void warn(std::string_view message);

private:
    Environment& environment_;
    Connection connection_;
    std::unique_ptr<Cluster> cluster_;
};

}  // namespace ome::kubectl
