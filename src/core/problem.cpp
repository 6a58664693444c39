#include <ome/core/problem.hpp>

#include <cstdio>
#include <cstdlib>

namespace ome::core {

void throw_exception_from_error(const Problem& problem, const boost::source_location& where) {
    std::fprintf(stderr,
                 "bug: the value of a failed result was used at %s:%u: %s\n",
                 where.file_name(),
                 static_cast<unsigned>(where.line()),
                 problem.message.c_str());
    std::abort();
}

}  // namespace ome::core
