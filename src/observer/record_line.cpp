#include "record_line.hpp"

#include "redact.hpp"
#include <ome/core/endpoint.hpp>
#include <ome/core/text.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/wire/declaration_text.hpp>
#include <ome/wire/json_text.hpp>

#include <fmt/format.h>

#include <utility>

namespace ome::observer {
namespace {

using core::Fault;
using wire::append_json_integer;
using wire::append_json_string;

/// What `replay` calls it. A stall that was judged after all is a deadline that passed (D22).
std::string_view name_of(Fault fault) {
    const bool sent = fault != Fault::InvalidUrl && fault != Fault::Stalled;
    return core::to_string(sent ? fault : Fault::Unreachable);
}

void append_error(std::string& out, const core::AttemptOutcome& outcome) {
    out += R"("error":{"kind":)";
    append_json_string(out, name_of(outcome.fault));
    out += R"(,"text":)";
    const bool stalled = outcome.fault == Fault::Stalled;
    append_json_string(out, stalled ? "context deadline exceeded" : redact_text(outcome.text));
    out += '}';
}

/// A body that has nothing to hide and survives being written as JSON.
bool may_be_shown(const RecordedAttempt& attempt) {
    return attempt.body_size <= longest_recorded_body && attempt.body.size() == attempt.body_size &&
           core::sanitize_detail(attempt.body, attempt.body.size()) == attempt.body &&
           redact_text(attempt.body) == attempt.body;
}

void append_report(std::string& out, const RecordedAttempt& attempt) {
    const auto* report = std::get_if<core::CapacityReport>(&attempt.outcome.report);
    const auto* reason = std::get_if<std::string>(&attempt.outcome.report);
    if (may_be_shown(attempt)) {
        out += R"(,"body":)";
        append_json_string(out, attempt.body);
        return;
    }
    out += fmt::format(R"(,"redactedBytes":{})", attempt.body_size);
    if (report != nullptr) {
        out += R"(,"body":)";
        append_json_string(out,
                           fmt::format(R"({{"servable":{},"observedAt":"{}"}})",
                                       report->servable,
                                       core::format_timestamp(report->observed_at)));
    } else if (reason != nullptr) {
        out += R"(,"reason":)";
        append_json_string(out, redact_text(*reason));
    }
}

void append_answer(std::string& out, const RecordedAttempt& attempt) {
    const core::AttemptOutcome& outcome = attempt.outcome;
    out += '{';
    if (outcome.status) {
        out += R"("status":)";
        append_json_integer(out, *outcome.status);
    }
    if (outcome.fault != Fault::None) {
        out += outcome.status ? "," : "";
        append_error(out, outcome);
    } else if (attempt.kind == core::Kind::Poll && outcome.status == 200) {
        append_report(out, attempt);
    }
    out += '}';
}

std::string begin_line(core::WallTime at, const std::optional<core::ServiceKey>& service) {
    std::string out = R"({"at":)";
    wire::append_json_time(out, at);
    if (service) {
        out += R"(,"service":)";
        append_json_string(out, service->ns + "/" + service->name);
    }
    return out;
}

core::ServiceDeclaration without_secrets(core::ServiceDeclaration declaration) {
    if (declaration.capacity) {
        declaration.capacity->path = redact_text(declaration.capacity->path);
    }
    if (declaration.probe) {
        declaration.probe->path = redact_text(declaration.probe->path);
    }
    for (core::HomeDeclaration& home : declaration.homes) {
        home.endpoint = redact_text(home.endpoint);
        if (home.restored) {
            home.restored->message = redact_text(home.restored->message);
        }
    }
    return declaration;
}

template <typename Policy>
void append_digest(std::string& out, std::string_view name, const std::optional<Policy>& policy) {
    if (policy) {
        out += out.back() == '{' ? "" : ",";
        append_json_string(out, name);
        out += ':';
        append_json_string(out, policy->digest);
    }
}

/// Members that no declaration has, in front of its last brace.
void append_additions(std::string& out, const RecordedDeclaration& declared) {
    out.pop_back();
    if (!declared.declaration.suspended) {
        out += R"(,"digests":{)";
        append_digest(out, "capacity", declared.declaration.capacity);
        append_digest(out, "probe", declared.declaration.probe);
        out += '}';
    }
    if (!declared.moved.empty()) {
        out += R"(,"moved":)";
        char before = '[';
        for (const std::string& cluster : declared.moved) {
            out += std::exchange(before, ',');
            append_json_string(out, cluster);
        }
        out += ']';
    }
    out += '}';
}

}  // namespace

std::string record_line(const RecordedDeclaration& declared) {
    std::string out = begin_line(declared.at, declared.declaration.key);
    out += R"(,"declared":)";
    wire::append_declaration(out, without_secrets(declared.declaration));
    append_additions(out, declared);
    out += "}\n";
    return out;
}

std::string record_line(const RecordedForgetting& forgotten) {
    return begin_line(forgotten.at, forgotten.service) + ",\"forgotten\":true}\n";
}

std::string record_line(const RecordedAttempt& attempt) {
    std::string out = begin_line(attempt.at, attempt.service);
    out += R"(,"home":)";
    append_json_string(out, attempt.cluster);
    out += R"(,"endpoint":)";
    append_json_string(out, redact_text(attempt.endpoint));
    out += fmt::format(R"(,"{}":)", core::to_string(attempt.kind));
    append_answer(out, attempt);
    out += "}\n";
    return out;
}

}  // namespace ome::observer
