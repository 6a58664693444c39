// What a guarded action shows before and after it (contract/publisher-cli.md 2.3, "Sequence" and
// "Result").
#pragma once

#include "drain_action.hpp"
#include "output.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

enum class DryRun : std::uint8_t { None, Client, Server };
[[nodiscard]] std::string_view to_string(DryRun mode);
[[nodiscard]] std::optional<DryRun> parse_dry_run(std::string_view text);

struct Action {
    DrainRequest request;
    DrainPlan plan;
    DryRun dry_run = DryRun::None;
    std::string context;

    /// `traffic drain` or `traffic undrain`.
    [[nodiscard]] std::string_view verb() const;
    /// The command that shows what became of it; and where it may be broken.
    [[nodiscard]] std::string follow_up() const;
    [[nodiscard]] std::vector<std::string> follow_up_parts() const;
};

/// For the person who is asked; no value is cut, and a command is broken as a shell takes it.
[[nodiscard]] std::string preview_text(const Action& action);

/// Of a folder, a follow-up too long for its cell stands below the table once more, whole.
[[nodiscard]] std::string result_table(const Action& action, bool wide);
[[nodiscard]] json::value result_document(const Action& action, core::WallTime collected_at);

/// Whether a context is that of a folder, `dir:PATH`.
[[nodiscard]] bool is_folder(std::string_view context);

/// ` --store=dir:PATH` or ` --context=NAME` for a command that is to ask the same place; empty: it
/// has no name.
[[nodiscard]] std::string place_flag(std::string_view context);

/// A word for a shell: in quotes where it has to be, and without a character that a terminal obeys.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace ome::kubectl
