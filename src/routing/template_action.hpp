// What stands between `{{` and `}}` of a template of hostnames.
#pragma once

#include "host_template.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ome::routing {

/// After a fault everything is at its end, and what is returned means nothing.
class TemplateAction {
public:
    explicit TemplateAction(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end();
    /// `if`, `else`, `end`: taken where the action goes on with it.
    bool take_keyword(std::string_view keyword);
    HostTemplate::Pipeline pipeline(std::size_t level = 0);
    void expect_end();

    [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }

private:
    using Call = HostTemplate::Call;
    using Operand = HostTemplate::Operand;

    void fail(std::string message);
    void skip_blanks();
    bool take(char c);
    [[nodiscard]] bool operand_follows();
    std::string word();
    Call call(std::size_t level);
    Operand operand(std::size_t level);
    Operand field();
    std::string quoted();
    std::string raw();

    std::string_view rest_;
    std::optional<std::string> fault_;
};

}  // namespace ome::routing
