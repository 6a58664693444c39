// What went wrong, as a value: never thrown, shown to people where it is shown.
#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace ome::core {

/// A message for people and, where there is one, the path of the field it is about
/// (`probe.timeout`, `homes[3].cluster`). The message alone must name the field, the value and the
/// rule: `field` is there for machines.
struct Problem {
    std::string message;
    std::string field = {};

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// `value()` on a failure is a bug of ours and ends the process (see problem.cpp).
[[noreturn]] void throw_exception_from_error(const Problem& problem, const boost::source_location&);

template <typename T>
using Result = boost::system::result<T, Problem>;

}  // namespace ome::core
