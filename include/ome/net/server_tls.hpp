// How the local API shows who it is: a certificate and its key. A value that never changes; what
// replaces it is loaded and handed over (HttpServer::set_tls).
#pragma once

#include <ome/core/problem.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::net {

class ServerTls {
public:
    struct State;  ///< of src/net alone

    /// Reads files. Problem: the file, and the reason, or that both do not fit together.
    /// `warnings`: a key that others may read.
    [[nodiscard]] static core::Result<std::shared_ptr<const ServerTls>> load(
        const std::string& certificate_file,
        const std::string& key_file,
        std::vector<std::string>& warnings);

    explicit ServerTls(std::unique_ptr<const State> state);
    ~ServerTls();
    [[nodiscard]] const State& state() const { return *state_; }

private:
    std::unique_ptr<const State> state_;
};

}  // namespace ome::net
