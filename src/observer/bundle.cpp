#include "bundle.hpp"

#include "api_client.hpp"
#include "redact.hpp"
#include <ome/core/text.hpp>
#include <ome/wire/json_document.hpp>

#include <boost/json.hpp>
#include <boost/version.hpp>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>

namespace ome::observer {
namespace {

namespace json = boost::json;

// The histories of a large fleet would make a bug report that nobody can send.
constexpr std::size_t most_histories = 200;

class Collection {
public:
    explicit Collection(const net::LocalUrl& url) : url_(url) {}

    void add_document(const std::string& name, json::value document) {
        redact(document);
        bundle_.files.push_back({name, wire::to_text(document) + "\n"});
    }

    void fetch_document(const std::string& name, const std::string& target) {
        auto document = get_json(url_, target);
        if (document) {
            add_document(name, std::move(*document));
        } else {
            bundle_.missing.push_back(document.error().message);
        }
    }

    void fetch_text(const std::string& name, const std::string& target) {
        const auto reply = net::get_locally(url_, target);
        if (reply && reply->status == 200) {
            bundle_.files.push_back({name, redact_text(reply->body)});
        } else {
            bundle_.missing.push_back(
                reply ? fmt::format("{} {}: HTTP {}", url_.text, target, reply->status)
                      : reply.error().message);
        }
    }

    void fetch_services() {
        auto services = list_services(url_);
        if (!services) {
            bundle_.missing.push_back(services.error().message);
            return;
        }
        fetch_histories(*services);
        add_document("services.json", json::object{{"services", std::move(*services)}});
    }

    Bundle finish() {
        if (!bundle_.missing.empty()) {
            std::string text;
            for (const std::string& line : bundle_.missing) {
                text += redact_text(line) + "\n";
            }
            bundle_.files.push_back({"missing.txt", std::move(text)});
        }
        return std::move(bundle_);
    }

private:
    /// One line a service, as far as this observer keeps histories.
    void fetch_histories(const json::array& services) {
        std::string lines;
        for (std::size_t i = 0; i < std::min(services.size(), most_histories); ++i) {
            auto history = get_json(url_, history_target(services[i]));
            if (!history) {
                bundle_.missing.push_back(history.error().message);
                break;
            }
            redact(*history);
            lines += wire::to_text(*history) + "\n";
        }
        if (!lines.empty()) {
            bundle_.files.push_back({"history.ndjson", std::move(lines)});
        }
        if (services.size() > most_histories) {
            bundle_.missing.push_back(fmt::format(
                "histories of {}",
                core::counted(services.size() - most_histories, "more service", "more services")));
        }
    }

    static std::string history_target(const json::value& service) {
        const auto part = [&](const char* name) {
            const json::object* object = service.if_object();
            const json::value* value = object == nullptr ? nullptr : object->if_contains(name);
            return value != nullptr && value->is_string()
                       ? escape_for_url(std::string_view(value->get_string()))
                       : std::string();
        };
        return fmt::format("/v1/services/{}/{}/history", part("namespace"), part("name"));
    }

    const net::LocalUrl& url_;
    Bundle bundle_;
};

json::value versions(const json::value& status, const std::string& collected_at) {
    utsname machine{};
    uname(&machine);
    const json::object& object = status.get_object();
    const json::value* observer = object.if_contains("version");
    const json::value* instance = object.if_contains("instance");
    return json::object{
        {"collectedAt", collected_at},
        {"observer", observer == nullptr ? json::value() : *observer},
        {"instance", instance == nullptr ? json::value() : *instance},
        {"bundle", OME_VERSION},
        {"compiler", __VERSION__},
        {"boost", BOOST_LIB_VERSION},
        {"kernel", fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine)}};
}

}  // namespace

core::Result<Bundle> collect_bundle(const net::LocalUrl& url, const std::string& collected_at) {
    auto status = get_json(url, "/v1/status");
    if (!status) {
        return status.error();
    }
    Collection collection(url);
    collection.add_document("versions.json", versions(*status, collected_at));
    collection.add_document("status.json", std::move(*status));
    collection.fetch_text("status.txt", "/status");
    collection.fetch_document("config.json", "/v1/config");
    collection.fetch_text("metrics.txt", "/metrics");
    collection.fetch_services();
    return core::Result<Bundle>(boost::system::in_place_value, collection.finish());
}

}  // namespace ome::observer
