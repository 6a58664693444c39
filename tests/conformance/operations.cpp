#include "registry.hpp"

namespace ome::conformance {

std::vector<Operation> operations() {
    std::vector<Operation> all;
    add_life_operations(all);
    add_machine_operations(all);
    add_map_operations(all);
    add_policy_operations(all);
    add_report_operations(all);
    add_text_operations(all);
    add_weight_operations(all);
    return all;
}

}  // namespace ome::conformance
