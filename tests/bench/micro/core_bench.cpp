#include "deadline_heap.hpp"
#include "samples.hpp"
#include <ome/core/capacity_window.hpp>
#include <ome/core/duration.hpp>
#include <ome/core/endpoint.hpp>
#include <ome/core/permits.hpp>
#include <ome/core/probe_gate.hpp>
#include <ome/core/quantity.hpp>
#include <ome/core/schedule.hpp>
#include <ome/core/timestamp.hpp>
#include <ome/core/waiting_line.hpp>

#include <benchmark/benchmark.h>

#include <chrono>

namespace ome::bench {
namespace {

using namespace std::chrono_literals;
using benchmark::DoNotOptimize;
using benchmark::State;

// A report each 10 s, of which every window keeps `range(0)`.
void CoreWindowAccept(State& state) {
    const auto samples = static_cast<std::int32_t>(state.range(0));
    core::CapacityWindow window({.samples = samples, .quorum = 1, .max_age = 300s});
    core::WallTime now = sample_instant;
    std::int32_t servable = 0;
    for (auto _ : state) {
        now = now + 10s;
        servable = (servable + 1) % 8;
        DoNotOptimize(window.accept({servable, now}, now));
        DoNotOptimize(window.ceiling());
    }
}
BENCHMARK(CoreWindowAccept)->Arg(1)->Arg(4)->Arg(100);

void CoreGateStep(State& state) {
    core::ProbeGate gate({.failure_threshold = 3, .success_threshold = 2});
    const core::ProbeVerdict failing{core::ProbeResult::Failing, "HTTP 503"};
    const core::ProbeVerdict passing{core::ProbeResult::Passing, "HTTP 200"};
    core::WallTime now = sample_instant;
    std::uint32_t step = 0;
    for (auto _ : state) {
        now = now + 10s;
        DoNotOptimize(gate.apply(++step % 8 < 4 ? failing : passing, now));
    }
}
BENCHMARK(CoreGateStep);

// One of `range(0)` homes is taken and gets its next deadline.
void CoreDeadlinePushPop(State& state) {
    const auto homes = static_cast<core::DeadlineHeap::Key>(state.range(0));
    core::DeadlineHeap heap;
    core::SteadyTime now{};
    for (core::DeadlineHeap::Key home = 0; home < homes; ++home) {
        heap.arm(home, now + std::chrono::milliseconds(home * 7919 % 10'000));
    }
    for (auto _ : state) {
        now = *heap.next();
        const auto home = *heap.pop_due(now);
        heap.arm(home, now + 10s);
    }
}
BENCHMARK(CoreDeadlinePushPop)->Arg(1'000)->Arg(100'000);

void CoreScheduleAdvance(State& state) {
    core::SteadyTime now{};
    core::Schedule schedule = core::Schedule::spread(now, 1500ms, 10s);
    for (auto _ : state) {
        now = schedule.due();
        schedule.advance(now);
        DoNotOptimize(schedule.due());
    }
}
BENCHMARK(CoreScheduleAdvance);

// 64 services of 4 homes wait; one goes and comes again.
void CoreWaitingLine(State& state) {
    core::WaitingLine line;
    for (core::WaitingLine::Item item = 0; item < 256; ++item) {
        line.push(item / 4, item);
    }
    for (auto _ : state) {
        const auto item = *line.pop();
        line.push(item / 4, item);
    }
}
BENCHMARK(CoreWaitingLine);

void CorePermitReport(State& state) {
    core::PermitArbiter arbiter(2, 64);
    core::PermitReport report{.reactor = 0, .services_waiting = 8, .attempts_waiting = 32};
    for (auto _ : state) {
        report.reactor = 1 - report.reactor;
        ++report.started;
        DoNotOptimize(arbiter.report(report));
    }
}
BENCHMARK(CorePermitReport);

void CoreCanonicalize(State& state) {
    for (auto _ : state) {
        DoNotOptimize(core::canonicalize("HTTPS://LLM.example.com:443/v1/chat%2fx?tier=gold"));
    }
}
BENCHMARK(CoreCanonicalize);

void CoreParseDuration(State& state) {
    for (auto _ : state) {
        DoNotOptimize(core::parse_duration("1h30m0.5s"));
    }
}
BENCHMARK(CoreParseDuration);

void CoreParseQuantity(State& state) {
    for (auto _ : state) {
        DoNotOptimize(core::parse_quantity("1500m"));
    }
}
BENCHMARK(CoreParseQuantity);

void CoreParseTimestamp(State& state) {
    for (auto _ : state) {
        DoNotOptimize(core::parse_timestamp("2026-09-28T10:00:00.123456+02:00"));
    }
}
BENCHMARK(CoreParseTimestamp);

void CoreFormatTimestamp(State& state) {
    for (auto _ : state) {
        DoNotOptimize(core::format_timestamp(sample_instant));
    }
}
BENCHMARK(CoreFormatTimestamp);

}  // namespace
}  // namespace ome::bench
