// Who is trusted at the other end of TLS, and how we introduce ourselves there: a value that never
// changes, so that all reactors share one, and what replaces it is loaded beside them.
#pragma once

#include <ome/core/problem.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::net {

class Trust {
public:
    struct State;  ///< of src/net alone

    /// The system's roots (SSL_CERT_FILE and SSL_CERT_DIR apply) and what is in `ca_files`. Reads
    /// files: never on a reactor. Problem: the file that cannot be used, named.
    [[nodiscard]] static core::Result<std::shared_ptr<const Trust>> load(
        const std::vector<std::string>& ca_files);

    explicit Trust(std::unique_ptr<const State> state);
    ~Trust();
    [[nodiscard]] const State& state() const { return *state_; }

private:
    std::unique_ptr<const State> state_;
};

}  // namespace ome::net
