// What `check` prints.
#pragma once

#include <ome/wire/document_check.hpp>

#include <string>
#include <vector>

namespace ome::observer {

struct CheckedFile {
    std::string name;
    wire::CheckedDocument document;
};

[[nodiscard]] std::size_t count(const std::vector<CheckedFile>& files, wire::Severity severity);

/// A line for each finding, `FILE:LINE: field: message` (`warning: ` before the field of a
/// warning), and a line for each file without one.
[[nodiscard]] std::string as_text(const std::vector<CheckedFile>& files);

/// `{"files":[{"file","kind","findings":[{"severity","line","field","message"}]}],"errors","warnings"}`
/// with a newline; `line` is absent when unknown.
[[nodiscard]] std::string as_json(const std::vector<CheckedFile>& files);

}  // namespace ome::observer
