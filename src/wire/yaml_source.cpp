#include "source.hpp"
#include "yaml_events.hpp"
#include "yaml_scalar.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ome::wire {
namespace {

constexpr std::size_t max_depth = 64;

// Aliases can make a small text large: what they expand to is bounded in bytes, with what a node
// and its place in Lines take counted in.
constexpr std::size_t node_cost = 128;
constexpr std::size_t expansion_allowance = std::size_t{8} << 20;

constexpr std::string_view merge_key = "<<";
constexpr std::string_view text_tag = "tag:yaml.org,2002:str";

std::string_view view(const yaml_char_t* text) {
    const void* const bytes = text;
    return text != nullptr ? std::string_view(static_cast<const char*>(bytes)) : std::string_view();
}

std::string_view content(const yaml_event_t& scalar) {
    const void* const bytes = scalar.data.scalar.value;
    return {static_cast<const char*>(bytes), scalar.data.scalar.length};
}

// `!` and `!!str` make a text of anything; without a tag quotes do.
bool is_text(const yaml_event_t& scalar) {
    const std::string_view tag = view(scalar.data.scalar.tag);
    const bool quoted = scalar.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return (tag.empty() && quoted) || tag == "!" || tag == text_tag;
}

bool is_merge(const yaml_event_t& key) {
    return key.type == YAML_SCALAR_EVENT && !is_text(key) && content(key) == merge_key;
}

std::string_view anchor_of(const yaml_event_t& event) {
    switch (event.type) {
        case YAML_SCALAR_EVENT:
            return view(event.data.scalar.anchor);
        case YAML_SEQUENCE_START_EVENT:
            return view(event.data.sequence_start.anchor);
        case YAML_MAPPING_START_EVENT:
            return view(event.data.mapping_start.anchor);
        default:
            return {};
    }
}

// One document as JSON. After a failure the events are not gone on with.
class Conversion {
public:
    Conversion(YamlEvents& events, std::size_t budget)
        : events_(events),
          budget_(budget),
          memory_(json::make_shared_resource<json::monotonic_resource>()) {}

    /// Of the event behind the document's start.
    json::value run(const yaml_event_t& root) {
        lines_.set("", line_of(root));
        return node(root, 0);
    }

    [[nodiscard]] const std::optional<core::Problem>& failure() const { return failure_; }

    Source release(json::value value) {
        return {std::move(value), std::move(lines_), std::move(duplicates_), true};
    }

private:
    /// What an alias stands for.
    struct Anchored {
        json::value value;
        std::size_t cost = 0;    ///< of the budget
        std::size_t height = 0;  ///< levels below it
    };

    const yaml_event_t* next() {
        const yaml_event_t* event = failure_ ? nullptr : events_.next();
        if (event == nullptr && !failure_) {
            failure_ = events_.problem();
        }
        return event;
    }

    json::value node(const yaml_event_t& event, std::size_t depth) {
        if (event.type == YAML_ALIAS_EVENT) {
            return alias(event, depth);
        }
        const std::string anchor(anchor_of(event));
        const std::size_t budget_before = budget_;
        const std::size_t deepest_before = std::exchange(deepest_, depth);
        json::value made(memory_);
        if (afford(event, depth, cost_of(event), 0)) {
            made = value(event, depth);
        }
        if (!anchor.empty()) {
            anchors_[anchor] = {
                json::value(made, memory_), budget_before - budget_, deepest_ - depth};
        }
        deepest_ = std::max(deepest_, deepest_before);
        return made;
    }

    json::value value(const yaml_event_t& event, std::size_t depth) {
        switch (event.type) {
            case YAML_SCALAR_EVENT:
                return scalar(event);
            case YAML_SEQUENCE_START_EVENT:
                return sequence(depth);
            default:
                return mapping(depth);
        }
    }

    json::value alias(const yaml_event_t& event, std::size_t depth) {
        const auto found = anchors_.find(view(event.data.alias.anchor));
        if (found == anchors_.end()) {
            failure_ = {
                fmt::format("line {}, column {}: an alias (`*name`) of an anchor that is "
                            "not there",
                            line_of(event),
                            event.start_mark.column + 1)};
            return nullptr;
        }
        const Anchored& known = found->second;
        deepest_ = std::max(deepest_, depth + known.height);
        return afford(event, depth, known.cost, known.height) ? json::value(known.value, memory_)
                                                              : json::value(nullptr);
    }

    [[nodiscard]] std::size_t cost_of(const yaml_event_t& event) const {
        const bool scalar = event.type == YAML_SCALAR_EVENT;
        return node_cost + path_.size() + (scalar ? event.data.scalar.length : 0);
    }

    bool afford(const yaml_event_t& event,
                std::size_t depth,
                std::size_t cost,
                std::size_t levels_below) {
        if (depth + levels_below > max_depth) {
            fail(event, "is nested deeper than 64 levels");
        } else if (cost > budget_) {
            fail(event, "grows too large when aliases are resolved");
        } else {
            budget_ -= cost;
        }
        return !failure_;
    }

