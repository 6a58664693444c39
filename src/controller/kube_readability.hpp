// Whether a collection can be read at all, from what becomes of its lists and watches: its type may
// not be installed, or we may not see it. Pure.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/kube/failure.hpp>

#include <cstdint>
#include <optional>

namespace ome::controller {

class Readability {
public:
    /// A server that starts or goes refuses things that it grants a moment later, so one refusal
    /// says nothing.
    static constexpr std::uint32_t refusals_believed = 4;

    /// A list or a watch came to nothing. Whether that is a matter of this collection; else it is
    /// one of the server, or of the way to it.
    bool failed(const kube::Failure& failure);
    /// A whole list was read.
    void listed();

    /// Whether it can be read or not is not known yet.
    [[nodiscard]] bool unknown() const { return !listed_ && !problem_; }
    /// Absent: it can be read, as far as is known.
    [[nodiscard]] const std::optional<core::Problem>& problem() const { return problem_; }
    /// There is no such type, and so there are no objects of it.
    [[nodiscard]] bool missing() const { return problem_ && missing_; }

private:
    std::uint32_t refusals_ = 0;  // in a row
    bool listed_ = false;
    bool missing_ = false;
    std::optional<core::Problem> problem_;
};

}  // namespace ome::controller
