#include "registry.hpp"

namespace ome::conformance {

std::vector<Operation> operations() {
    std::vector<Operation> all;
    return all;
}

}  // namespace ome::conformance
