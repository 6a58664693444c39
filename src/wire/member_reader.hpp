// Reads the members of a JSON object by name and type, and keeps account of what was wrong: every
// member of another type, and every member nobody asked for.
#pragma once

#include "source.hpp"
#include <ome/core/attempt.hpp>
#include <ome/core/policy_settings.hpp>
#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

struct Notes {
    std::vector<core::Problem> errors;
    std::vector<core::Problem> warnings;
};

/// How names are matched. OME reads its configuration in Go, which takes `minperiod` for
/// `minPeriod`; so does Fold, with a warning.
enum class Names : std::uint8_t { Exact, Fold };

struct Range {
    std::int64_t least = std::numeric_limits<std::int32_t>::min();
    std::int64_t most = std::numeric_limits<std::int32_t>::max();
};
inline constexpr Range any_int64{std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max()};

/// Null counts as absent everywhere. Names are literals: they are kept as they are. All getters are
/// absent on a wrong type, which is then an error.
class Members {
public:
    /// `object`, `notes` must outlive it. `path` is that of the object.
    Members(const json::object& object, std::string path, Notes& notes, Names names = Names::Exact);

    [[nodiscard]] std::optional<std::string> text(std::string_view name);
    [[nodiscard]] std::optional<bool> flag(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, Range range = {});

    /// What is in `range` is read, and what is not is told to be in `told`: a rule of its own, with
    /// words of its own, refuses the rest.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name,
                                                      Range range,
                                                      Range told);
    /// Integers of 32 bits; `told` as above.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view name,
                                                                    Range told);
    [[nodiscard]] std::optional<core::Options> texts(std::string_view name);

    /// A text; of something else the error says what a duration looks like.
    [[nodiscard]] std::optional<std::string> duration(std::string_view name);

    /// Texts, or integers that are read as such (Kubernetes' int-or-string).
    [[nodiscard]] std::optional<core::Options> quantities(std::string_view name);

    [[nodiscard]] std::optional<std::string> quantity(std::string_view name);

    /// Unknown when absent.
    [[nodiscard]] core::ProbeResult probe_result(std::string_view name);

    [[nodiscard]] const json::array* array(std::string_view name);
    [[nodiscard]] std::optional<Members> members(std::string_view name);

    /// The objects of a list; an item that is none is an error.
    void each(std::string_view name, const std::function<void(Members)>& take);

    /// Texts of a list.
    [[nodiscard]] std::vector<std::string> list_of_texts(std::string_view name);

    /// Of any type; null when absent.
    [[nodiscard]] const json::value* any(std::string_view name) { return find(name); }

    /// Also when it is null.
    [[nodiscard]] bool contains(std::string_view name) const { return object_->contains(name); }

    /// An error about a member: `metadata.name <what>`.
    void refuse(std::string_view name, std::string_view what);

    /// As text(), and an error when it is absent.
    [[nodiscard]] std::optional<std::string> required_text(std::string_view name);

    /// A stamp; an error when it is none.
    [[nodiscard]] std::optional<core::WallTime> time(std::string_view name);

    /// Known, and none of our business.
    void ignore(std::string_view name);

    /// Members that were not asked for, as they are.
    [[nodiscard]] json::object unknown() const;

    /// A warning for each of them.
    void report_unknown();

    [[nodiscard]] std::string path_of(std::string_view name) const {
        return member_path(path_, name);
    }
    [[nodiscard]] Notes& notes() { return *notes_; }

private:
    [[nodiscard]] bool is_asked(std::string_view name) const;
    [[nodiscard]] const json::value* find(std::string_view name);
    [[nodiscard]] const json::value* find_folded(std::string_view name);
    void wrong(const std::string& path, const json::value& value, std::string_view expected);

    const json::object* object_;
    std::string path_;
    Notes* notes_;
    Names names_;
    /// Literals of the callers, or keys of the object; few enough to stay out of the heap.
    boost::container::small_vector<std::string_view, 16> asked_;
};

/// The value as a message shows it: compact and cut to a readable length.
[[nodiscard]] std::string shown(const json::value& value);

/// Errors as one: a line each, at most ten, and how many more there are; `field` is the first's.
/// There must be one.
[[nodiscard]] core::Problem as_one(const std::vector<core::Problem>& errors);

/// The integer, when it is one and in range.
[[nodiscard]] std::optional<std::int64_t> integer_of(const json::value& value, Range range);

}  // namespace ome::wire
