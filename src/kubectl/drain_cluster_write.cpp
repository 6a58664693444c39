#include "cluster_drain.hpp"
#include "drain_cluster.hpp"

#include <fmt/format.h>

namespace ome::kubectl {
namespace {

constexpr int most_attempts = 5;

class Writer {
public:
    explicit Writer(const ClusterDrain& run) : run_(run), request_(run.request) {}

    void write(const core::ServiceKey& key) {
        if (run_.session.terminal().interrupted()) {
            written_.failed.emplace_back(key, "not tried: interrupted");
        } else if (const std::string problem = patch(key); problem.empty()) {
            written_.done.push_back(key);
        } else {
            written_.failed.emplace_back(key, problem);
        }
    }

    DrainsWritten take() { return std::move(written_); }

private:
    // Somebody else's write in between is no reason to give up: the drain is planned anew. Empty:
    // done.
    std::string patch(const core::ServiceKey& key) {
        request_.ns = key.ns;
        request_.service = key.name;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            const auto service =
                run_.cluster.get(Kind::InferenceService, key, run_.session.request_time());
            if (!service) {
                return words_in_full(service.error());
            }
            if (run_.drains() && !held_by({*service}, run_.name, request_.id).empty()) {
                tell_of_a_drain_that_is_there(key);
                written_.already.insert(key);
                return "";
            }
            const auto plan = plan_drain(request_, *service);
            if (!plan) {
                return plan.error().message;
            }
            if (const auto warning =
                    attempt == 0 ? frozen_warning(request_, *service) : std::nullopt) {
                run_.session.warn(*warning);
            }
            if (run_.mode == DryRun::Client) {
                return "";
            }
            const auto answer = run_.cluster.patch(
                {.key = key, .operations = plan->patch, .dry_run = run_.mode == DryRun::Server},
                run_.session.request_time());
            if (answer) {
                return "";
            }
            if (answer.error().what != Failure::Conflict) {
                return words_in_full(answer.error());
            }
        }
        return fmt::format("somebody else wrote first, {} times", most_attempts);
    }

    void tell_of_a_drain_that_is_there(const core::ServiceKey& key) {
        run_.session.terminal().err(
            fmt::format("{}: drained already{}; its map has not followed yet\n",
                        name_of(key),
                        run_.lapses() ? ", and keeps its own end, whatever --for" : ""));
    }

    const ClusterDrain& run_;
    DrainRequest request_;
    DrainsWritten written_;
};

}  // namespace

DrainsWritten write_drains(const ClusterDrain& run, const std::vector<core::ServiceKey>& keys) {
    Writer writer(run);
    for (const core::ServiceKey& key : keys) {
        writer.write(key);
    }
    return writer.take();
}

}  // namespace ome::kubectl
