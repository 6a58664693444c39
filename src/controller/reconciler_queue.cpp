// Which subject has its pass next: at once, soon, or when its time has come.
#include "reconciler_state.hpp"
#include <ome/core/deadline.hpp>

#include <utility>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;

// Readings that change together become one write.
constexpr core::Duration gathering_time = 20ms;

}  // namespace

void Reconciler::State::mark(Subject& subject, core::SteadyTime now, Urgency urgency) {
    if (subject.writing) {
        subject.marked_while_writing = true;
        return;
    }
    if (urgency == Urgency::Soon) {
        if (!subject.queued) {
            wake_at(subject, core::later(now, gathering_time));
        }
        return;
    }
    cancel_timer(subject);
    if (!subject.queued) {
        subject.queued = true;
        subject.queued_at = now;
        urgent.push_back(&subject);
    }
}

void Reconciler::State::mark_all(core::SteadyTime now) {
    for (auto& [key, subject] : subjects) {
        if (subject.writing) {
            subject.marked_while_writing = true;
        } else if (!subject.queued) {
            cancel_timer(subject);
            subject.queued = true;
            subject.queued_at = now;
            soon.push_back(&subject);
        }
    }
}

void Reconciler::State::wake_at(Subject& subject, core::SteadyTime at) {
    if (subject.timer && *subject.timer <= at) {
        return;
    }
    cancel_timer(subject);
    subject.timer = at;
    timers.emplace(at, subject.key);
}

void Reconciler::State::cancel_timer(Subject& subject) {
    if (subject.timer) {
        timers.erase({*subject.timer, subject.key});
        subject.timer.reset();
    }
}

void Reconciler::State::take_due(core::SteadyTime now) {
    while (!timers.empty() && timers.begin()->first <= now) {
        Subject& due = subjects.at(timers.begin()->second);
        cancel_timer(due);
        if (due.writing) {
            due.marked_while_writing = true;
        } else if (!due.queued) {
            due.queued = true;
            due.queued_at = now;
            soon.push_back(&due);
        }
    }
}

// Capacity falls open, or comes back, for all at once.
void Reconciler::State::watch_silence(const core::Now& now) {
    const bool silent = hearing(now) == Hearing::Silent;
    if (silent != was_silent) {
        was_silent = silent;
        mark_all(now.steady);
    }
}

Subject* Reconciler::State::take_marked() {
    std::deque<Subject*>& queue = urgent.empty() ? soon : urgent;
    if (queue.empty() || writing >= most_writing) {
        return nullptr;
    }
    Subject* subject = queue.front();
    queue.pop_front();
    subject->queued = false;
    return subject;
}

}  // namespace ome::controller
