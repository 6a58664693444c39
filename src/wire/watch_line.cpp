#include <ome/wire/json_text.hpp>
#include <ome/wire/reading_document.hpp>
#include <ome/wire/watch_line.hpp>

namespace ome::wire {
namespace {

void begin_line(std::string& out, std::string_view type, std::string_view instance) {
    out += R"({"type":)";
    append_json_string(out, type);
    out += R"(,"instance":)";
    append_json_string(out, instance);
}

void append_revision(std::string& out, std::uint64_t revision) {
    out += R"(,"revision":)";
    append_json_integer(out, static_cast<std::int64_t>(revision));
}

void append_key(std::string& out, const core::ServiceKey& service) {
    out += R"(,"service":{"namespace":)";
    append_json_string(out, service.ns);
    out += R"(,"name":)";
    append_json_string(out, service.name);
}

}  // namespace

void append_reading_line(std::string& out,
                         const WatchPlace& place,
                         const core::ServiceReading& service) {
    begin_line(out, "Reading", place.instance);
    append_revision(out, place.revision);
    append_key(out, service.key);
    out += R"(,"ownerUID":)";
    append_json_string(out, service.owner_uid);
    append_revision(out, place.revision);
    out += service.suspended ? R"(,"suspended":true,"homes":[)" : R"(,"suspended":false,"homes":[)";
    for (const core::HomeReading& home : service.homes) {
        if (&home != service.homes.data()) {
            out += ',';
        }
        append_reading(out, home);
    }
    out += "]}}\n";
}

void append_forgotten_line(std::string& out,
                           const WatchPlace& place,
                           const core::ServiceKey& service,
                           const std::vector<std::string>& clusters) {
    begin_line(out, "Forgotten", place.instance);
    append_revision(out, place.revision);
    append_key(out, service);
    for (const std::string& cluster : clusters) {
        out += &cluster == clusters.data() ? R"(,"clusters":[)" : ",";
        append_json_string(out, cluster);
    }
    out += clusters.empty() ? "}}\n" : "]}}\n";
}

void append_bookmark_line(std::string& out, const WatchPlace& place) {
    begin_line(out, "Bookmark", place.instance);
    append_revision(out, place.revision);
    out += "}\n";
}

void append_gone_line(std::string& out, std::string_view instance) {
    begin_line(out, "Gone", instance);
    out += "}\n";
}

}  // namespace ome::wire
