#include "parser_words.hpp"
#include "source.hpp"
#include "yaml_documents.hpp"
#include "yaml_scalar.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

namespace ome::wire {
namespace {

constexpr std::size_t max_depth = 64;

// Aliases can make a small text large: what they expand to is bounded in bytes, with what a node
// and its place in Lines take counted in.
constexpr std::size_t node_cost = 128;
constexpr std::size_t expansion_allowance = std::size_t{8} << 20;

constexpr std::string_view merge_key = "<<";

std::size_t line_of(const YAML::Node& node) {
    return static_cast<std::size_t>(node.Mark().line + 1);
}

class Conversion {
public:
    Conversion(std::size_t budget, Source& source) : budget_(budget), source_(source) {}

    json::value run(const YAML::Node& root) {
        source_.lines.set("", line_of(root));
        return value(root, "", 0);
    }

    [[nodiscard]] const std::optional<core::Problem>& failure() const { return failure_; }

private:
    json::value value(const YAML::Node& node, const std::string& path, std::size_t depth) {
        if (!afford(node, path, depth)) {
            return nullptr;
        }
        switch (node.Type()) {
            case YAML::NodeType::Scalar:
                return scalar(node);
            case YAML::NodeType::Sequence:
                return sequence(node, path, depth);
            case YAML::NodeType::Map:
                return mapping(node, path, depth);
            default:
                return nullptr;
        }
    }

    bool afford(const YAML::Node& node, const std::string& path, std::size_t depth) {
        const std::size_t cost =
            node_cost + path.size() + (node.IsScalar() ? node.Scalar().size() : 0);
        if (depth > max_depth) {
            fail(node, path, "is nested deeper than 64 levels");
        } else if (cost > budget_) {
            fail(node, path, "grows too large when aliases are resolved");
        } else {
            budget_ -= cost;
        }
        return !failure_;
    }

    void fail(const YAML::Node& node, const std::string& path, std::string_view why) {
        if (!failure_) {
            const std::string what = path.empty() ? "the document" : path;
            failure_ = {fmt::format("line {}: {} {}", line_of(node), what, why), path};
        }
    }

    // Tag `?` is a plain scalar, `!` one in quotes.
    static json::value scalar(const YAML::Node& node) {
        const std::string& tag = node.Tag();
        const bool text = tag == "!" || tag == "tag:yaml.org,2002:str";
        return text ? json::value(json::string(node.Scalar())) : plain_scalar(node.Scalar());
    }

    json::value sequence(const YAML::Node& node, const std::string& path, std::size_t depth) {
        json::array items;
        for (const YAML::Node& item : node) {
            const std::string item_at = item_path(path, items.size());
            source_.lines.set(item_at, line_of(item));
            items.push_back(value(item, item_at, depth + 1));
        }
        return items;
    }

    static bool is_merge(const YAML::Node& key) {
        return key.IsScalar() && key.Tag() != "!" && key.Scalar() == merge_key;
    }

    json::value mapping(const YAML::Node& node, const std::string& path, std::size_t depth) {
        json::object members;
        std::set<std::string> names;
        for (const auto& member : node) {
            if (is_merge(member.first)) {
                merge(member.second, path, depth, members);
            }
        }
        for (const auto& member : node) {
            if (!is_merge(member.first)) {
                add(member.first, member.second, path, depth, names, members);
            }
        }
        return members;
    }

    // Earlier sources win over later ones, and the mapping's own members (added after) over all.
    void merge(const YAML::Node& from,
               const std::string& path,
               std::size_t depth,
               json::object& members) {
        if (from.IsSequence()) {
            for (const YAML::Node& one : from) {
                merge(one, path, depth + 1, members);
            }
            return;
        }
        const json::value merged = value(from, path, depth + 1);
        if (const json::object* object = merged.if_object()) {
            members.insert(object->begin(), object->end());
        } else {
            fail(from, path, "merges (`<<`) something that is no mapping");
        }
    }

    void add(const YAML::Node& key,
             const YAML::Node& node,
             const std::string& path,
             std::size_t depth,
             std::set<std::string>& names,
             json::object& members) {
        if (!key.IsScalar() && !key.IsNull()) {
            fail(key, path, "has a key that is no plain text");
            return;
        }
        const std::string name = key.IsNull() ? "null" : key.Scalar();
        const std::string member = member_path(path, name);
        if (!names.insert(name).second) {
            source_.duplicates.push_back({fmt::format("{} is given twice", member), member});
        }
        source_.lines.set(member, line_of(key));
        members[name] = value(node, member, depth + 1);
    }

    std::size_t budget_;
    Source& source_;
    std::optional<core::Problem> failure_;
};

core::Result<std::vector<YAML::Node>> loaded(std::string_view text) {
    try {
        if (std::optional<core::Problem> stray = text_after_a_document(text)) {
            return *stray;
        }
        return YAML::LoadAll(std::string(text));
    } catch (const YAML::Exception& e) {
        return core::Problem{fmt::format(
            "line {}, column {}: {}", e.mark.line + 1, e.mark.column + 1, yaml_fault_words(e.msg))};
    } catch (const std::exception& e) {
        return core::Problem{fmt::format("the YAML cannot be read: {}", e.what())};
    }
}

core::Result<Source> converted(const YAML::Node& node, std::size_t budget) {
    Source source;
    source.yaml = true;
    Conversion conversion(budget, source);
    try {
        source.value = conversion.run(node);
    } catch (const std::exception& e) {
        return core::Problem{fmt::format("the YAML cannot be read: {}", e.what())};
    }
    if (conversion.failure()) {
        return *conversion.failure();
    }
    return source;
}

}  // namespace

core::Result<std::vector<Source>> parse_yaml_sources(std::string_view text) {
    const core::Result<std::vector<YAML::Node>> documents = loaded(text);
    if (!documents) {
        return documents.error();
    }
    std::vector<Source> sources;
    for (const YAML::Node& document : *documents) {
        if (document.IsNull()) {
            continue;
        }
        core::Result<Source> source =
            converted(document, expansion_allowance + node_cost * text.size());
        if (!source) {
            return source.error();
        }
        sources.push_back(std::move(*source));
    }
    return sources;
}

}  // namespace ome::wire
