// What an API server's refusal, or its silence, means to a command. Pure.
#pragma once

#include "cluster.hpp"
#include <ome/kube/failure.hpp>

#include <cstdint>
#include <string>

namespace ome::kubectl {

/// What was asked.
struct Asked {
    enum class Verb : std::uint8_t { Get, List, Patch };
    Verb verb = Verb::Get;
    std::string request;  ///< `GET /apis/...`, with which messages of kube/ begin
    std::string selector = {};
};

/// Of a server's refusal the kind is told, in a word, and what it said of a right that is missing
/// or of a change that it does not take stands apart: not every command shows it
/// (contract/publisher-cli.md 2.1). What we say ourselves, of a connection or of our credentials,
/// is told whole.
[[nodiscard]] ClusterError error_of(const kube::Failure& failure, const Asked& asked);

}  // namespace ome::kubectl
