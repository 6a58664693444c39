// Who leads, by a Lease object: the decisions, without the requests. Pure.
//
// Clocks of different machines are never compared: a lease of somebody else is over when we have
// not seen it change for as long as it lasts, on our own clock. Times are of a clock that goes on
// while the machine sleeps. A leader that cannot renew ends its lead before the others may begin
// theirs: it counts from when it asked, for `renew_deadline`, and they from when they saw the
// answer, for the longer `lease_duration`.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ome::kube {

/// `spec` of a coordination.k8s.io/v1 Lease, and its version. Times as they are written.
struct LeaseRecord {
    std::string holder;  ///< empty: released
    std::int32_t duration_seconds = 0;
    std::string acquire_time;
    std::string renew_time;
    std::int32_t transitions = 0;
    std::string resource_version;

    friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// Problem: it is no Lease.
[[nodiscard]] core::Result<LeaseRecord> read_lease(const boost::json::value& object);

/// A whole object; with the version of `record`, if it has one.
[[nodiscard]] std::string lease_text(const std::string& ns,
                                     const std::string& name,
                                     const LeaseRecord& record);

/// RFC 3339 with exactly six digits of a second, as a Lease needs them.
[[nodiscard]] std::string micro_time(core::WallTime at);

struct ElectionSettings {
    std::string identity;  ///< ours; no other process has it
    core::Duration lease_duration = std::chrono::seconds(15);
    core::Duration renew_deadline = std::chrono::seconds(10);
    core::Duration retry_period = std::chrono::seconds(2);
};

/// Problem: names what must be longer than what.
[[nodiscard]] std::optional<core::Problem> check(const ElectionSettings& settings);

class Election {
public:
    explicit Election(ElectionSettings settings);

    enum class Move : std::uint8_t { Wait, Create, Take, Renew };

    /// What was read; absent: there is no Lease.
    void observed(std::optional<LeaseRecord> record, core::SteadyTime now);
    [[nodiscard]] Move next(core::SteadyTime now) const;

    /// What to write for Create, Take or Renew: conditional on what was observed.
    [[nodiscard]] LeaseRecord wanted(core::WallTime now) const;
    /// It was written and is stored like this. `asked_at`: before the request was sent.
    void written(LeaseRecord stored, core::SteadyTime asked_at);
    /// What a leader leaves behind that ends in order: anybody may take it at once.
    [[nodiscard]] LeaseRecord released(core::WallTime now) const;
    void gave_up() { leads_until_.reset(); }

    [[nodiscard]] bool leading(core::SteadyTime now) const {
        return leads_until_ && now < *leads_until_;
    }
    /// When the lead ends if nothing more is written; absent: we do not lead.
    [[nodiscard]] std::optional<core::SteadyTime> leads_until() const { return leads_until_; }
    [[nodiscard]] const std::optional<LeaseRecord>& record() const { return record_; }

private:
    [[nodiscard]] bool ours() const { return record_ && record_->holder == settings_.identity; }

    ElectionSettings settings_;
    std::optional<LeaseRecord> record_;
    core::SteadyTime changed_at_{};  // when the record was seen to change
    std::optional<core::SteadyTime> leads_until_;
};

}  // namespace ome::kube
