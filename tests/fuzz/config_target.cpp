#include "limits.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/config_document.hpp>
#include <ome/wire/document_check.hpp>
#include <ome/wire/service_routing_document.hpp>

#include <algorithm>

namespace ome::fuzz {
namespace {

void check_warnings(const std::vector<core::Problem>& warnings) {
    for (const core::Problem& warning : warnings) {
        require_readable(warning.message);
    }
}

template <typename Document>
void check_read(const core::Result<Document>& document) {
    if (document) {
        check_warnings(document->warnings);
    } else {
        require_readable(document.error().message);
    }
}

void check_findings(std::string_view input) {
    const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) +
                       static_cast<std::size_t>(std::count(input.begin(), input.end(), '\r')) + 1;
    for (const wire::Finding& finding : wire::check_document(input, limits()).findings) {
        require_readable(finding.problem.message);
        require(finding.line <= lines, "a finding stands on a line of the document");
    }
}

}  // namespace

void check_config(std::string_view input) {
    check_read(wire::read_config(input));
    check_read(wire::read_config_value(input));
    check_read(wire::read_service_routing(input));
    check_findings(input);
}

}  // namespace ome::fuzz
