#include "configuration_map.hpp"

#include "kube_complaints.hpp"
#include "kube_troubles.hpp"
#include "right_log.hpp"
#include <ome/kube/client.hpp>
#include <ome/kube/follower.hpp>
#include <ome/kube/right.hpp>
#include <ome/net/clock.hpp>
#include <ome/telemetry/log.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>

namespace ome::controller {
namespace {

namespace json = boost::json;
namespace log = telemetry::log;

kube::FollowTarget target_of(const ConfigMapName& where) {
    kube::FollowTarget target;
    target.collection = collection_path(kube::config_maps, where.ns);
    target.field_selector = "metadata.name=" + where.name;
    return target;
}

// Absent: there is no such key, or no text there.
std::optional<std::string> value_of(const json::value& object) {
    boost::system::error_code error;
    const json::value* value = object.find_pointer(fmt::format("/data/{}", config_map_key), error);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::nullopt : std::optional(std::string(*text));
}

}  // namespace

struct ConfigurationMap::State {
    State(net::asio::io_context& io, kube::Access access, ConfigMapName named, Listener whom)
        : where(std::move(named)),
          listener(std::move(whom)),
          client(io, std::move(access), client_settings()),
          follower(io, client, target_of(where), follow()) {}

    [[nodiscard]] kube::ClientSettings client_settings();
    [[nodiscard]] kube::FollowListener follow();
    void take(const json::value& object);
    void take_missing();
    void trouble(const kube::Failure& failure);
    [[nodiscard]] std::string text() const {
        return fmt::format("ConfigMap {}/{}", where.ns, where.name);
    }

    ConfigMapName where;
    Listener listener;
    mutable MissingRights rights{true};
    mutable KubeTroubles troubles;
    std::string uid;
    bool seen = false;  // in the list that is being read
    /// What was told last. Outer absent: nothing yet; inner absent: that it is not there.
    std::optional<std::optional<std::string>> told;
    KubeComplaints complaints{net::read_clock};
    kube::Client client;
    kube::Follower follower;
};

kube::ClientSettings ConfigurationMap::State::client_settings() {
    kube::ClientSettings made;
    made.answered = [this](const std::string& method,
                           const std::string& target,
                           unsigned status,
                           const kube::Failure* refusal) {
        troubles.heard(method, target, status, refusal, net::read_clock());
        log_right(rights.heard(method, target, status, refusal, net::read_clock()));
    };
    made.unanswered =
        [this](const std::string& method, const std::string& target, const kube::Failure& failure) {
            troubles.unanswered(method, target, failure, net::read_clock());
        };
    return made;
}

kube::FollowListener ConfigurationMap::State::follow() {
    kube::FollowListener made;
    made.list_begins = [this] { seen = false; };
    made.listed = [this](const json::value& object) {
        seen = true;
        take(object);
    };
    made.list_ends = [this] {
        if (!seen) {
            take_missing();
        }
    };
    made.changed = [this](wire::WatchEventType type, const json::value& object) {
        if (type == wire::WatchEventType::Deleted) {
            take_missing();
        } else {
            take(object);
        }
    };
    made.troubled = [this](const kube::Failure& failure, core::Duration) { trouble(failure); };
    made.silent = [] {
        log::debug("a watch was silent, listing again", {{"at", "configuration"}});
    };
    return made;
}

// A key that is missing would turn routing off, and take every map away: for a slip of the pen that
// is too much.
void ConfigurationMap::State::take(const json::value& object) {
    uid = wire::identity_of(object).uid;
    const std::optional<std::string> value = value_of(object);
    const std::string now = value.value_or(std::string());
    if (told && *told && **told == now) {
        return;
    }
    told = now;
    if (value) {
        listener.changed(read_configuration_text(text(), *value));
    } else {
        listener.changed(
            core::Problem{fmt::format("{}: has no key data.{}", text(), config_map_key),
                          fmt::format("data.{}", config_map_key)});
    }
}

void ConfigurationMap::State::take_missing() {
    uid.clear();
    if (told && !*told) {
        return;
    }
    told.emplace(std::nullopt);
    listener.changed(core::Problem{text() + ": is not there"});
}

void ConfigurationMap::State::trouble(const kube::Failure& failure) {
    listener.troubled(fmt::format("{}: {}", text(), failure.message));
    complaints.trouble("configuration", failure);
}

ConfigurationMap::ConfigurationMap(net::asio::io_context& io,
                                   kube::Access access,
                                   ConfigMapName where,
                                   Listener listener)
    : state_(
          std::make_unique<State>(io, std::move(access), std::move(where), std::move(listener))) {}

ConfigurationMap::~ConfigurationMap() = default;

void ConfigurationMap::start() {
    state_->follower.start();
}

net::Awaitable<void> ConfigurationMap::stop() {
    co_await state_->follower.stop();
    state_->client.stop();
}

std::string ConfigurationMap::text() const {
    return state_->text();
}

const ConfigMapName& ConfigurationMap::where() const {
    return state_->where;
}

const std::string& ConfigurationMap::uid() const {
    return state_->uid;
}

std::vector<MissingRight> ConfigurationMap::missing_rights() const {
    return state_->rights.needed(net::read_clock().steady);
}

std::vector<StoreTrouble> ConfigurationMap::troubles() const {
    std::vector<StoreTrouble> all = state_->troubles.all(net::read_clock().steady);
    for (StoreTrouble& one : all) {
        one.at = "configuration";
    }
    return all;
}

}  // namespace ome::controller
