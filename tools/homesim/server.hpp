// The simulated homes on their ports, and the control port: one thread, one epoll.
//
// The order inside a turn makes the in-flight high-water mark exact: first every client that left
// is taken off, then new connections and requests are counted. A client that gives a request up
// before it begins the next one is therefore never seen with both.
#pragma once

#include "change_json.hpp"
#include "connection.hpp"
#include "control.hpp"
#include "tls_variants.hpp"

#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace ome::homesim {

struct ServerSettings {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 picks; otherwise `ports` in a row from here
    unsigned ports = 1;
    bool by_address = false;  ///< home n is at indexed_address(n), too; see sockets.hpp
    std::optional<std::uint16_t> tls_port;   ///< the first of one for each of tls_variants; 0 picks
    std::optional<std::uint16_t> full_port;  ///< where a connection never opens; 0 picks
    std::uint16_t control_port = 0;
    std::string poll_path = "/capacity";  ///< behind the home's part; any other path is a probe
    std::vector<Cue> script;
    unsigned seed = 1;  ///< of latencies that vary
};

class Server {
public:
    /// Listens at once. `fleet` outlives the server.
    [[nodiscard]] static core::Result<std::unique_ptr<Server>> create(Fleet& fleet,
                                                                      ServerSettings settings);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Serves until stop().
    void run();
    /// From any thread or signal handler.
    void stop() const;

    [[nodiscard]] const std::vector<std::uint16_t>& home_ports() const { return home_ports_; }
    [[nodiscard]] std::uint16_t control_port() const { return control_port_; }
    /// In the order of tls_variants; empty without settings.tls_port.
    [[nodiscard]] const std::vector<std::uint16_t>& tls_ports() const { return tls_ports_; }
    [[nodiscard]] std::uint16_t full_port() const { return full_port_; }
    /// The authority of the TLS ports, as PEM.
    [[nodiscard]] const std::string& authority() const { return tls_.authority; }

private:
    struct Timer {
        core::SteadyTime due;
        int fd = -1;
        std::uint64_t serial = 0;
        bool operator>(const Timer& other) const { return due > other.due; }
    };

    /// What connections to a listener are.
    struct Listener {
        int fd = -1;
        bool control = false;
        std::optional<std::size_t> tls = {};  ///< a place in tls_variants
    };

    Server(Fleet& fleet, ServerSettings settings);
    [[nodiscard]] std::optional<core::Problem> open();
    [[nodiscard]] std::optional<core::Problem> open_listener(std::uint16_t port, Listener listener);
    [[nodiscard]] std::optional<core::Problem> open_tls();
    [[nodiscard]] std::optional<core::Problem> open_full();

    void turn();
    [[nodiscard]] int wait_milliseconds() const;
    void read_clocks();

    void take_off_departed(int count);
    void depart(Connection& connection, Left how);
    void count_unserved(Connection& connection, Left how);
    void count_accepted();
    void run_script();
    void run_timers();
    void serve(int count);
    void accept_new(int count);
    void accept_all(const Listener& listener);
    void adopt(int fd, const Listener& listener);
    void choose_manner(Connection& connection, const Listener& listener);
    void pause_listeners(bool pause);

    void read(Connection& connection);
    void begin_requests(int fd);
    void cut_off(Connection& connection);
    void refuse_malformed(Connection& connection);
    void begin(Connection& connection, const Request& request);
    [[nodiscard]] Home* home_of(const Connection& connection,
                                std::string_view path,
                                std::string_view& rest);
    void begin_home(Connection& connection, Home* home, std::string_view rest);
    void answer_control_request(Connection& connection, const Request& request);
    void perform(Connection& connection);
    void start_sending(Connection& connection, Reply reply);
    void pump(Connection& connection);
    void finish(Connection& connection);
    void want_write(Connection& connection, bool wanted);
    void arm(const Connection& connection, core::Duration after);
    void count_in(Connection& connection);
    void count_out(Connection& connection);
    void drop(Connection& connection, bool reset);
    [[nodiscard]] Connection* at(int fd);

    Fleet& fleet_;
    ServerSettings settings_;
    int epoll_ = -1;
    int stop_event_ = -1;
    bool stopped_ = false;
    bool listeners_paused_ = false;
    std::vector<Listener> listeners_;
    std::vector<int> full_;  ///< a listener nobody gets through to, and what keeps it full
    TlsContexts tls_;
    std::vector<std::uint16_t> home_ports_;
    std::vector<std::uint16_t> tls_ports_;
    std::uint16_t full_port_ = 0;
    std::uint16_t control_port_ = 0;

    core::SteadyTime started_;
    core::SteadyTime steady_;
    core::WallTime wall_;
    std::size_t next_cue_ = 0;
    std::uint64_t next_serial_ = 1;
    std::vector<epoll_event> events_;
    std::vector<std::unique_ptr<Connection>> connections_;  ///< by descriptor
    std::vector<int> accepted_;  ///< in the last turn; counted in the next one if still there
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    ServerCounters counters_;
    std::mt19937 random_;
};

}  // namespace ome::homesim
