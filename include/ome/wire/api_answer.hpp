// What every answer of a Kubernetes API server may be: a Status, a list in pieces, a line of a
// watch, an object with metadata.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// metav1.Status of a failure.
struct ApiStatus {
    struct Cause {
        std::string reason;
        std::string message;
        std::string field;
    };

    unsigned code = 0;      ///< as HTTP's; 0: it does not say
    std::string reason;     ///< a word: `Conflict`, `NotFound`, `Expired`
    std::string message;    ///< for people
    std::string kind = {};  ///< the resource it is about
    std::string name = {};
    std::vector<Cause> causes = {};
    std::optional<core::Duration> retry_after = {};  ///< `details.retryAfterSeconds`
};

/// Absent: no Status, but something else.
[[nodiscard]] std::optional<ApiStatus> read_api_status(const boost::json::value& document);

struct ApiIdentity {
    std::string ns;
    std::string name;
    std::string uid;
    std::string resource_version;
};

/// What is missing is empty.
[[nodiscard]] ApiIdentity identity_of(const boost::json::value& object);

/// One JSON text from an API server. Problem: where it is none.
[[nodiscard]] core::Result<boost::json::value> read_api_document(std::string_view text);

/// Where a page of a list ends.
struct ListEnd {
    std::string resource_version;
    std::string more;  ///< the `continue` token; empty: that was all
};

/// Takes a list (`{"metadata":{..},"items":[{..},..]}`) in pieces as they arrive and gives every
/// item as soon as it is whole, so that one of them is in memory at a time and not the page.
class ListSplitter {
public:
    using Take = std::function<void(std::string_view item)>;

    /// `largest`: bytes of an item, and of all that is around the items.
    ListSplitter(std::size_t largest, Take take);

    /// Problem: something is larger than that.
    [[nodiscard]] std::optional<core::Problem> feed(std::string_view piece);

    /// After the last piece. Problem: it was no whole list.
    [[nodiscard]] core::Result<ListEnd> finish() const;

private:
    void letter(char c);
    void open(char bracket);
    void close();
    [[nodiscard]] bool in_items() const { return in_items_ && depth_ >= 2; }

    std::size_t largest_;
    Take take_;
    std::string frame_;   // the list without its items
    std::string item_;    // of an item, so far
    std::string string_;  // the last one of the outermost object, so far
    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    bool in_items_ = false;
};

enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

struct WatchEvent {
    WatchEventType type = WatchEventType::Error;
    boost::json::value
        object;  ///< of a Bookmark: metadata.resourceVersion alone; of an Error: a Status
};

/// One line of a watch.
[[nodiscard]] core::Result<WatchEvent> read_watch_event(std::string_view line);

}  // namespace ome::wire
