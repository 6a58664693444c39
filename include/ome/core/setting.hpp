// The settings of a program as a list: flags, environment, configuration file and defaults are its
// four sources, in this order of precedence. What a setting does is the program's own affair.
#pragma once

#include <ome/core/problem.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::core {

enum class SettingShape : std::uint8_t {
    Value,
    List,    ///< repeatable; commas separate too
    Switch,  ///< true or false
};

struct Setting {
    std::string_view name;           ///< `--name` as a flag
    std::string_view default_value;  ///< empty: none
    std::string_view unit;
    std::string_view help;  ///< what it does, and why the default is what it is
    SettingShape shape = SettingShape::Value;
    std::string_view file_key = {};  ///< its path in the configuration file, if it may stand there
    bool reloads = false;  ///< SIGHUP brings a change into force; otherwise a restart does
};

/// In the order in which people are shown them.
struct SettingList {
    std::string_view program;          ///< `ome-observer`; its variables are `OME_OBSERVER_...`
    std::vector<const Setting*> rows;  ///< never null
};

enum class SettingSource : std::uint8_t { Default, File, Environment, Flag };

/// A value as it was written, and where: `origin` is `--flag`, the variable's name, or the path in
/// the file.
struct RawSetting {
    std::vector<std::string> texts;  ///< one, but for lists
    SettingSource source = SettingSource::Default;
    std::string origin;
};

/// By the name of the setting; every setting of the list is there, save those that a configuration
/// file requires and nobody set.
using RawSettings = std::map<std::string, RawSetting, std::less<>>;

/// Flags that were given, by the name of the setting. A switch says `true` or `false`.
using FlagValues = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What a configuration file says: by the name of the setting.
struct FileValues {
    std::map<std::string, std::string, std::less<>> texts;
    bool limits_required = false;  ///< no default stands in for what may stand in the file
};

/// Absent or empty: not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// A setting as people are shown it.
struct SettingInForce {
    std::string name;
    std::string value;
    std::string
        source;  ///< `flag --listen`, `env OME_OBSERVER_LISTEN`, `config FILE PATH`, `default`
};

[[nodiscard]] std::string flag_of(const Setting& setting);

/// The message for people who know the setting by its flag. Parts that know a setting by its name
/// only put `name: ` in front, the name being the problem's field; other messages stay as they are.
/// `prefix` is for a flag that is longer than the name: `observer-`.
[[nodiscard]] std::string message_with_flag(const Problem& problem, std::string_view prefix = {});
/// `OME_OBSERVER_MAX_SAMPLES`
[[nodiscard]] std::string variable_of(std::string_view program, const Setting& setting);

[[nodiscard]] RawSettings resolve_settings(const SettingList& list,
                                           const FlagValues& flags,
                                           const Environment& environment,
                                           const std::optional<FileValues>& file);

/// `--listen "x" must be ...`
[[nodiscard]] Problem broken_setting(const Setting& setting,
                                     const RawSetting& value,
                                     const std::string& rule);
/// Of a setting that is not among the raw ones.
[[nodiscard]] Problem missing_setting(std::string_view program, const Setting& setting);

[[nodiscard]] std::vector<SettingInForce> settings_in_force(const SettingList& list,
                                                            const RawSettings& raw,
                                                            const std::string& config_file);

/// --print-config: setting, value, and where it came from.
[[nodiscard]] std::string print_settings_table(const std::vector<SettingInForce>& settings);

}  // namespace ome::core
