#include "controller/fake_api.hpp"

#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ome::test {
namespace {

namespace json = boost::json;

constexpr std::string_view status_path = "/status";

std::string refusal(const char* line, unsigned code, const char* reason) {
    return response(
        fmt::format(R"({{"kind":"Status","code":{},"reason":"{}","message":"{} by the fake"}})",
                    code,
                    reason,
                    reason),
        "",
        line);
}
std::string conflict(const char* reason = "Conflict") {
    return refusal("409 Conflict", 409, reason);
}
std::string not_found() {
    return refusal("404 Not Found", 404, "NotFound");
}

// Of a header, in lower case; empty: there is none.
std::string header(const std::string& head, const std::string& name) {
    std::string lower = head;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const std::size_t at = lower.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
        return {};
    }
    const std::size_t begin = at + name.size() + 4;
    return lower.substr(begin, lower.find("\r\n", begin) - begin);
}

json::object& meta_of(json::object& object) {
    return object["metadata"].as_object();
}

bool has_finalizers(json::object& object) {
    const json::value* finalizers = meta_of(object).if_contains("finalizers");
    return finalizers != nullptr && finalizers->is_array() && !finalizers->get_array().empty();
}

// A list by type, as an apply sees it.
void merge_conditions(json::array& into, const json::array& from) {
    for (const json::value& one : from) {
        const auto same = std::find_if(into.begin(), into.end(), [&one](const json::value& other) {
            return other.at("type") == one.at("type");
        });
        if (same == into.end()) {
            into.push_back(one);
        } else {
            *same = one;
        }
    }
}

}  // namespace

FakeApi::FakeApi() : server_([this](Peer& peer) { serve(peer); }) {}

kube::Access FakeApi::access() const {
    kube::Access access;
    access.server =
        net::parse_local_url(fmt::format("http://127.0.0.1:{}", server_.port())).value();
    return access;
}

void FakeApi::put(const std::string& path, json::value object) {
    const std::lock_guard guard(mutex_);
    keep(path, object.as_object());
}

json::value FakeApi::get(const std::string& path) const {
    const std::lock_guard guard(mutex_);
    const auto found = objects_.find(path);
    return found == objects_.end() ? json::value() : json::value(found->second);
}

std::vector<std::string> FakeApi::log() const {
    const std::lock_guard guard(mutex_);
    return log_;
}

void FakeApi::serve(Peer& peer) {
    for (std::string head = peer.read_request(); !head.empty(); head = peer.read_request()) {
        const std::string length = header(head, "content-length");
        const std::string body =
            peer.read_bytes(length.empty() ? 0 : static_cast<std::size_t>(std::stoul(length)));
        const std::size_t space = head.find(' ');
        const std::string target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
        const std::string line = head.substr(0, space) + " " + target;
        if (const auto hook = before) {  // it may take itself away
            hook(line);
        }
        Asked asked;
        asked.method = head.substr(0, space);
        asked.path = target.substr(0, target.find('?'));
        asked.query = target.substr(asked.path.size());
        asked.type = header(head, "content-type");
        asked.body = body.empty() ? json::value() : json::parse(body);
        if (asked.path.ends_with(status_path)) {
            asked.path.resize(asked.path.size() - status_path.size());
        }
        const std::lock_guard guard(mutex_);
        log_.push_back(line);
        if (!peer.write(answer(asked))) {
            return;
        }
    }
}

std::string FakeApi::answer(const Asked& asked) {
    if (asked.method == "POST") {
        return create(asked);
    }
    const auto found = objects_.find(asked.path);
    if (found == objects_.end()) {
        return not_found();
    }
    if (asked.method == "GET") {
        return response(json::serialize(found->second));
    }
    return asked.method == "PUT"     ? replace(asked)
           : asked.method == "PATCH" ? patch(asked)
                                     : remove(asked);
}

std::string FakeApi::keep(const std::string& path, json::object object) {
    json::object& meta = meta_of(object);
    meta["resourceVersion"] = std::to_string(++version_);
    if (!meta.contains("uid")) {
        meta["uid"] = fmt::format("uid-{}", version_);
    }
    const std::string text = response(json::serialize(object));
    if (meta.contains("deletionTimestamp") && !has_finalizers(object)) {
        objects_.erase(path);
    } else {
        objects_[path] = std::move(object);
    }
    return text;
}

// What `meta` names of identity and version is that of the object.
bool FakeApi::is_expected(const std::string& path, const json::value& meta) const {
    const json::object& stored = objects_.at(path).at("metadata").as_object();
    const json::object* wanted = meta.if_object();
    const auto same = [&](const char* name) {
        const json::value* value = wanted == nullptr ? nullptr : wanted->if_contains(name);
        return value == nullptr || *value == stored.at(name);
    };
    return same("uid") && same("resourceVersion");
}

std::string FakeApi::create(const Asked& asked) {
    const std::string path =
        asked.path + "/" + std::string(asked.body.at_pointer("/metadata/name").as_string());
    return objects_.contains(path) ? conflict("AlreadyExists") : keep(path, asked.body.as_object());
}

std::string FakeApi::replace(const Asked& asked) {
    return is_expected(asked.path, asked.body.at("metadata"))
               ? keep(asked.path, asked.body.as_object())
               : conflict();
}

// An apply of the same manager takes away what it has not any more.
void FakeApi::apply_status(const Asked& asked, json::object& object) {
    const json::object& from = asked.body.at("status").as_object();
    json::value& stored = object["status"];
    json::object& into = stored.is_object() ? stored.get_object() : stored.emplace_object();
    std::set<std::string>& before_it = applied_[asked.path + asked.query];
    for (const std::string& name : before_it) {
        if (!from.contains(name)) {
            into.erase(name);
        }
    }
    before_it.clear();
    for (const auto& [name, value] : from) {
        before_it.emplace(name);
        if (name == "conditions" && into.contains(name)) {
            merge_conditions(into[name].as_array(), value.as_array());
        } else {
            into[name] = value;
        }
    }
}

std::string FakeApi::patch(const Asked& asked) {
    const json::value* meta = asked.body.as_object().if_contains("metadata");
    if (meta != nullptr && !is_expected(asked.path, *meta)) {
        return conflict();
    }
    json::value object = objects_.at(asked.path);
    if (asked.type == "application/merge-patch+json") {
        wire::merge_patch(object, asked.body);
    } else {
        apply_status(asked, object.as_object());
    }
    return keep(asked.path, object.as_object());
}

std::string FakeApi::remove(const Asked& asked) {
    if (!is_expected(asked.path, asked.body.at("preconditions"))) {
        return conflict();
    }
    json::object object = objects_.at(asked.path);
    meta_of(object)["deletionTimestamp"] = "2026-11-30T00:00:00Z";
    return keep(asked.path, std::move(object));
}

}  // namespace ome::test
