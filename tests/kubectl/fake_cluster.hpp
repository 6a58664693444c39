// A control plane in memory that fails as it is told, and notes what it was asked; and a terminal
// that answers as it is told.
#pragma once

#include "cluster.hpp"
#include "session.hpp"
#include "support/text_table.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ome::kubectl::test {

class FakeCluster final : public Cluster {
public:
    std::map<std::pair<Kind, core::ServiceKey>, json::value> objects;
    std::map<core::ServiceKey, json::value> routes;
    std::vector<std::string> requests;  ///< `get InferenceService prod/chat`
    std::vector<PatchRequest> patches;
    std::map<std::string, ClusterError> failures;  ///< by the verb, `get TrafficMap` or `patch`
    std::function<json::value(json::value)> change_answer;  ///< of a patch, before it is sent
    std::size_t page_size = 500;
    int expired_pages = 0;          ///< so many requests for a further page fail
    std::size_t further_pages = 0;  ///< so many come in any case, though empty

    /// Stores it under its own name, with a resourceVersion when it has none.
    void put(Kind kind, json::value object);
    void remove(Kind kind, const core::ServiceKey& key);

    [[nodiscard]] std::string context() const override { return "hub"; }
    [[nodiscard]] std::string default_namespace() const override { return default_ns; }
    [[nodiscard]] Answer<json::value> get(Kind kind,
                                          const core::ServiceKey& key,
                                          core::Duration most) override;
    [[nodiscard]] Answer<json::value> route(const core::ServiceKey& source,
                                            const core::ServiceKey& route,
                                            core::Duration most) override;
    [[nodiscard]] Answer<Page> list(const ListRequest& request, core::Duration most) override;
    [[nodiscard]] Answer<json::value> patch(const PatchRequest& request,
                                            core::Duration most) override;
    [[nodiscard]] Answer<std::unique_ptr<Watch>> watch(Kind kind, const std::string& ns) override;

    std::string default_ns;
    /// What each call of a watch of TrafficMaps tells, after the first, which tells what is there
    /// when it is opened; afterwards nothing.
    std::deque<std::vector<Change>> changes;
    /// Called by every request before it is answered: other writers.
    std::function<void(FakeCluster&)> meanwhile;

private:
    std::uint64_t version_ = 1000;
};

struct FakeTerminal final : Terminal {
    std::string output;
    std::string errors;
    bool person = false;
    bool screen = false;
    bool broken_output = false;
    std::deque<Line> answers;
    int interrupt_after = -1;  ///< so many questions whether it was; negative: never
    std::string interrupt_at;  ///< as soon as this was printed; empty: never
    mutable int asked = 0;

    bool out(std::string_view text) override {
        output += broken_output ? "" : text;
        return !broken_output;
    }
    void err(std::string_view text) override { errors += text; }
    [[nodiscard]] bool can_ask() const override { return person; }
    [[nodiscard]] bool is_screen() const override { return screen; }
    [[nodiscard]] Line read_line(std::size_t, core::Duration) override {
        if (answers.empty()) {
            return {Line::End::NoInput};
        }
        Line line = answers.front();
        answers.pop_front();
        return line;
    }
    [[nodiscard]] bool interrupted() const override {
        const bool printed = !interrupt_at.empty() && output.find(interrupt_at) != output.npos;
        return printed || (interrupt_after >= 0 && asked++ >= interrupt_after);
    }
    [[nodiscard]] std::size_t columns() const override { return 120; }
};

/// Everything a command line needs, at a fixed time.
struct World {
    FakeCluster cluster;
    FakeTerminal terminal;
    core::WallTime now;
    core::SteadyTime steady{std::chrono::hours(1)};
    core::Duration tick{};  ///< how much time passes whenever the clock is read

    World();
    /// The command line as a person types it, with quotes: `kubectl ome get tm -A`.
    int run(const std::string& command_line);
    int run_words(std::vector<std::string> arguments);
};

/// The words of a command line; single and double quotes keep blanks.
[[nodiscard]] std::vector<std::string> split_words(const std::string& command_line);

/// An InferenceService `prod/chat`, placed; and the map of it with these entries.
[[nodiscard]] json::value sample_service(const std::string& ns = "prod",
                                         const std::string& name = "chat");
[[nodiscard]] json::value sample_map(const json::value& service, json::array entries);
[[nodiscard]] json::object sample_entry(const std::string& cluster, std::int64_t weight);

using ome::test::cells_of;
using ome::test::field_of;
using ome::test::lines_of;

}  // namespace ome::kubectl::test
