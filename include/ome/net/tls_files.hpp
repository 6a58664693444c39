// The files that TLS to homes depends on, and a Trust made of them: `--ca-file`, and in a folder
// (`--tls-dir`) of each cluster `<cluster>.ca.pem`, `<cluster>.crt` and `<cluster>.key`, all
// optional. A cluster with a `.ca.pem` is verified by that alone: neither the system's roots nor
// `--ca-file` count for it. Reads files: never on a reactor.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/net/trust.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ome::net {

class TlsFiles {
public:
    /// `folder` empty: there is none.
    TlsFiles(std::vector<std::string> ca_files, std::string folder);
    ~TlsFiles();

    struct News {
        std::shared_ptr<const Trust> trust;   ///< null: nothing is new
        std::vector<core::Problem> problems;  ///< files that cannot be used; the old ones count on
        std::vector<std::string> warnings;
        std::vector<std::string> read;  ///< what `trust` has that it had not, in words for the log
    };

    /// Everything anew, the system's roots too. When the first time gives no trust, `problems` says
    /// why. A cluster whose files were never good is in the trust as one that cannot be met.
    [[nodiscard]] News load();

    /// What has changed since; a problem is told once for each change of the files.
    [[nodiscard]] News refresh();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ome::net
