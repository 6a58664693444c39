#include "action_text.hpp"

#include "names.hpp"
#include <ome/core/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ome::kubectl {
namespace {

constexpr std::size_t preview_width = 60;
constexpr std::size_t name_width = 18;
constexpr std::size_t value_width = 56;

constexpr std::string_view notes =
    "API acceptance is not TrafficMap convergence or data-plane realization.\n"
    "The exact InferenceService UID/resourceVersion is tested atomically.\n"
    "Other annotations and traffic-drain override IDs are preserved.\n"
    "Run the previewed traffic status command to observe controller evidence.\n";

std::string counts_text(const DrainPlan& plan) {
    return fmt::format("{} -> {}", plan.before, plan.after);
}

void add_whole(std::vector<TextRow>& rows, const char* name, const std::string& value) {
    bool first = true;
    for (const std::string& piece : chunks(value.empty() ? "<absent>" : value, preview_width)) {
        rows.push_back({first ? name : "(continued)", piece});
        first = false;
    }
}

bool fits(const std::string& text) {
    return chunks(text, preview_width).size() == 1;
}

// Broken at blanks alone, with what tells a shell that more follows: a part that is longer than a
// row stays whole.
void add_command(std::vector<TextRow>& rows,
                 const char* name,
                 const std::vector<std::string>& parts) {
    constexpr std::string_view more = " \\";
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::string& line = lines.back();
        const std::string longer = line.empty() ? parts[i] : line + " " + parts[i];
        const bool last = i + 1 == parts.size();
        if (line.empty() || fits(longer + std::string(last ? "" : more))) {
            line = longer;
        } else {
            line += more;
            lines.push_back(parts[i]);
        }
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        rows.push_back({i == 0 ? name : "(continued)", lines[i]});
    }
}

std::string_view message_of(DryRun mode) {
    switch (mode) {
        case DryRun::Server:
            return "API dry-run accepted; no changes persisted.";
        case DryRun::Client:
            return "Validated locally; no patch sent. TrafficMap convergence was not observed.";
        case DryRun::None:
            break;
    }
    return "API accepted traffic annotation request; not TrafficMap convergence.";
}

// What a terminal would obey stands as its number, which bash, zsh and ksh read in $'...' alone.
std::string escaped_word(std::string_view text) {
    std::string word = "$'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e) {
            word += fmt::format("\\x{:02x}", byte);
        } else {
            word += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
        }
    }
    return word + "'";
}

const char* yes_or_no(bool yes) {
    return yes ? "Yes" : "No";
}

}  // namespace

std::string_view to_string(DryRun mode) {
    constexpr std::array<std::string_view, 3> words{"none", "client", "server"};
    return words.at(static_cast<std::size_t>(mode));
}

std::optional<DryRun> parse_dry_run(std::string_view text) {
    for (const DryRun mode : {DryRun::None, DryRun::Client, DryRun::Server}) {
        if (text == to_string(mode)) {
            return mode;
        }
    }
    return std::nullopt;
}

