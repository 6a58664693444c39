// The parts of `check` that its test looks at.
#pragma once

#include "check_report.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace ome::observer {

struct CheckRun {
    std::vector<CheckedFile> files;
    std::vector<std::string> unreadable;  ///< a sentence for each file that could not be read
};

/// `-` is the standard input given.
[[nodiscard]] CheckRun check_files(const std::vector<std::string>& names,
                                   std::istream& standard_input);

/// 0, 1 when only reading failed, 78 when something is invalid.
[[nodiscard]] int exit_code(const CheckRun& run);

}  // namespace ome::observer