    void fail(const yaml_event_t& event, std::string_view why) {
        if (!failure_) {
            const std::string what = path_.empty() ? "the document" : path_;
            failure_ = {fmt::format("line {}: {} {}", line_of(event), what, why), path_};
        }
    }

    [[nodiscard]] json::value scalar(const yaml_event_t& event) const {
        return is_text(event) ? json::value(json::string(content(event), memory_))
                              : plain_scalar(content(event), memory_);
    }

    json::value sequence(std::size_t depth) {
        json::array items(memory_);
        const std::size_t around = path_.size();
        for (const yaml_event_t* event = next();
             event != nullptr && event->type != YAML_SEQUENCE_END_EVENT;
             event = next()) {
            append_item_path(path_, items.size());
            lines_.set(path_, line_of(*event));
            items.push_back(node(*event, depth + 1));
            path_.resize(around);
        }
        return items;
    }

    json::value mapping(std::size_t depth) {
        json::object members(memory_);
        json::object merged(memory_);
        for (const yaml_event_t* key = next();
             key != nullptr && key->type != YAML_MAPPING_END_EVENT;
             key = next()) {
            if (is_merge(*key)) {
                merge(depth, merged);
            } else {
                add(*key, depth, members);
            }
        }
        if (merged.empty()) {
            return members;
        }
        for (auto& member : members) {
            merged[member.key()] = std::move(member.value());
        }
        return merged;
    }

    // Earlier sources win over later ones, and the mapping's own members over all.
    void merge(std::size_t depth, json::object& merged) {
        const yaml_event_t* const event = next();
        if (event == nullptr) {
            return;
        }
        const std::size_t line = line_of(*event);
        const json::value from = node(*event, depth + 1);
        const json::array* list = from.if_array();
        const bool all_objects =
            list != nullptr ? std::all_of(list->begin(),
                                          list->end(),
                                          [](const json::value& one) { return one.is_object(); })
                            : from.is_object();
        if (!all_objects && !failure_) {
            failure_ = {fmt::format("line {}: {} merges (`<<`) something that is no mapping",
                                    line,
                                    path_.empty() ? "the document" : path_),
                        path_};
        }
        if (failure_) {
            return;
        }
        if (list == nullptr) {
            merged.insert(from.get_object().begin(), from.get_object().end());
            return;
        }
        for (const json::value& one : *list) {
            merged.insert(one.get_object().begin(), one.get_object().end());
        }
    }

    // Absent: it is no text.
    std::optional<std::string> name_of(const yaml_event_t& key) {
        if (key.type == YAML_ALIAS_EVENT) {
            const auto found = anchors_.find(view(key.data.alias.anchor));
            const json::string* text =
                found != anchors_.end() ? found->second.value.if_string() : nullptr;
            return text != nullptr ? std::optional(std::string(*text)) : std::nullopt;
        }
        if (key.type != YAML_SCALAR_EVENT) {
            return std::nullopt;
        }
        const std::string_view text = content(key);
        if (!is_text(key) && plain_scalar(text, memory_).is_null()) {
            return "null";
        }
        if (const std::string_view anchor = anchor_of(key); !anchor.empty()) {
            anchors_[std::string(anchor)] = {json::string(text, memory_), cost_of(key), 0};
        }
        return std::string(text);
    }

    void add(const yaml_event_t& key, std::size_t depth, json::object& members) {
        const std::optional<std::string> name = name_of(key);
        if (!name) {
            fail(key, "has a key that is no plain text");
            return;
        }
        const std::size_t around = path_.size();
        append_member_path(path_, *name);
        if (members.contains(*name)) {
            duplicates_.push_back({fmt::format("{} is given twice", path_), path_});
        }
        lines_.set(path_, line_of(key));
        if (const yaml_event_t* event = next()) {
            members.insert_or_assign(*name, node(*event, depth + 1));
        }
        path_.resize(around);
    }

    YamlEvents& events_;
    std::size_t budget_;
    json::storage_ptr memory_;
    std::string path_;  ///< of the part that is being read
    std::size_t deepest_ = 0;
    std::map<std::string, Anchored, std::less<>> anchors_;
    Lines lines_;
    std::vector<core::Problem> duplicates_;
    std::optional<core::Problem> failure_;
};

}  // namespace

core::Result<std::vector<Source>> parse_yaml_sources(std::string_view text) {
    YamlEvents events(text);
    std::vector<Source> sources;
    for (const yaml_event_t* event = events.next();
         event != nullptr && event->type != YAML_STREAM_END_EVENT;
         event = events.next()) {
        if (event->type != YAML_DOCUMENT_START_EVENT) {
            continue;  // the stream's start, a document's end
        }
        const yaml_event_t* const root = events.next();
        if (root == nullptr) {
            break;
        }
        Conversion conversion(events, expansion_allowance + node_cost * text.size());
        json::value value = conversion.run(*root);
        if (conversion.failure()) {
            return *conversion.failure();
        }
        if (!value.is_null()) {
            sources.push_back(conversion.release(std::move(value)));
        }
    }
    if (events.problem()) {
        return *events.problem();
    }
    return sources;
}

}  // namespace ome::wire
