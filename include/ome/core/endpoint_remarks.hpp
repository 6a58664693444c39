// What whoever writes an endpoint may not expect of it.
#pragma once

#include <string_view>
#include <vector>

namespace ome::core {

/// What becomes of the parts of a usable endpoint that are not scheme, host and path: a query goes
/// along with every request, a fragment and userinfo with none, and a port that there cannot be
/// fails only when it is dialled (contract/observer.md 3 and 4; D4). Nothing of the URL is in them.
/// Empty where there are none.
[[nodiscard]] std::vector<std::string_view> endpoint_remarks(std::string_view url);

/// Of an endpoint that cannot be used since it begins with its host, which the words of Go's parser
/// do not tell everybody: that a scheme is missing. Empty where that is not the fault.
[[nodiscard]] std::string_view scheme_remark(std::string_view url);

}  // namespace ome::core
