// One service of a random run: what its owner wants, as plain facts. The controller gets it as an
// InferenceService, the checker as facts; neither is made from the other.
#pragma once

#include "model/map_checker.hpp"
#include <ome/routing/inference_service.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace ome::model {

using Random = std::mt19937_64;

/// 0 to `most` - 1.
[[nodiscard]] std::size_t pick(Random& random, std::size_t most);
[[nodiscard]] bool chance(Random& random, double probability);

class Scenario {
public:
    Scenario(std::string ns, std::string name, Random& random);

    /// Something about the service changes.
    void change(Random& random);

    [[nodiscard]] const core::ServiceKey& key() const { return key_; }
    [[nodiscard]] std::string text_key() const { return key_.ns + "/" + key_.name; }
    [[nodiscard]] bool exists() const { return exists_; }
    [[nodiscard]] const std::string& uid() const { return uid_; }

    [[nodiscard]] std::shared_ptr<const routing::InferenceService> service() const;
    [[nodiscard]] ServiceFacts facts() const;

private:
    enum class Broken : std::uint8_t { No, Drain, Probe, Factor, Intent };

    void recreate();
    void change_home(Random& random);
    void change_drains(Random& random);

    core::ServiceKey key_;
    std::string uid_;
    std::int64_t lives_ = 0;
    std::int64_t generation_ = 1;
    bool exists_ = true;
    bool placed_ = true;
    bool opted_out_ = false;
    Broken broken_ = Broken::No;
    int probe_ = 1;     ///< 0: off; else which of the policies
    int capacity_ = 1;  ///< likewise
    std::map<std::string, HomeFacts> homes_;
    std::map<std::string, std::string> drains_;
};

/// The limits of the chart, routing on, nothing observed unless a service says so.
[[nodiscard]] core::RoutingSettings installation();

}  // namespace ome::model
