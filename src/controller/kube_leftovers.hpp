// What an API server still has of a map's objects, asked of the server itself: what the watches
// told may be behind it, and a map that is let go cannot be cleaned up after any more.
#pragma once

#include "kube_sender.hpp"
#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/net/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ome::controller {

/// In the namespaces of these claims. Absent: nothing is left. A type that is not installed has no
/// objects; policies that may not be seen are taken for none, since most do without.
[[nodiscard]] net::Awaitable<std::optional<core::Problem>> leftovers(
    KubeSender& sender, core::ServiceKey source, std::vector<std::string> claims);

}  // namespace ome::controller
