// `check` of the programs: several files together, and what is printed of them.
#pragma once

#include <ome/wire/document_check.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ome::wire {

struct CheckedFile {
    std::string name;
    CheckedDocument document;
};

struct UnreadableFile {
    std::string name;
    std::string why;  ///< a sentence, with the name
};

struct CheckRun {
    std::vector<CheckedFile> files;
    std::vector<UnreadableFile> unreadable;
};

/// The text of a file, or a sentence that says why it cannot be read.
using ReadFile = std::function<core::Result<std::string>(const std::string& name)>;

/// The texts of files by name; `-` is called `<stdin>` in what is printed. A configuration among
/// them says which limits the others have to keep, otherwise they are the chart's.
[[nodiscard]] CheckRun check_files(const std::vector<std::string>& names,
                                   const ReadFile& read,
                                   CheckFor whom = CheckFor::Observer);

/// 0, 1 when only reading failed, 78 when something is invalid.
[[nodiscard]] int exit_code(const CheckRun& run);

[[nodiscard]] std::size_t count(const std::vector<CheckedFile>& files, Severity severity);

/// A line for each finding, `FILE:LINE: field: message` (`warning: ` before the field of a
/// warning), and a line for each file without one.
[[nodiscard]] std::string as_text(const std::vector<CheckedFile>& files);

/// `{"files":[{"file","kind","findings":[{"severity","line","field","message"}]}],"errors","warnings"}`
/// with a newline; `line` is absent when unknown. Files that cannot be read come last, each with an
/// error.
[[nodiscard]] std::string as_json(const CheckRun& run);

}  // namespace ome::wire
