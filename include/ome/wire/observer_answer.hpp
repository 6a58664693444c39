// What the observer answers, as its clients read it (design.md section 4). Whatever the bytes are,
// the outcome is a value or a problem; members that are not known are ignored.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/reading.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ome::wire {

/// A service's readings. A probe that does not say whether it is `conclusive` is so when its result
/// is Passing or Failing; a `policyDigest` that is not told is empty; so is the `ownerUID`.
/// Endpoints come with userinfo masked.
struct ServiceAnswer {
    std::string instance;        ///< empty when not told
    std::uint64_t revision = 0;  ///< of the service
    core::ServiceReading service;
};

/// Of `GET` and `PUT /v1/services/{namespace}/{name}`.
[[nodiscard]] core::Result<ServiceAnswer> read_service_answer(std::string_view text);

/// Of `GET /v1/services`: one page.
struct ServicesAnswer {
    std::string instance;
    std::uint64_t revision = 0;  ///< a watch from here misses nothing
    std::vector<ServiceAnswer> services;
    std::string more;  ///< `continue`; empty: this was the last page
};

/// Takes a single service's answer, too.
[[nodiscard]] core::Result<ServicesAnswer> read_services_answer(std::string_view text);

/// `{"error":{"code","message","field"}}`.
struct AnswerError {
    std::string code;
    core::Problem problem;
};

/// Of an answer whose status is no success. Absent: the body is no such document.
[[nodiscard]] std::optional<AnswerError> read_error_answer(std::string_view text);

/// Of `PUT /v1/services`.
struct BulkAnswer {
    struct Rejected {
        std::size_t line = 0;                 ///< of the body, from 1
        std::optional<core::ServiceKey> key;  ///< absent when the line did not name one
        AnswerError error;
    };
    std::string instance;
    std::size_t applied = 0;
    std::size_t forgotten = 0;
    std::vector<Rejected> rejected;
    std::size_t rejected_not_listed = 0;
};

[[nodiscard]] core::Result<BulkAnswer> read_bulk_answer(std::string_view text);

/// A line of `GET /v1/watch`.
namespace watch {

struct Reading {
    ServiceAnswer answer;  ///< the changed homes only, each complete
};
struct Forgotten {
    std::string instance;
    std::uint64_t revision = 0;
    core::ServiceKey service;
    std::vector<std::string> clusters;  ///< none: the whole service
};
struct Bookmark {
    std::string instance;
    std::uint64_t revision = 0;
};
/// List again.
struct Gone {
    std::string instance;
};
/// Of a newer observer: to be skipped.
struct Other {
    std::string type;
};

}  // namespace watch

using WatchLine =
    std::variant<watch::Reading, watch::Forgotten, watch::Bookmark, watch::Gone, watch::Other>;

/// Without or with its line end.
[[nodiscard]] core::Result<WatchLine> read_watch_line(std::string_view text);

}  // namespace ome::wire
