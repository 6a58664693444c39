#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/api_answer.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>

#include <string>
#include <vector>

namespace ome::fuzz {
namespace {

namespace json = boost::json;

constexpr std::size_t largest = 512;

struct Split {
    std::vector<std::string> items;
    bool refused = false;
    bool whole = false;
    std::string resource_version;
    std::string more;

    friend bool operator==(const Split&, const Split&) = default;
};

Split split(std::string_view text, std::size_t piece) {
    Split made;
    wire::ListSplitter splitter(largest,
                                [&](std::string_view item) { made.items.emplace_back(item); });
    for (std::size_t at = 0; at < text.size() && !made.refused; at += piece) {
        if (const auto problem = splitter.feed(text.substr(at, piece))) {
            require_readable(problem->message);
            made.refused = true;
        }
    }
    if (made.refused) {
        made.items.clear();  // how many came before is not told
        return made;
    }
    if (const auto end = splitter.finish()) {
        made.whole = true;
        made.resource_version = end->resource_version;
        made.more = end->more;
    } else {
        require_readable(end.error().message);
    }
    return made;
}

bool names_items_once(std::string_view text) {
    const std::size_t at = text.find("\"items\"");
    return at != std::string_view::npos && text.find("\"items\"", at + 1) == std::string_view::npos;
}

// Another reader of the same list: the whole text at once. Of members that are there twice, which
// no API server sends, each takes another.
void check_agreement(const Split& made, std::string_view text) {
    const auto document = wire::read_api_document(text);
    if (!document) {
        return require_readable(document.error().message);
    }
    const json::object* root = document->if_object();
    const json::value* items = root == nullptr ? nullptr : root->if_contains("items");
    if (!made.whole || !names_items_once(text) || items == nullptr || !items->is_array()) {
        return;
    }
    std::size_t next = 0;
    for (const json::value& item : items->get_array()) {
        if (!item.is_object()) {
            return;  // a list of something else
        }
        require(next < made.items.size(), "every item is given");
        const auto one = wire::read_api_document(made.items[next++]);
        require(one && *one == item, "an item is the one of the list");
    }
}

void check_list(std::string_view text) {
    const Split whole = split(text, text.size() + 1);
    require(split(text, 1) == whole, "where a list is cut does not matter");
    require(split(text, 7) == whole, "where a list is cut does not matter");
    for (const std::string& item : whole.items) {
        require(item.size() <= largest, "an item keeps the limit");
    }
    check_agreement(whole, text);
}

void check_event(std::string_view line) {
    const auto event = wire::read_watch_event(line);
    if (!event) {
        return require_readable(event.error().message);
    }
    const wire::ApiIdentity identity = wire::identity_of(event->object);
    require(identity.name.size() <= line.size(), "a name is part of its line");
    if (const auto status = wire::read_api_status(event->object)) {
        require(status->code <= 999, "a status has three digits");
        require(!status->retry_after || status->retry_after->count() >= 0, "a pause is no debt");
    }
}

}  // namespace

// What an API server may say: the lines of a watch, lists in pieces, and single documents.
void check_api_server(std::string_view input) {
    check_list(input);
    check_event(input);
}

}  // namespace ome::fuzz
