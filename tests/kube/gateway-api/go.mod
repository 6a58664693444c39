// The types of the Gateway API that the tests in tests/kube/ install on their API server: they are
// read from the Go module cache, where tools/kube-tools puts them. Nothing of this module is part of
// the product. A module of its own, since its requirements must not choose the versions of
// ../tools.
module ome-observer/tests/kube/gateway-api

go 1.24.0

require sigs.k8s.io/gateway-api v1.4.1
