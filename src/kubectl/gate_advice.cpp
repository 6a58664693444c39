#include "gate_advice.hpp"

#include <algorithm>
#include <array>

namespace ome::kubectl {
namespace {

struct Advice {
    std::string_view part;  ///< of the message
    std::string_view changes_by;
};

constexpr std::string_view renew = "a renewed certificate at that cluster's Gateway";
constexpr std::string_view trust =
    "trust in its authority (--ca-file, or --tls-dir for this cluster alone), or a certificate of "
    "one that is trusted";
constexpr std::string_view name =
    "a certificate that has the endpoint's name, or an endpoint by a name that it has";
constexpr std::string_view dns =
    "a DNS record of the endpoint's host, or another host in the endpoint";
constexpr std::string_view name_servers = "name servers that answer the observer";
constexpr std::string_view way =
    "a way from the observer to the endpoint: does it listen, and do egress rules let it through?";

// The first that fits; Go's words, which OME's own controller takes over, beside ours.
constexpr std::array<Advice, 24> all_advice{{
    {"certificate has expired", renew},
    {"certificate is not valid yet",
     "the time from which the certificate is valid, or a clock that is right"},
    {"unknown authority", trust},
    {"self-signed and not trusted", trust},
    {"certificate cannot be verified", trust},
    {"certificate is not valid for", name},
    {"certificate is valid for", name},
    {"does not speak TLS 1.2", "TLS 1.2 or later at that cluster's Gateway"},
    {"does not speak TLS", "an endpoint whose scheme fits its port: http://, or a port with TLS"},
    {"TLS alert",
     "what the peer asks for in TLS, such as a client certificate (--tls-dir, CLUSTER.crt and "
     "CLUSTER.key)"},
    {"no such host", dns},
    {"no address for this name", dns},
    {"not a valid name", dns},
    {"name server", name_servers},
    {"address refused by policy",
     "an endpoint at an address that may be observed (--deny-addresses, --allow-loopback)"},
    {"refused", way},
    {"connection timed out", way},
    {"i/o timeout", way},
    {"no route to host", way},
    {"unreachable", way},
    {"deadline exceeded",
     "an answer within the probe's timeout: is the endpoint reachable, and does it speak what its "
     "URL says? Which phase is slow, the `ms` of the home's history tell"},
    {"HTTP 404", "the probe's path on the endpoint: it is wrong there, or its route is missing"},
    {"connection closed",
     "an answer that is whole: what closes the connection, a proxy before it?"},
    {"reset by peer", "an answer that is whole: what closes the connection, a proxy before it?"},
}};

}  // namespace

std::vector<std::string> what_opens_the_gate(std::string_view message) {
    const auto* const found =
        std::find_if(all_advice.begin(), all_advice.end(), [message](const Advice& advice) {
            return message.find(advice.part) != std::string_view::npos;
        });
    if (found == all_advice.end()) {
        return {
            "enough passing probes in a row (successThreshold); try the probe's path on the "
            "endpoint"};
    }
    return {std::string(found->changes_by),
            "then enough passing probes in a row (successThreshold)"};
}

}  // namespace ome::kubectl
