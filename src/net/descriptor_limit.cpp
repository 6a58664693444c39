#include <ome/net/descriptor_limit.hpp>

#include <sys/resource.h>

namespace ome::net {

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 1024;
    }
    rlimit raised = limit;
    raised.rlim_cur = raised.rlim_max;
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) {
        limit = raised;
    }
    return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace ome::net
