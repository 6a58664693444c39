#include <ome/wire/history_document.hpp>
#include <ome/wire/json_text.hpp>

#include <fmt/format.h>

#include <iterator>

namespace ome::wire {
namespace {

void append_phase(std::string& out, std::string_view name, core::Duration phase) {
    if (phase > core::Duration::zero()) {
        const double ms = std::chrono::duration<double, std::milli>(phase).count();
        fmt::format_to(
            std::back_inserter(out), R"({}"{}":{:.3f})", out.back() == '{' ? "" : ",", name, ms);
    }
}

void append_count(std::string& out, std::string_view member, std::optional<std::int32_t> count) {
    if (count) {
        out += member;
        append_json_integer(out, *count);
    }
}

void append_attempt(std::string& out, const core::AttemptRecord& attempt) {
    out += R"({"time":)";
    append_json_time(out, attempt.at);
    out += R"(,"kind":)";
    append_json_string(out, core::to_string(attempt.kind));
    out += R"(,"result":)";
    append_json_string(out, core::to_string(attempt.result));
    out += R"(,"outcome":)";
    append_json_string(out, core::to_string(attempt.fault));
    if (!attempt.reason.empty()) {
        out += R"(,"reason":)";
        append_json_string(out, attempt.reason);
    }
    if (attempt.change != core::AttemptChange::None) {
        out += R"(,"change":)";
        append_json_string(out, core::to_string(attempt.change));
    }
    if (attempt.status) {
        out += R"(,"status":)";
        append_json_integer(out, *attempt.status);
    }
    append_count(out, R"(,"servable":)", attempt.servable);
    append_count(out, R"(,"ceiling":)", attempt.ceiling);
    out += R"(,"ms":{)";
    append_phase(out, "dns", attempt.phases.dns);
    append_phase(out, "connect", attempt.phases.connect);
    append_phase(out, "tls", attempt.phases.tls);
    append_phase(out, "firstByte", attempt.phases.first_byte);
    append_phase(out, "total", attempt.phases.total);
    out += "}}";
}

}  // namespace

void append_history(std::string& out, const core::HomeHistory& history) {
    out += R"({"cluster":)";
    append_json_string(out, history.cluster);
    out += R"(,"attempts":[)";
    for (const core::AttemptRecord& attempt : history.attempts) {
        if (&attempt != history.attempts.data()) {
            out += ',';
        }
        append_attempt(out, attempt);
    }
    out += "]}";
}

}  // namespace ome::wire
