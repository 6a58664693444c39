#include "registry.hpp"

namespace ome::conformance {

std::vector<Operation> operations() {
    std::vector<Operation> all;
    add_policy_operations(all);
    return all;
}

}  // namespace ome::conformance
