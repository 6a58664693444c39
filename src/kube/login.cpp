#include "login.hpp"

#include "program.hpp"
#include "timer.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/small_file.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>

#include <utility>

namespace ome::kube {
namespace {

namespace asio = net::asio;

// Long before it ends a credential is asked for anew, as long as it is not a very short one.
constexpr core::Duration renew_before_end = std::chrono::seconds(10);

// The content of `inline_text`, or of the file.
core::Result<std::string> text_or_file(const std::string& inline_text, const std::string& file) {
    if (!inline_text.empty() || file.empty()) {
        return core::Result<std::string>(boost::system::in_place_value, inline_text);
    }
    auto read = net::read_small_file(file);
    if (!read) {
        return read.error();
    }
    return core::Result<std::string>(boost::system::in_place_value, std::move(read->bytes));
}

std::string trimmed(std::string text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t end = text.find_last_not_of(space);
    text.erase(end == std::string::npos ? 0 : end + 1);
    text.erase(0, std::min(text.find_first_not_of(space), text.size()));
    return text;
}

// A line end in it would end the head of the request.
bool is_token(const std::string& text) {
    for (const char c : text) {
        if (c <= ' ' || c > '~') {
            return false;
        }
    }
    return true;
}

}  // namespace

struct LoginReader::Material {
    net::TrustMaterial tls;
    std::string token;
    std::optional<core::WallTime> expires;
};

LoginReader::LoginReader(Access access, LoginSettings settings)
    : access_(std::move(access)), settings_(settings) {}

std::optional<core::Problem> LoginReader::ask_plugin(const std::string& authority) {
    const wire::KubeconfigExec& exec = *access_.user.exec;
    ProgramRun run;
    run.command = exec.command;
    run.args = exec.args;
    run.env = exec.env;
    run.time_limit = settings_.exec_time_limit;
    const bool tell = exec.provide_cluster_info;
    run.env.emplace_back(
        "KUBERNETES_EXEC_INFO",
        wire::exec_info_text(
            exec.api_version, tell ? access_.server.text : "", tell ? authority : ""));
    const auto printed = run_program(run);
    if (!printed) {
        const std::string hint = exec.install_hint.empty() ? "" : " (" + exec.install_hint + ")";
        return core::Problem{"exec plugin " + printed.error().message + hint, "exec"};
    }
    auto credential = wire::read_exec_credential(*printed);
    if (!credential) {
        return core::Problem{fmt::format("exec plugin \"{}\" printed no ExecCredential: {}",
                                         exec.command,
                                         credential.error().message),
                             "exec"};
    }
    said_ = *std::move(credential);
    said_until_ = core::parse_timestamp(said_.expires);
    has_said_ = true;
    return std::nullopt;
}

core::Result<LoginReader::Material> LoginReader::material(core::WallTime now, bool again) {
    Material made;
    const auto authority = text_or_file(access_.authority, access_.authority_file);
    const wire::KubeconfigUser& user = access_.user;
    const auto certificate = text_or_file(user.certificate, user.certificate_file);
    const auto key = text_or_file(user.key, user.key_file);
    const auto token = text_or_file(user.token_file.empty() ? user.token : "", user.token_file);
    for (const auto* part : {&authority, &certificate, &key, &token}) {
        if (!*part) {
            return part->error();
        }
    }
    made.tls.authorities = *authority;
    made.tls.verify = !access_.insecure;
    made.tls.certificate = *certificate;
    made.tls.key = *key;
    made.token = trimmed(*token);
    const bool fixed = !made.token.empty() || !made.tls.certificate.empty();
    if (!user.exec || fixed) {
        return made;
    }
    const bool over = said_until_ && now + renew_before_end >= *said_until_;
    if (again || over || !has_said_) {
        if (auto problem = ask_plugin(*authority)) {
            return *std::move(problem);
        }
    }
    made.token = said_.token;
    made.tls.certificate = said_.certificate;
    made.tls.key = said_.key;
    made.expires = said_until_;
    return made;
}

core::Result<Identity> LoginReader::read(core::WallTime now, bool again) {
    const auto made = material(now, again);
    if (!made) {
        return made.error();
    }
    if (!is_token(made->token)) {
        return core::Problem{"the token must be printable ASCII without spaces", "token"};
    }
    const std::string parts =
        made->tls.authorities + '\0' + made->tls.certificate + '\0' + made->tls.key;
    if (access_.server.https && (trust_ == nullptr || parts != trust_of_)) {
        auto trust = net::Trust::of(made->tls);
        if (!trust) {
            return trust.error();
        }
        trust_ = *std::move(trust);
        trust_of_ = parts;
    }
    return Identity{trust_, made->token, made->expires};
}

struct Login::State : std::enable_shared_from_this<State> {
    State(asio::io_context& context, Access access, LoginSettings chosen)
        : io(context), settings(chosen), reader(std::move(access), chosen), arrived(context) {}

