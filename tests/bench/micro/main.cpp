// What the pure parts cost, one by one. Fixed inputs and no judgement: times are looked at, never
// asserted.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
