// Reading single values of documents, with problems that name the field, the value and the rule.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::homesim {

/// Absent: all is well.
using Failure = std::optional<core::Problem>;

[[nodiscard]] Failure broken(const std::string& field,
                             const boost::json::value& value,
                             std::string_view rule);

[[nodiscard]] Failure read(const boost::json::value& value, const std::string& field, bool& out);
[[nodiscard]] Failure read(const boost::json::value& value,
                           const std::string& field,
                           core::Duration& out);
[[nodiscard]] Failure read_positive(const boost::json::value& value,
                                    const std::string& field,
                                    core::Duration& out);
[[nodiscard]] Failure read_number(const boost::json::value& value,
                                  const std::string& field,
                                  std::int64_t least,
                                  std::int64_t most,
                                  std::int64_t& out);

/// `; did you mean stall?`, or empty.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& known);

/// A member whose value is a list gives its nth value to the nth step; the last one stays.
[[nodiscard]] const boost::json::value& value_at(const boost::json::value& value, std::size_t step);

/// A value of an enumeration and what documents call it.
template <typename E>
struct Named {
    std::string_view name;
    E value;
};

template <typename E, std::size_t N>
[[nodiscard]] Failure read(const boost::json::value& value,
                           const std::string& field,
                           const std::array<Named<E>, N>& names,
                           E& out) {
    std::string known;
    for (const Named<E>& name : names) {
        if (value.is_string() && value.get_string() == name.name) {
            out = name.value;
            return {};
        }
        known += (known.empty() ? "" : ", ") + std::string(name.name);
    }
    return broken(field, value, "must be one of " + known);
}

/// Empty for a value without a name.
template <typename E, std::size_t N>
[[nodiscard]] std::string_view name_of(const std::array<Named<E>, N>& names, E value) {
    for (const Named<E>& name : names) {
        if (name.value == value) {
            return name.name;
        }
    }
    return {};
}

}  // namespace ome::homesim
