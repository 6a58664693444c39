#include <ome/wire/api_answer.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace ome::wire {
namespace {

namespace json = boost::json;

const json::object* object_in(const json::object* object, std::string_view name) {
    const json::value* value = object == nullptr ? nullptr : object->if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

std::string text_in(const json::object* object, std::string_view name) {
    const json::value* value = object == nullptr ? nullptr : object->if_contains(name);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::optional<std::int64_t> integer_in(const json::object* object, std::string_view name) {
    const json::value* value = object == nullptr ? nullptr : object->if_contains(name);
    if (value == nullptr || !value->is_number()) {
        return std::nullopt;
    }
    boost::system::error_code inexact;
    const auto number = value->to_number<std::int64_t>(inexact);
    return inexact ? std::nullopt : std::optional(number);
}

std::vector<ApiStatus::Cause> causes_of(const json::object* details) {
    std::vector<ApiStatus::Cause> causes;
    const json::value* list = details == nullptr ? nullptr : details->if_contains("causes");
    if (list == nullptr || !list->is_array()) {
        return causes;
    }
    for (const json::value& item : list->get_array()) {
        const json::object* cause = item.if_object();
        causes.push_back(
            {text_in(cause, "reason"), text_in(cause, "message"), text_in(cause, "field")});
    }
    return causes;
}

constexpr std::array<std::pair<std::string_view, WatchEventType>, 5> event_types{{
    {"ADDED", WatchEventType::Added},
    {"MODIFIED", WatchEventType::Modified},
    {"DELETED", WatchEventType::Deleted},
    {"BOOKMARK", WatchEventType::Bookmark},
    {"ERROR", WatchEventType::Error},
}};

}  // namespace

std::optional<ApiStatus> read_api_status(const json::value& document) {
    const json::object* object = document.if_object();
    if (text_in(object, "kind") != "Status") {
        return std::nullopt;
    }
    const json::object* details = object_in(object, "details");
    ApiStatus status;
    const std::int64_t code = integer_in(object, "code").value_or(0);
    status.code = code > 0 && code < 1000 ? static_cast<unsigned>(code) : 0;
    status.reason = text_in(object, "reason");
    status.message = text_in(object, "message");
    status.kind = text_in(details, "kind");
    status.name = text_in(details, "name");
    status.causes = causes_of(details);
    const std::int64_t seconds = integer_in(details, "retryAfterSeconds").value_or(0);
    if (seconds > 0 && seconds < 86'400) {
        status.retry_after = std::chrono::seconds(seconds);
    }
    return status;
}

ApiIdentity identity_of(const json::value& object) {
    const json::object* meta = object_in(object.if_object(), "metadata");
    return {text_in(meta, "namespace"),
            text_in(meta, "name"),
            text_in(meta, "uid"),
            text_in(meta, "resourceVersion")};
}

core::Result<json::value> read_api_document(std::string_view text) {
    json::parse_options options;
    options.max_depth = 128;
    boost::system::error_code error;
    json::value document = json::parse(text, error, {}, options);
    if (error) {
        return core::Problem{fmt::format("not JSON: {}", error.message())};
    }
    return document;
}

ListSplitter::ListSplitter(std::size_t largest, Take take)
    : largest_(largest), take_(std::move(take)) {}

std::optional<core::Problem> ListSplitter::feed(std::string_view piece) {
    for (const char c : piece) {
        letter(c);
        if (item_.size() > largest_ || frame_.size() > largest_) {
            return core::Problem{
                fmt::format("an object of the list is larger than {} bytes", largest_)};
        }
    }
    return std::nullopt;
}

// Brackets count where they stand outside of strings; everything else is copied.
void ListSplitter::letter(char c) {
    const bool of_item = in_items() && (depth_ > 2 || c == '{' || c == '[');
    (of_item ? item_ : frame_) += c;
    if (in_string_) {
        if (!escaped_ && c == '"') {
            in_string_ = false;
        } else if (depth_ == 1) {
            string_ += c;
        }
        escaped_ = !escaped_ && c == '\\';
        return;
    }
    if (c == '"') {
        in_string_ = true;
        string_.clear();
    } else if (c == '{' || c == '[') {
        open(c);
    } else if (c == '}' || c == ']') {
        close();
    }
}

void ListSplitter::open(char bracket) {
    if (depth_ == 1) {
        in_items_ = bracket == '[' && string_ == "items";
    }
    ++depth_;
}

void ListSplitter::close() {
    depth_ -= depth_ > 0 ? 1 : 0;
    if (in_items() && depth_ == 2) {
        take_(item_);
        item_.clear();
    }
    in_items_ = in_items_ && depth_ >= 2;
}

core::Result<ListEnd> ListSplitter::finish() const {
    // Between the items only their commas are left in the frame.
    std::string frame = frame_;
    const std::size_t items = frame.find("\"items\"");
    const std::size_t open = frame.find('[', items == std::string::npos ? 0 : items);
    if (items != std::string::npos && open != std::string::npos) {
        const std::size_t end = frame.find_first_not_of(", \t\r\n", open + 1);
        frame.erase(open + 1, end == std::string::npos ? end : end - open - 1);
    }
    const auto document = read_api_document(frame);
    if (!document || depth_ != 0) {
        return core::Problem{document ? "the list has no end" : document.error().message};
    }
    const json::object* object = document->if_object();
    const json::value* list = object == nullptr ? nullptr : object->if_contains("items");
    if (list == nullptr || !(list->is_array() || list->is_null())) {
        return core::Problem{"not a list: it has no items"};
    }
    const json::object* meta = object_in(object, "metadata");
    return ListEnd{text_in(meta, "resourceVersion"), text_in(meta, "continue")};
}

core::Result<WatchEvent> read_watch_event(std::string_view line) {
    core::Result<json::value> document = read_api_document(line);
    if (!document) {
        return document.error();
    }
    json::object* event = document->if_object();
    const std::string type = text_in(event, "type");
    json::value* object = event == nullptr ? nullptr : event->if_contains("object");
    for (const auto& [name, known] : event_types) {
        if (type == name && object != nullptr && object->is_object()) {
            return WatchEvent{known, std::move(*object)};
        }
    }
    return core::Problem{"not an event of a watch: type and object are missing or unknown"};
}

}  // namespace ome::wire
