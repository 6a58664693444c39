#include "render_files.hpp"

#include <ome/core/policy_rules.hpp>
#include <ome/wire/config_document.hpp>
#include <ome/wire/document_kind.hpp>
#include <ome/wire/inference_service_document.hpp>
#include <ome/wire/observer_answer.hpp>
#include <ome/wire/problem_line.hpp>
#include <ome/wire/traffic_map_document.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ome::controller {
namespace {

std::string service_name(const core::ServiceKey& key) {
    return fmt::format("{}/{}", key.ns, key.name);
}

// `isvc.yaml: document 2 (team/chat): <message>`
std::string placed(const std::string& file,
                   std::size_t index,
                   const std::optional<core::ServiceKey>& key,
                   std::string_view message) {
    const std::string service = key ? fmt::format(" ({})", service_name(*key)) : "";
    return fmt::format("{}: document {}{}: {}", file, index + 1, service, message);
}

// Of several problems, a line each.
std::vector<std::string> placed_lines(const std::string& file,
                                      std::size_t index,
                                      const std::optional<core::ServiceKey>& key,
                                      std::string_view messages) {
    std::vector<std::string> lines;
    while (!messages.empty()) {
        const std::size_t end = std::min(messages.find('\n'), messages.size());
        lines.push_back(placed(file, index, key, messages.substr(0, end)));
        messages.remove_prefix(std::min(end + 1, messages.size()));
    }
    return lines;
}

std::string other_kind(const wire::FoundKind& found, std::string_view expected) {
    return fmt::format("this is {}, expected {}", found.words, expected);
}

// A store keeps `inferenceservices/<namespace>/<name>.yaml`.
std::string namespace_in_store(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    return folder.parent_path().filename() == "inferenceservices" ? folder.filename().string()
                                                                  : std::string();
}

// The names of what is there and is nobody's, ten at most.
template <typename Map>
std::string strangers(const Map& map, const std::set<core::ServiceKey>& known) {
    constexpr std::size_t most_names = 10;
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const auto& [key, value] : map) {
        if (!known.contains(key) && ++count <= most_names) {
            names.push_back(service_name(key));
        }
    }
    return count > most_names
               ? fmt::format("{}, and {} more", fmt::join(names, ", "), count - most_names)
               : fmt::format("{}", fmt::join(names, ", "));
}

// A file in which not even one object can be told apart is not what its flag asks for.
template <typename Documents>
bool holds_none(const Documents& documents) {
    return std::none_of(
        documents.begin(), documents.end(), [](const auto& one) { return one.key.has_value(); });
}

}  // namespace

void RenderFiles::refuse_file(std::string_view flag,
                              const std::string& name,
                              const std::string& why) {
    unusable_files.push_back(fmt::format("{} {}: {}", flag, name, why));
}

void RenderFiles::refuse_document(std::string_view flag,
                                  const std::string& name,
                                  std::size_t index,
                                  std::string_view messages) {
    for (std::string& line : placed_lines(name, index, std::nullopt, messages)) {
        unusable_files.push_back(fmt::format("{} {}", flag, line));
    }
}

void RenderFiles::take_services(const std::string& name, std::string_view text) {
    core::Result<wire::InferenceServiceDocuments> read =
        wire::read_inference_services(text, namespace_in_store(name));
    if (!read) {
        refuse_file("--isvc", name, read.error().message);
        return;
    }
    if (read->services.empty()) {
        refuse_file("--isvc",
                    name,
                    other_kind(wire::find_kind(text), "an InferenceService or a List of them"));
        return;
    }
    if (holds_none(read->services)) {
        for (const wire::InferenceServiceDocument& document : read->services) {
            refuse_document("--isvc", name, document.index, document.service.error().message);
        }
        return;
    }
    for (const wire::OtherDocument& other : read->others) {
        warnings.push_back(
            placed(name,
                   other.index,
                   std::nullopt,
                   other.kind.empty() ? "has no kind and is ignored" : other.kind + " is ignored"));
    }
    for (wire::InferenceServiceDocument& document : read->services) {
        for (const core::Problem& warning : document.warnings) {
            warnings.push_back(placed(name, document.index, document.key, warning.message));
        }
        if (!document.service) {
            for (std::string& problem : placed_lines(
                     name, document.index, document.key, document.service.error().message)) {
                problems.push_back(std::move(problem));
            }
            if (document.key) {
                unreadable.emplace(*document.key, document.service.error().message);
            }
        } else if (!seen_.insert(document.service->key).second) {
            problems.push_back(
                placed(name, document.index, document.key, "is there more than once"));
        } else {
            services.push_back(*std::move(document.service));
        }
        if (document.key) {
            named_.insert(*document.key);
        }
    }
}

