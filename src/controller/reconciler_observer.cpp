// The observer's side: what is declared to it and what it tells (design.md section 4).
#include "reconciler_state.hpp"
#include <ome/routing/ownership.hpp>

namespace ome::controller {
namespace {

// Of the service as it was declared, and as it is now: one that was made anew has another UID
// before its declaration is sent.
bool is_about_owner(const Subject& subject, const wire::ServiceAnswer& answer) {
    return subject.sent && answer.service.owner_uid == subject.sent->owner_uid &&
           (subject.service == nullptr || subject.service->uid == answer.service.owner_uid);
}

}  // namespace

Hearing Reconciler::State::hearing(const core::Now& now) const {
    if (heard) {
        return now.steady - *heard < observer_patience ? Hearing::Live : Hearing::Silent;
    }
    return now.steady - started < observer_patience ? Hearing::Starting : Hearing::Silent;
}

void Reconciler::State::want(Subject& subject,
                             std::optional<core::ServiceDeclaration> declaration) {
    const bool same = subject.wanted.has_value() == declaration.has_value() &&
                      (!declaration || same_declaration(*subject.wanted, *declaration));
    if (!same) {
        subject.refused.reset();
    }
    if (!declaration) {
        subject.readings.clear();
        subject.answered = false;
    }
    subject.wanted = std::move(declaration);
    const bool as_sent = subject.sent.has_value() == subject.wanted.has_value() &&
                         (!subject.wanted || same_declaration(*subject.sent, *subject.wanted));
    if (!as_sent) {
        to_declare.insert(subject.key);
    } else if (!subject.refused) {
        to_declare.erase(subject.key);
    }
}

// Before the first pass over the service: the whole set is declared at once.
void Reconciler::State::want_as_admitted(Subject& subject) {
    if (subject.service == nullptr || subject.service->deleting) {
        return;
    }
    const auto admitted = routing::admit(*subject.service, settings.installation);
    if (!admitted || subject.map_unreadable ||
        routing::write_refusal(*subject.service, subject.map.get())) {
        want(subject, suspended_declaration(*subject.service));
    } else if (*admitted) {
        want(subject, wanted_declaration(*subject.service, **admitted));
    }
}

DeclarationRequest Reconciler::State::make_request(Subject& subject) {
    to_declare.erase(subject.key);
    if (subject.about && subject.wanted) {
        subject.readings.keep_for(*subject.about, *subject.wanted);
    }
    subject.sent = subject.wanted;
    subject.about = subject.wanted;
    subject.ticket = ++last_ticket;
    DeclarationRequest request{subject.key, subject.ticket, subject.wanted};
    if (request.declaration && subject.service != nullptr) {
        add_restored(*request.declaration, *subject.service, subject.map.get(), subject.readings);
    }
    return request;
}

void Reconciler::State::take_answer(Subject& subject,
                                    const wire::ServiceAnswer& answer,
                                    const core::Now& now) {
    subject.listed = true;
    subject.floor = answer.revision;
    subject.refused.reset();
    if (!is_about_owner(subject, answer)) {
        return;
    }
    ++totals.readings;
    subject.answered = true;
    // An observer that begins with a suspended service knows nothing of it. What an earlier one
    // told is what the service is declared with when it goes on.
    if (!answer.service.suspended || !answer.service.homes.empty()) {
        subject.readings.replace(answer.service.homes, answer.revision);
    }
    mark(subject, now.steady, Urgency::Soon);
}

void Reconciler::heard(const core::Now& now) {
    state_->heard = now.steady;
    if (state_->listed) {
        state_->watch_silence(now);
    }
}

std::vector<core::ServiceKey> Reconciler::begin_sync(const core::Now&) {
    State& state = *state_;
    state.syncing = true;
    std::vector<core::ServiceKey> keys;
    for (auto& [key, subject] : state.subjects) {
        subject.sent.reset();
        subject.listed = false;
        subject.floor = 0;
        subject.readings.forget_revisions();
        if (subject.wanted) {
            keys.push_back(key);
        }
    }
    state.to_declare.clear();
    return keys;
}

std::optional<DeclarationRequest> Reconciler::request_for(const core::ServiceKey& key) {
    Subject* subject = state_->find(key);
    if (subject == nullptr || !subject->wanted) {
        return std::nullopt;
    }
    return state_->make_request(*subject);
}

void Reconciler::synced(const core::Now& now) {
    State& state = *state_;
    state.syncing = false;
    for (auto& [key, subject] : state.subjects) {
        const bool lost = subject.sent && !subject.listed && !subject.refused;
        if (lost) {
            subject.sent.reset();
        }
        if (lost || (subject.wanted && !subject.sent)) {
            state.to_declare.insert(key);
        }
    }
    heard(now);
}

std::optional<DeclarationRequest> Reconciler::next_request() {
    State& state = *state_;
    while (!state.syncing && !state.to_declare.empty()) {
        const core::ServiceKey key = *state.to_declare.begin();
        Subject* subject = state.find(key);
        if (subject == nullptr) {
            state.to_declare.erase(key);
            continue;
        }
        DeclarationRequest request = state.make_request(*subject);
        state.forget_if_empty(*subject);
        return request;
    }
    return std::nullopt;
}

void Reconciler::told(const wire::ServiceAnswer& answer,
                      std::uint64_t ticket,
                      const core::Now& now) {
    Subject* subject = state_->find(answer.service.key);
    if (subject == nullptr || (ticket != 0 && ticket != subject->ticket)) {
        return;
    }
    state_->take_answer(*subject, answer, now);
}

void Reconciler::refused(const core::ServiceKey& key,
                         std::uint64_t ticket,
                         const core::Problem& why,
                         const core::Now& now) {
    Subject* subject = state_->find(key);
    if (subject == nullptr || !subject->wanted || (ticket != 0 && ticket != subject->ticket)) {
        return;
    }
    subject->refused = why;
    subject->refusal_seen = false;
    state_->mark(*subject, now.steady);
}

void Reconciler::changed(const wire::ServiceAnswer& answer, const core::Now& now) {
    Subject* subject = state_->find(answer.service.key);
    if (subject == nullptr || answer.revision < subject->floor ||
        !is_about_owner(*subject, answer)) {
        return;
    }
    ++state_->totals.readings;
    subject->readings.merge(answer.service.homes, answer.revision, *subject->sent);
    if (!subject->reading_since) {
        subject->reading_since = now.steady;
    }
    state_->mark(*subject, now.steady, State::Urgency::Soon);
}

void Reconciler::forgotten(const wire::watch::Forgotten& line, const core::Now& now) {
    Subject* subject = state_->find(line.service);
    if (subject == nullptr || line.revision < subject->floor) {
        return;
    }
    if (line.clusters.empty()) {
        if (subject->sent && subject->wanted) {
            subject->sent.reset();
            state_->to_declare.insert(subject->key);
        }
        return;
    }
    subject->readings.drop(line.clusters);
    state_->mark(*subject, now.steady, State::Urgency::Soon);
}

}  // namespace ome::controller
