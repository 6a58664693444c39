#include "right_log.hpp"

#include <ome/telemetry/log.hpp>

namespace ome::controller {

void log_right(const MissingRights::Change& change) {
    namespace log = telemetry::log;
    if (change.missing && change.needed) {
        log::error("a right is missing",
                   {{"right", spoken(*change.missing)},
                    {"hinders", change.missing->hinders},
                    {"problem", change.missing->problem}});
    } else if (change.missing) {
        log::info("a right is missing, which the publisher needs with a gateway alone",
                  {{"right", spoken(*change.missing)}});
    } else if (change.back) {
        log::info("a right is there again", {{"right", spoken(*change.back)}});
    }
}

}  // namespace ome::controller
