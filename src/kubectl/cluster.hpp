// What the plugin asks of a control plane, and what a control plane can answer: objects as JSON,
// one request at a time, failures as words. There are a Kubernetes API server (cluster_kube.hpp)
// and a folder (cluster_folder.hpp). Calls block for at most the time they are given.
#pragma once

#include <ome/core/declaration.hpp>
#include <ome/core/time.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ome::kubectl {

namespace json = boost::json;

enum class Kind : std::uint8_t { InferenceService, TrafficMap };
[[nodiscard]] std::string_view to_string(Kind kind);

/// Why a request failed, in a word.
enum class Failure : std::uint8_t {
    NotFound,
    Forbidden,
    Unauthorized,
    ApiMissing,   ///< the server does not know the kind
    Timeout,      ///< the time given was over
    Cancelled,    ///< the user interrupted
    Expired,      ///< a continue token or a resource version that is too old
    Conflict,     ///< a tested value of a patch was another one
    Rejected,     ///< by admission or validation
    Unsupported,  ///< this store cannot do that
    Unreadable,   ///< the answer cannot be understood
    Unavailable,  ///< no answer
};
/// The word of the contract: `NotFound`, `OMEAPIMissing (install OME first)`, ...
[[nodiscard]] std::string_view to_string(Failure failure);

struct ClusterError {
    Failure what = Failure::Unavailable;
    std::string detail = {};  ///< our own words on it, safe to show; often empty
    /// The server's own words on a refusal, safe to show; not shown where only the word is to be
    /// told (contract/publisher-cli.md 2.1).
    std::string said = {};

    friend bool operator==(const ClusterError&, const ClusterError&) = default;
};
/// The word for a failure, with our own words on it in parentheses.
[[nodiscard]] std::string words_of(const ClusterError& error);
/// The same, or the server's words where we have none: who may not do what.
[[nodiscard]] std::string words_in_full(const ClusterError& error);

[[noreturn]] void throw_exception_from_error(const ClusterError& error,
                                             const boost::source_location& where);

template <typename T>
using Answer = boost::system::result<T, ClusterError>;

struct ListRequest {
    Kind kind = Kind::TrafficMap;
    std::string ns = {};        ///< empty: all namespaces
    std::string selector = {};  ///< labels, as kubectl's -l takes them
    std::int64_t limit = 500;
    std::string continue_token = {};
};

struct Page {
    std::vector<json::value> items;
    std::string continue_token = {};         ///< empty: the last one
    std::vector<std::string> left_out = {};  ///< what could not be read, with the reason
};

/// A JSON Patch (RFC 6902) of an InferenceService, with tests first: carried out whole or not.
struct PatchRequest {
    core::ServiceKey key;
    json::array operations;
    bool dry_run = false;  ///< the server checks and stores nothing
};

struct Change {
    core::ServiceKey key;
    json::value object;  ///< null: it is gone
};

/// Changes of the objects of one type. The first answer tells everything that is there.
/// Level-triggered: of several changes of one object the last may be told alone.
class Watch {
public:
    virtual ~Watch() = default;
    /// Waits for `most` at the longest; empty when nothing happened.
    [[nodiscard]] virtual Answer<std::vector<Change>> next(core::Duration most) = 0;
};

class Cluster {
public:
    virtual ~Cluster() = default;

    /// As it is shown to people: the kubeconfig context, or `dir:PATH`; empty: it has no name.
    [[nodiscard]] virtual std::string context() const = 0;
    /// The namespace of requests that name none.
    [[nodiscard]] virtual std::string default_namespace() const = 0;

    [[nodiscard]] virtual Answer<json::value> get(Kind kind,
                                                  const core::ServiceKey& key,
                                                  core::Duration most) = 0;
    /// The HTTPRoute of a published map. `source`: of the map; a folder has the route below its
    /// name.
    [[nodiscard]] virtual Answer<json::value> route(const core::ServiceKey& source,
                                                    const core::ServiceKey& route,
                                                    core::Duration most) = 0;
    [[nodiscard]] virtual Answer<Page> list(const ListRequest& request, core::Duration most) = 0;
    /// The object as it is stored then, or would be.
    [[nodiscard]] virtual Answer<json::value> patch(const PatchRequest& request,
                                                    core::Duration most) = 0;
    /// `ns` empty: all namespaces. The watch must not outlive the cluster.
    [[nodiscard]] virtual Answer<std::unique_ptr<Watch>> watch(Kind kind,
                                                               const std::string& ns) = 0;
};

/// All pages as one. Begins once more, from scratch, when a continue token has expired on the way.
[[nodiscard]] Answer<Page> list_all(Cluster& cluster,
                                    const ListRequest& request,
                                    core::Duration most);

}  // namespace ome::kubectl
