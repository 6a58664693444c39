// What of a declaration is not taken as it is written: unknown members, odd endpoints.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>

#include <boost/json/array.hpp>

#include <vector>

namespace ome::observer {

/// `[{"message","field"}]`, at most a dozen, then how many more there are.
[[nodiscard]] boost::json::array warnings_document(const std::vector<core::Problem>& warnings);

/// One line in the log, if there is anything to tell. Endpoints that cannot be used are left out:
/// they are told when the service is declared, whoever declares.
void log_warnings(const core::ServiceKey& service, const std::vector<core::Problem>& warnings);

}  // namespace ome::observer
