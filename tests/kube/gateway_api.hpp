// The types of the Gateway API on the test's API server: those of its standard channel, from the Go
// module cache, where tools/kube-tools puts them, else poor ones of our own.
#pragma once

namespace ome::test {

void install_gateway_api();

}  // namespace ome::test