    net::Awaitable<Outcome<Identity>> wait();
    void begin(bool again);
    void take(core::Result<Identity> read);
    [[nodiscard]] bool fresh() const {
        const core::Now now = net::read_clock();
        const bool over = identity && identity->expires && now.wall >= *identity->expires;
        return identity && read_at && now.steady - *read_at < settings.look_again && !over;
    }

    asio::io_context& io;
    LoginSettings settings;
    LoginReader reader;  // of the thread alone
    asio::thread_pool thread{1};
    Signal arrived;  // something was read
    bool reading = false;
    bool stopped = false;
    std::uint64_t reads = 0;
    std::optional<core::SteadyTime> read_at;
    std::optional<Identity> identity;
    core::Problem problem;
};

void Login::State::begin(bool again) {
    if (std::exchange(reading, true)) {
        return;
    }
    const core::WallTime now = net::read_clock().wall;
    asio::post(thread, [self = shared_from_this(), now, again, guard = asio::make_work_guard(io)] {
        core::Result<Identity> read = self->reader.read(now, again);
        asio::post(self->io,
                   [self, read = std::move(read)]() mutable { self->take(std::move(read)); });
    });
}

void Login::State::take(core::Result<Identity> read) {
    reading = false;
    ++reads;
    read_at = net::read_clock().steady;
    if (read) {
        identity = *std::move(read);
        problem = {};
    } else {
        problem = read.error();
    }
    arrived.tell();
}

// Until one more reading has ended.
net::Awaitable<Outcome<Identity>> Login::State::wait() {
    const std::uint64_t before = reads;
    while (reads == before && !stopped) {
        co_await arrived.wait();
        const bool over = co_await told_to_stop();
        if (over) {
            break;
        }
    }
    if (reads == before) {
        co_return Failure{Failure::Kind::Stopped, "asked to stop"};
    }
    if (!identity) {
        co_return Failure{Failure::Kind::Login, "cannot log in: " + problem.message};
    }
    co_return *identity;
}

Login::Login(asio::io_context& io, Access access, LoginSettings settings)
    : state_(std::make_shared<State>(io, std::move(access), settings)) {}

Login::~Login() {
    stop();
    state_->thread.join();
}

void Login::stop() {
    state_->stopped = true;
    state_->arrived.tell();
}

net::Awaitable<Outcome<Identity>> Login::current() {
    const auto state = state_;
    if (state->fresh()) {
        co_return *state->identity;
    }
    state->begin(false);
    co_return co_await state->wait();
}

net::Awaitable<Outcome<Identity>> Login::renewed(Identity refused) {
    const auto state = state_;
    const bool newer = state->identity && (state->identity->token != refused.token ||
                                           state->identity->trust != refused.trust);
    if (newer && state->fresh()) {
        co_return *state->identity;  // somebody else was refused before us
    }
    state->begin(true);
    co_return co_await state->wait();
}

}  // namespace ome::kube