void RenderFiles::take_readings(const std::string& name, std::string_view text) {
    core::Result<wire::ServicesAnswer> read = wire::read_services_answer(text);
    if (!read) {
        const wire::FoundKind found = wire::find_kind(text);
        const bool broken = found.kind == wire::DocumentKind::Unreadable ||
                            found.kind == wire::DocumentKind::Readings;
        refuse_file(
            "--readings",
            name,
            broken ? wire::on_one_line(read.error().message)
                   : other_kind(found, "what GET /v1/services of ome-observer answers, in JSON"));
        return;
    }
    if (!read->more.empty()) {
        warnings.push_back(name +
                           ": is one page of a longer list (`continue`); services of other "
                           "pages count as without a reading");
    }
    for (wire::ServiceAnswer& answer : read->services) {
        const core::ServiceKey key = answer.service.key;
        if (!readings.emplace(key, std::move(answer.service)).second) {
            problems.push_back(fmt::format(
                "{}: service {} is in the file more than once", name, service_name(key)));
        }
    }
}

void RenderFiles::take_maps(const std::string& name, std::string_view text) {
    core::Result<std::vector<wire::TrafficMapDocument>> read = wire::read_traffic_maps(text);
    if (!read) {
        refuse_file("--map", name, read.error().message);
        return;
    }
    if (read->empty()) {
        const wire::FoundKind found = wire::find_kind(text);
        if (found.kind != wire::DocumentKind::EmptyList) {
            refuse_file("--map", name, other_kind(found, "a TrafficMap or a List of them"));
        }
        return;
    }
    if (holds_none(*read)) {
        for (const wire::TrafficMapDocument& document : *read) {
            refuse_document("--map", name, document.index, document.map.error().message);
        }
        return;
    }
    for (wire::TrafficMapDocument& document : *read) {
        if (!document.map) {
            for (std::string& problem :
                 placed_lines(name, document.index, document.key, document.map.error().message)) {
                problems.push_back(std::move(problem));
            }
            if (document.key) {
                unusable.push_back(*document.key);
            }
            continue;
        }
        core::ServiceKey key = document.map->meta.key;
        if (!maps.emplace(key, *std::move(document.map)).second) {
            problems.push_back(
                placed(name, document.index, document.key, "is in the file more than once"));
            unusable.push_back(std::move(key));
        }
    }
}

void RenderFiles::warn_of_strangers() {
    if (const std::string names = strangers(readings, named_); !names.empty()) {
        warnings.push_back(
            fmt::format("readings are not used of services that --isvc does not name: {}", names));
    }
    if (const std::string names = strangers(maps, named_); !names.empty()) {
        warnings.push_back(
            fmt::format("maps are not used of services that --isvc does not name: {}", names));
    }
}

core::Result<core::RoutingSettings> read_installation(std::string_view text) {
    if (auto problem = wire::other_than_configuration(text)) {
        return *std::move(problem);
    }
    core::Result<wire::ConfigDocument> config = wire::read_config(text);
    if (!config) {
        return config.error();
    }
    if (std::optional<core::Problem> problem = core::configuration_error(config->routing)) {
        return *std::move(problem);
    }
    return std::move(config->routing);
}

}  // namespace ome::controller
