#include "output_failed.hpp"

#include <ome/net/standard_output.hpp>

namespace ome::kubectl {

int output_failed(Session& session, std::string_view message) {
    return net::has_reader(stdout) ? session.fail(message) : 0;
}

}  // namespace ome::kubectl
