// What the runner knows of the worked examples in tests/cases: for each group and operation the
// keys that may occur and the function that feeds the input to the real code.
#pragma once

#include <boost/json.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::conformance {

namespace json = boost::json;

/// Runs the real code on `input` and returns what it gave, under the names of the `expect`
/// vocabulary. A value for `x` also serves an expectation of `x_prefix` and `x_contains`.
using Compute = std::function<json::object(const json::object& input, const json::object& expect)>;

struct Operation {
    std::string group;
    std::string op;  ///< value of `op`, `kind` or `level`; empty when the group has none
    std::vector<std::string> input_keys;  ///< besides `op`, `kind`, `level`
    std::vector<std::string> expect_keys;
    Compute compute;
};

/// All operations; each file beside this one contributes its own.
[[nodiscard]] std::vector<Operation> operations();

void add_life_operations(std::vector<Operation>& all);
void add_machine_operations(std::vector<Operation>& all);
void add_map_operations(std::vector<Operation>& all);
void add_policy_operations(std::vector<Operation>& all);
void add_text_operations(std::vector<Operation>& all);
void add_report_operations(std::vector<Operation>& all);
void add_weight_operations(std::vector<Operation>& all);

/// The differences between what was computed and what is expected; empty when it conforms.
[[nodiscard]] std::vector<std::string> differences(const json::object& actual,
                                                   const json::object& expect);

/// A JSON integer of either sign as int64; a test file that has something else is a failure.
[[nodiscard]] std::int64_t integer(const json::value& value);
[[nodiscard]] std::string text(const json::value& value);

}  // namespace ome::conformance
