#include "require.hpp"
#include "targets.hpp"
#include <ome/core/quantity.hpp>

#include <algorithm>
#include <string>

namespace ome::fuzz {
namespace {

bool same_value(const core::Quantity& a, const core::Quantity& b) {
    return a.negative == b.negative && a.digits == b.digits && a.exponent == b.exponent;
}

void check_form(const core::Quantity& quantity) {
    require(!quantity.digits.empty() && std::all_of(quantity.digits.begin(),
                                                    quantity.digits.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; }),
            "a quantity's digits are digits");
    const bool zero = quantity.digits == "0";
    require(zero || (quantity.digits.front() != '0' && quantity.digits.back() != '0'),
            "digits have no zeros at their ends");
    require(!zero || !quantity.negative, "zero has no sign");
    require(quantity.positive() == (!zero && !quantity.negative), "positive is above zero");
}

}  // namespace

void check_quantity(std::string_view input) {
    const auto quantity = core::parse_quantity(input);
    if (!quantity) {
        return;
    }
    check_form(*quantity);
    const std::string text = quantity->canonical();
    require(text.size() <= 2 * input.size() + 64, "a canonical quantity is not much longer");
    const auto again = core::parse_quantity(text);
    require(again.has_value(), "a canonical quantity is a quantity");
    require(same_value(*again, *quantity), "a canonical quantity has the same value");
    // As in Kubernetes: one of the binary form that no binary suffix fits is written without one.
    require(again->form != quantity->form || again->canonical() == text,
            "a canonical quantity is its own canonical form");
}

}  // namespace ome::fuzz
