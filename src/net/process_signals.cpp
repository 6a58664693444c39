#include <ome/net/process_signals.hpp>

#include <csignal>
#include <initializer_list>

namespace ome::net {
namespace {

void change_mask(int how) {
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    ::pthread_sigmask(how, &hangup, nullptr);
}

}  // namespace

void survive_failed_writes() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
        std::signal(signal, SIG_IGN);
    }
}

void hold_hangup() {
    change_mask(SIG_BLOCK);
}

void release_hangup() {
    change_mask(SIG_UNBLOCK);
}

}  // namespace ome::net
