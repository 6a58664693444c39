// A name server that never answers, a handshake that stalls, a body that drips: each attempt ends at its
// time-out, and a thousand other homes do not notice.
#include "integration/declarations.hpp"
#include "integration/homes.hpp"
#include "integration/observer_process.hpp"
#include "support/scripted_dns.hpp"
#include "support/scripted_server.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <thread>

namespace ome::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

}  // namespace
}  // namespace ome::test
