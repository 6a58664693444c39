// A network of the test program's own: for servers that must not be on loopback.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ome::test {

/// The calling thread, and every thread and program that it starts from then on, are in a new
/// network namespace with loopback and these IPv4 addresses, and no way out. To be called before
/// there is another thread. Absent: it is done; else why that is not permitted here.
[[nodiscard]] std::optional<std::string> enter_own_network(
    const std::vector<std::string>& addresses);

}  // namespace ome::test
