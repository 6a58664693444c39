// A folder of a test's own, gone with it.
#pragma once

#include <string>
#include <string_view>

namespace ome::test {

class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// The path of a file of this name; nothing is made.
    [[nodiscard]] std::string path(std::string_view name) const;
    /// Writes the file anew and returns its path.
    std::string write(std::string_view name, std::string_view content) const;

private:
    std::string folder_;
};

}  // namespace ome::test
