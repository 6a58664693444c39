// contract/observer.md 10: an upgrade keeps its gates only if every byte of the payload is the
// same.
#include <ome/core/policy_resolution.hpp>
#include <ome/core/sha256.hpp>
#include <ome/core/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ome::core {
namespace {

std::string escaped_ascii(char c) {
    switch (c) {
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case '\b':
            return "\\b";
        case '\f':
            return "\\f";
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            break;
    }
    const bool needs_escape =
        static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&';
    return needs_escape ? fmt::format("\\u{:04x}", static_cast<unsigned>(c)) : std::string(1, c);
}

std::string escaped_front(std::string_view text, const CodePoint& front) {
    if (!front.valid) {
        return "\\ufffd";
    }
    if (front.length == 1) {
        return escaped_ascii(text[0]);
    }
    const bool separator = front.value == 0x2028 || front.value == 0x2029;
    return separator ? fmt::format("\\u{:04x}", static_cast<unsigned>(front.value))
                     : std::string(text.substr(0, front.length));
}

// As Go's encoder writes a string, HTML escapes included.
std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const CodePoint front = first_code_point(text);
        out += escaped_front(text, front);
        text.remove_prefix(front.length);
    }
    return out + '"';
}

std::string json_statuses(std::vector<std::int32_t> statuses) {
    if (statuses.empty()) {
        return "null";
    }
    std::sort(statuses.begin(), statuses.end());
    statuses.erase(std::unique(statuses.begin(), statuses.end()), statuses.end());
    return fmt::format("[{}]", fmt::join(statuses, ","));
}

std::string json_options(const Options& options) {
    if (options.empty()) {
        return "null";
    }
    std::vector<std::string> items;
    for (const auto& [key, value] : options) {
        items.push_back(
            fmt::format(R"({{"key":{},"value":{}}})", json_string(key), json_string(value)));
    }
    return fmt::format("[{}]", fmt::join(items, ","));
}

std::string digest(std::string_view payload) {
    return "sha256:" + sha256_hex(payload);
}

}  // namespace

std::string canonical_payload(const ProbePolicy& policy) {
    return fmt::format(
        R"({{"version":1,"path":{},"method":"{}","acceptStatuses":{},"gateStatuses":{},)"
        R"("periodNanoseconds":{},"timeoutNanoseconds":{},"failureThreshold":{},)"
        R"("successThreshold":{},"allFailedPolicy":"{}"}})",
        json_string(policy.path),
        to_string(policy.method),
        json_statuses(policy.accept_statuses),
        json_statuses(policy.gate_statuses),
        policy.period.count(),
        policy.timeout.count(),
        policy.failure_threshold,
        policy.success_threshold,
        to_string(policy.all_failed_policy));
}

std::string canonical_payload(const CapacityPolicy& policy) {
    return fmt::format(R"({{"version":1,"path":{},"method":"{}","format":{},"options":{},)"
                       R"("periodNanoseconds":{},"timeoutNanoseconds":{},"samples":{},)"
                       R"("quorum":{},"maxAgeNanoseconds":{}}})",
                       json_string(policy.path),
                       to_string(policy.method),
                       json_string(policy.format),
                       json_options(policy.options),
                       policy.period.count(),
                       policy.timeout.count(),
                       policy.samples,
                       policy.quorum,
                       policy.max_age.count());
}

std::string digest_of(const ProbePolicy& policy) {
    return digest(canonical_payload(policy));
}

std::string digest_of(const CapacityPolicy& policy) {
    return digest(canonical_payload(policy));
}

}  // namespace ome::core
