// As much of an API server as single objects need: versions, preconditions, finalizers, merge
// patches, and applies of a status. On loopback; it ends with the test.
#pragma once

#include "support/scripted_server.hpp"
#include <ome/kube/access.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace ome::test {

class FakeApi {
public:
    FakeApi();

    [[nodiscard]] kube::Access access() const;

    /// Stores the object there, with a new version, and a UID where it has none.
    void put(const std::string& path, boost::json::value object);
    [[nodiscard]] boost::json::value get(const std::string& path) const;  ///< null: there is none

    /// Every request, `PUT /apis/...?fieldManager=x`.
    [[nodiscard]] std::vector<std::string> log() const;
    /// Called before a request is carried out, on a thread of the server.
    std::function<void(const std::string& line)> before;

private:
    struct Asked {
        std::string method;
        std::string path;  // without the subresource
        std::string query;
        std::string type;
        boost::json::value body;
    };

    void serve(Peer& peer);
    std::string answer(const Asked& asked);
    std::string create(const Asked& asked);
    std::string replace(const Asked& asked);
    std::string patch(const Asked& asked);
    std::string remove(const Asked& asked);
    void apply_status(const Asked& asked, boost::json::object& object);
    std::string keep(const std::string& path, boost::json::object object);
    [[nodiscard]] bool is_expected(const std::string& path, const boost::json::value& meta) const;

    mutable std::mutex mutex_;
    std::map<std::string, boost::json::object> objects_;
    std::map<std::string, std::set<std::string>> applied_;  // members of a status, by path
    std::vector<std::string> log_;
    std::uint64_t version_ = 100;
    ScriptedServer server_;
};

}  // namespace ome::test
