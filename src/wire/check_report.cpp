#include <ome/core/policy_rules.hpp>
#include <ome/wire/check_report.hpp>
#include <ome/wire/json_document.hpp>
#include <ome/wire/json_text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace ome::wire {
namespace {

namespace json = boost::json;

// `[0].homes[1].endpoint` ends with `homes[1].endpoint`: what reads a part of a document knows no
// more of the path.
bool ends_with_path(std::string_view path, std::string_view part) {
    if (part.empty() || !path.ends_with(part)) {
        return false;
    }
    const std::string_view before = path.substr(0, path.size() - part.size());
    return before.empty() || before.ends_with('.') || part.starts_with('[');
}

// Most messages begin with their field, before a colon or as the subject of a sentence; saying it
// twice helps nobody.
std::string field_and_message(const core::Problem& problem) {
    if (problem.field.empty()) {
        return problem.message;
    }
    for (const std::string_view end : {": ", " "}) {
        const std::size_t at = std::min(problem.message.find(end), problem.message.size());
        if (ends_with_path(problem.field, problem.message.substr(0, at))) {
            return problem.field + problem.message.substr(at);
        }
    }
    return fmt::format("{}: {}", problem.field, problem.message);
}

std::string place(const std::string& file, std::size_t line) {
    return line == 0 ? file : fmt::format("{}:{}", file, line);
}

// What a file brings along must not reach a terminal as it is, and a finding stays one line.
std::string one_line(const std::string& text) {
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const bool control = static_cast<unsigned char>(text[at]) < 0x20;
        const std::size_t obeyed = control ? 1 : obeyed_length(text, at);
        line += obeyed > 0 ? ' ' : text[at];
        at += std::max<std::size_t>(obeyed, 1);
    }
    return line;
}

json::object as_object(const Finding& finding) {
    json::object object;
    object["severity"] = finding.severity == Severity::Error ? "error" : "warning";
    if (finding.line != 0) {
        object["line"] = finding.line;
    }
    object["field"] = finding.problem.field;
    object["message"] = finding.problem.message;
    return object;
}

json::object as_object(const CheckedFile& file) {
    json::array findings;
    for (const Finding& finding : file.document.findings) {
        findings.push_back(as_object(finding));
    }
    return {{"file", file.name}, {"kind", file.document.kind}, {"findings", std::move(findings)}};
}

json::object as_object(const UnreadableFile& file) {
    const Finding finding{Severity::Error, 0, {file.why}};
    return {
        {"file", file.name}, {"kind", "unreadable"}, {"findings", json::array{as_object(finding)}}};
}

core::ObserverLimits limits_among(const std::vector<CheckedFile>& files) {
    for (const CheckedFile& file : files) {
        if (file.document.limits) {
            return *file.document.limits;
        }
    }
    return core::chart_limits();
}

void check_all(std::vector<CheckedFile>& files,
               const std::vector<std::string>& texts,
               CheckFor whom) {
    for (const bool final_limits : {false, true}) {
        const core::ObserverLimits limits =
            final_limits ? limits_among(files) : core::chart_limits();
        for (std::size_t i = 0; i < files.size(); ++i) {
            files[i].document = check_document(texts[i], limits, whom);
        }
    }
}

}  // namespace

CheckRun check_files(const std::vector<std::string>& names, const ReadFile& read, CheckFor whom) {
    CheckRun run;
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        const std::string shown = name == "-" ? "<stdin>" : name;
        core::Result<std::string> text = read(name);
        if (!text) {
            run.unreadable.push_back({shown, text.error().message});
            continue;
        }
        run.files.push_back({shown, {}});
        texts.push_back(std::move(*text));
    }
    check_all(run.files, texts, whom);
    return run;
}

int exit_code(const CheckRun& run) {
    constexpr int failure = 1;
    constexpr int bad_configuration = 78;
    if (count(run.files, Severity::Error) > 0) {
        return bad_configuration;
    }
    return run.unreadable.empty() ? 0 : failure;
}

std::size_t count(const std::vector<CheckedFile>& files, Severity severity) {
    std::ptrdiff_t found = 0;
    for (const CheckedFile& file : files) {
        const auto& findings = file.document.findings;
        found += std::count_if(findings.begin(), findings.end(), [severity](const auto& finding) {
            return finding.severity == severity;
        });
    }
    return static_cast<std::size_t>(found);
}

std::string as_text(const std::vector<CheckedFile>& files) {
    std::string out;
    for (const CheckedFile& file : files) {
        for (const Finding& finding : file.document.findings) {
            const bool warning = finding.severity == Severity::Warning;
            out += fmt::format("{}: {}{}\n",
                               place(file.name, finding.line),
                               warning ? "warning: " : "",
                               one_line(field_and_message(finding.problem)));
        }
        if (file.document.findings.empty()) {
            out += fmt::format("{}: ok ({})\n", file.name, file.document.kind);
        }
    }
    return out;
}

std::string as_json(const CheckRun& run) {
    json::array checked;
    for (const CheckedFile& file : run.files) {
        checked.push_back(as_object(file));
    }
    for (const UnreadableFile& file : run.unreadable) {
        checked.push_back(as_object(file));
    }
    const json::object report{{"files", std::move(checked)},
                              {"errors", count(run.files, Severity::Error) + run.unreadable.size()},
                              {"warnings", count(run.files, Severity::Warning)}};
    return to_text(report) + '\n';
}

}  // namespace ome::wire
