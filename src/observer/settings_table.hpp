// The one list of settings: flags, variables, --print-config and docs/settings.md are made of it.
#pragma once

#include "settings.hpp"

#include <span>

namespace ome::observer {

using Shape = core::SettingShape;

struct Setting : core::Setting {
    /// Puts the value in its place, or tells the rule it breaks (`must be ...`).
    using Apply = std::optional<std::string> (*)(Settings&, const std::vector<std::string>&);

    constexpr Setting(std::string_view its_name,
                      std::string_view its_default,
                      std::string_view its_unit,
                      std::string_view its_help,
                      Shape its_shape,
                      Apply its_apply,
                      std::string_view its_file_key = {},
                      bool it_reloads = false)
        : core::Setting{its_name,
                        its_default,
                        its_unit,
                        its_help,
                        its_shape,
                        its_file_key,
                        it_reloads},
          apply(its_apply) {}

    Apply apply;
};

[[nodiscard]] std::span<const Setting> settings_table();

/// The same without what each does.
[[nodiscard]] const core::SettingList& setting_list();

}  // namespace ome::observer
