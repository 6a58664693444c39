// What a server does with the requests of one connection.
#include "server.hpp"

#include <utility>

namespace ome::homesim {

void Server::read(Connection& connection) {
    if (connection.resets_on_data) {
        return drop(connection, true);
    }
    switch (receive(connection)) {
        case Received::Gone:
            return depart(connection, Left::Closed);
        case Received::TooMuch:
            return cut_off(connection);
        case Received::Bytes:
            break;
    }
    count_in(connection);
    begin_requests(connection.fd);
}

void Server::cut_off(Connection& connection) {
    ++counters_.malformed;
    if (connection.home != nullptr) {
        fleet_.cut(*connection.home, connection.kind);
    }
    drop(connection, true);
}

/// By descriptor, since answering may end the connection.
void Server::begin_requests(int fd) {
    for (Connection* connection = at(fd);
         connection != nullptr && connection->phase == Phase::Reading && !connection->in.empty();
         connection = at(fd)) {
        std::string bytes = std::exchange(connection->in, {});
        Request request;
        const Parse parsed = parse_request(bytes, request);
        if (parsed == Parse::Incomplete) {
            connection->in = std::move(bytes);
            return;
        }
        if (parsed == Parse::Malformed) {
            return refuse_malformed(*connection);
        }
        connection->in = bytes.substr(request.bytes);
        begin(*connection, request);
    }
}

void Server::refuse_malformed(Connection& connection) {
    ++counters_.malformed;
    start_sending(connection, plain_reply(400, "text/plain", "this is no request\n", true));
}

void Server::begin(Connection& connection, const Request& request) {
    connection.asked = {request.method == "HEAD", request.close};
    if (connection.control) {
        return answer_control_request(connection, request);
    }
    std::string_view rest;
    Home* home = home_of(connection, request.path, rest);
    begin_home(connection, home, rest);
}

/// By the address that the client came to, or else by the path.
Home* Server::home_of(const Connection& connection, std::string_view path, std::string_view& rest) {
    if (connection.owner != nullptr) {
        rest = path;
        return connection.owner;
    }
    std::string_view name;
    return split_home_path(path, name, rest) ? fleet_.find(name) : nullptr;
}

void Server::begin_home(Connection& connection, Home* home, std::string_view rest) {
    const bool fresh = std::exchange(connection.fresh, false);
    if (home == nullptr) {
        ++counters_.strangers;
        const std::string text = "no home here; homes are at /h/NAME/...\n";
        return start_sending(connection,
                             plain_reply(404, "text/plain", text, connection.asked.close));
    }
    connection.home = home;
    connection.kind = rest == settings_.poll_path ? core::Kind::Poll : core::Kind::Probe;
    connection.step = fleet_.begin(*home, connection.kind, fresh, steady_);
    const core::Duration latency = draw(connection.step->latency, random_);
    if (latency.count() > 0) {
        connection.phase = Phase::Waiting;
        arm(connection, latency);
    } else {
        perform(connection);
    }
}

void Server::answer_control_request(Connection& connection, const Request& request) {
    ControlAnswer answer = answer_control(
        request, {fleet_, counters_, home_ports_, started_, steady_, settings_.by_address});
    answer.body += "\n";
    start_sending(connection,
                  plain_reply(answer.status,
                              answer.text ? "text/plain" : "application/json",
                              std::move(answer.body),
                              connection.asked.close));
}

void Server::perform(Connection& connection) {
    start_sending(connection, make_reply(*connection.step, connection.asked, wall_));
}

void Server::start_sending(Connection& connection, Reply reply) {
    connection.reply = std::move(reply);
    connection.sent = 0;
    connection.phase = Phase::Sending;
    pump(connection);
}

void Server::pump(Connection& connection) {
    if (connection.phase != Phase::Sending) {
        return want_write(connection, false);
    }
    const Sent sent = send_reply(connection);
    if (sent == Sent::Gone) {
        return depart(connection, Left::Reset);
    }
    want_write(connection, sent == Sent::Blocked);
    if (sent == Sent::Paused) {
        arm(connection, connection.step->drip);
    } else if (sent == Sent::All) {
        finish(connection);
    }
}

void Server::finish(Connection& connection) {
    if (connection.reply.stall) {
        connection.phase = Phase::Stalled;
        return;
    }
    if (connection.reply.ending != Ending::Answer) {
        fleet_.cut(*connection.home, connection.kind);
        return drop(connection, connection.reply.ending == Ending::Reset);
    }
    if (connection.home != nullptr) {
        fleet_.answer(*connection.home, connection.kind);
    }
    count_out(connection);
    connection.home = nullptr;
    connection.step.reset();
    if (connection.reply.close) {
        return drop(connection, false);
    }
    connection.phase = Phase::Reading;
}

void Server::want_write(Connection& connection, bool wanted) {
    if (connection.wants_write == wanted) {
        return;
    }
    connection.wants_write = wanted;
    epoll_event event{.events = EPOLLIN | EPOLLRDHUP | (wanted ? EPOLLOUT : 0U),
                      .data = {.fd = connection.fd}};
    epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
}

}  // namespace ome::homesim