std::string shell_word(std::string_view text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./:@%+=,").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) {
        return std::string(text);
    }
    if (!is_printable(text)) {
        return escaped_word(text);
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

bool is_folder(std::string_view context) {
    return context.starts_with("dir:");
}

std::string place_flag(std::string_view context) {
    const char* flag = is_folder(context) ? "store" : "context";
    return context.empty() ? "" : fmt::format(" --{}={}", flag, shell_word(context));
}

std::string_view Action::verb() const {
    return request.hold ? "traffic drain" : "traffic undrain";
}

std::string Action::follow_up() const {
    return fmt::format("{}", fmt::join(follow_up_parts(), " "));
}

std::vector<std::string> Action::follow_up_parts() const {
    std::vector<std::string> parts{
        "kubectl ome traffic status", request.service, "-n " + request.ns};
    if (const std::string place = place_flag(context); !place.empty()) {
        parts.push_back(place.substr(1));
    }
    return parts;
}

std::string preview_text(const Action& action) {
    const DrainPlan& plan = action.plan;
    std::vector<TextRow> rows{{"FIELD", "VALUE"}};
    add_whole(rows, "Action", std::string(action.verb()));
    add_whole(rows, "Context", action.context);
    add_whole(rows, "Workload NS", action.request.ns);
    add_whole(rows, "Target", "InferenceService/" + action.request.service);
    add_whole(rows, "UID", plan.uid);
    add_whole(rows, "ResourceVersion", plan.resource_version);
    add_whole(rows, "Dry-run", std::string(to_string(action.dry_run)));
    add_whole(rows, "Override ID", plan.drain.id);
    add_whole(rows, "Cluster", plan.drain.cluster);
    add_whole(rows, "Reason", core::go_quote(plan.drain.reason));
    if (plan.until) {
        add_whole(rows, "Expires", stamp_text(*plan.until));
    }
    add_whole(rows, "Override count", counts_text(plan));
    add_whole(rows, "Annotation", std::string(routing::drain_annotation));
    add_command(rows, "Follow-up", action.follow_up_parts());
    return fmt::format(
        "ALPHA guarded traffic action (not TrafficMap convergence)\n{}{}", table(rows), notes);
}

std::string result_table(const Action& action, bool wide) {
    const DrainPlan& plan = action.plan;
    std::vector<Field> fields{
        {"action", std::string(action.verb())},
        {"target",
         fmt::format("InferenceService/{}/{}", action.request.ns, action.request.service)}};
    if (wide) {
        fields.emplace_back("uid", plan.uid);
        fields.emplace_back("resource-version", plan.resource_version);
    }
    fields.emplace_back("dry-run", to_string(action.dry_run));
    fields.emplace_back("accepted", yes_or_no(action.dry_run != DryRun::Client));
    fields.emplace_back("applied", yes_or_no(action.dry_run == DryRun::None));
    fields.emplace_back("override-id", plan.drain.id);
    fields.emplace_back("cluster", plan.drain.cluster);
    if (plan.until) {
        fields.emplace_back("expires", stamp_text(*plan.until));
    }
    fields.emplace_back("overrides", counts_text(plan));
    fields.emplace_back("message", message_of(action.dry_run));
    fields.emplace_back("follow-up", action.follow_up());
    fields.emplace_back("hint", "Use -o json or -o yaml for full values.");
    std::string text = field_table(fields, name_width, value_width);
    // The bound is that of OME's tables; what is cut cannot be copied.
    const std::string command = action.follow_up();
    if (is_folder(action.context) && core::count_characters(command) > value_width) {
        text += command + "\n";
    }
    return text;
}

json::value result_document(const Action& action, core::WallTime collected_at) {
    const DrainPlan& plan = action.plan;
    json::object traffic{{"overrideID", plan.drain.id},
                         {"cluster", plan.drain.cluster},
                         {"overridesBefore", plan.before},
                         {"overridesAfter", plan.after}};
    if (plan.until) {
        traffic["expiresAt"] = stamp_text(*plan.until);
    }
    return json::object{{"apiVersion", output_api},
                        {"kind", "ActionResult"},
                        {"collectedAt", stamp_text(collected_at)},
                        {"action", action.verb()},
                        {"target",
                         json::object{{"kind", "InferenceService"},
                                      {"namespace", action.request.ns},
                                      {"name", action.request.service},
                                      {"uid", plan.uid},
                                      {"resourceVersion", plan.resource_version}}},
                        {"dryRun", to_string(action.dry_run)},
                        {"accepted", action.dry_run != DryRun::Client},
                        {"applied", action.dry_run == DryRun::None},
                        {"message", message_of(action.dry_run)},
                        {"followUp", action.follow_up()},
                        {"traffic", std::move(traffic)}};
}

}  // namespace ome::kubectl
