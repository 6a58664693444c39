#include "response_head.hpp"

#include <benchmark/benchmark.h>

namespace ome::bench {
namespace {

void NetResponseHead(benchmark::State& state) {
    constexpr std::string_view head =
        "HTTP/1.1 200 OK\r\n"
        "Date: Mon, 28 Sep 2026 10:00:00 GMT\r\n"
        "Content-Type: application/json\r\n"
        "Content-Length: 54\r\n"
        "Connection: keep-alive\r\n"
        "\r\n";
    for (auto _ : state) {
        std::size_t searched = 0;
        benchmark::DoNotOptimize(net::head_size(head, searched));
        benchmark::DoNotOptimize(net::parse_head(head, false));
    }
}
BENCHMARK(NetResponseHead);

}  // namespace
}  // namespace ome::bench
