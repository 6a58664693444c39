// The objects of one type as lists and events tell them, and what is new in that. Pure.
#pragma once

#include "cluster.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ome::kubectl {

class ObjectMirror {
public:
    /// A list begins, perhaps in the middle of another, which is then no more.
    void list_begins();
    /// Listed, added or changed. What has no name is left out; what is known in this
    /// resourceVersion is no news.
    void is(const json::value& object);
    void gone(const json::value& object);
    /// What was not listed since list_begins() is gone.
    void list_ends();

    /// A list was complete once.
    [[nodiscard]] bool whole() const { return whole_; }
    [[nodiscard]] bool has_news() const { return !news_.empty(); }
    /// Since the last call, by namespace and name; of each object the last.
    [[nodiscard]] std::vector<Change> take_news();

private:
    std::map<core::ServiceKey, std::string> versions_;
    std::set<core::ServiceKey> listed_;
    std::map<core::ServiceKey, json::value> news_;
    bool listing_ = false;
    bool whole_ = false;
};

}  // namespace ome::kubectl
