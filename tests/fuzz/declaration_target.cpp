#include "limits.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/document_check.hpp>
#include <ome/wire/services_document.hpp>

#include <boost/json.hpp>

#include <set>
#include <string>

namespace ome::fuzz {
namespace {

void check_capacity(const core::CapacityPolicy& policy) {
    require(policy.path.starts_with('/'), "a path begins with a slash");
    require(policy.period >= limits().min_period, "a period keeps the limit");
    require(policy.timeout.count() > 0 && policy.timeout < policy.period,
            "a timeout is shorter than its period");
    require(policy.quorum >= 1 && policy.quorum <= policy.samples, "a quorum can be reached");
    require(policy.samples <= limits().max_samples, "samples keep the limit");
    require(!policy.digest.empty(), "a policy has a digest");
}

void check_probe(const core::ProbePolicy& policy) {
    require(policy.path.starts_with('/'), "a path begins with a slash");
    require(policy.period >= limits().min_period, "a period keeps the limit");
    require(policy.timeout.count() > 0 && policy.timeout < policy.period,
            "a timeout is shorter than its period");
    require(policy.failure_threshold >= 1 && policy.success_threshold >= 1,
            "thresholds are positive");
    require(!policy.digest.empty(), "a policy has a digest");
}

void check_accepted(const core::ServiceDeclaration& declaration) {
    require(!wire::invalid_key(declaration.key), "an accepted service has a valid name");
    if (declaration.capacity) {
        check_capacity(*declaration.capacity);
    }
    if (declaration.probe) {
        check_probe(*declaration.probe);
    }
    std::set<std::string> clusters;
    for (const core::HomeDeclaration& home : declaration.homes) {
        require(!home.cluster.empty() && clusters.insert(home.cluster).second,
                "clusters are named once");
    }
}

void check_result(const core::Result<core::ServiceDeclaration>& result,
                  const std::vector<core::Problem>& warnings) {
    if (result) {
        check_accepted(*result);
    } else {
        require_readable(result.error().message);
    }
    for (const core::Problem& warning : warnings) {
        require_readable(warning.message);
    }
}

void check_document(const wire::DeclarationDocument& document) {
    check_result(document.declaration, document.warnings);
    require(document.is_json || !document.declaration, "what is no JSON is not accepted");
}

/// A home whose endpoint has a password, and whose other texts are the fuzzer's.
std::string with_secret(std::string_view input) {
    const std::string text(input.substr(0, 200));
    const std::string endpoint = "http://u:" + std::string(secret) + "@" + text;
    const boost::json::object home{{"cluster", text}, {"endpoint", endpoint}};
    const boost::json::object probe{{"path", "/" + text}, {"period", text}};
    return boost::json::serialize(
        boost::json::object{{"homes", boost::json::array{home, home}}, {"probe", probe}});
}

void check_secret(const std::string& text) {
    const wire::DeclarationDocument document =
        wire::read_declaration(text, {"team", "model"}, limits());
    if (!document.declaration) {
        require_no_secret(document.declaration.error().message);
    }
    for (const wire::Finding& finding : wire::check_document(text, limits()).findings) {
        require_no_secret(finding.problem.message);
    }
}

}  // namespace

void check_declaration(std::string_view input) {
    check_document(wire::read_declaration(input, {"team", "model"}, limits()));
    check_document(wire::read_declaration_line(input, limits()));
    if (const auto services = wire::read_services(input, limits())) {
        for (const wire::DeclaredService& service : *services) {
            check_result(service.declaration, service.warnings);
        }
    } else {
        require_readable(services.error().message);
    }
    if (input.find(secret) == std::string_view::npos) {
        check_secret(with_secret(input));
    }
}

}  // namespace ome::fuzz
