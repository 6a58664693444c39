// The types of the Gateway API on the test's API server.
#pragma once

namespace ome::test {

/// The CRDs of the standard channel; from the Go module cache, where tools/kube-tools puts them,
/// else poor ones of our own.
void install_gateway_api();

}  // namespace ome::test
