// What an API server would have given to the objects of a folder: uids, and generations as the
// controller has counted them. Every reader of the folder must come to the same.
#pragma once

#include <ome/core/declaration.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ome::wire {

/// The uid of a service whose manifest has none: the same for the same name, always.
[[nodiscard]] std::string derived_uid(const core::ServiceKey& key);

/// A uid of these bits, as text. `version` as in RFC 9562.
[[nodiscard]] std::string uid_text(std::uint64_t high, std::uint64_t low, unsigned version);

struct CountedGeneration {
    std::uint64_t spec_hash = 0;  ///< stable_hash() of `spec`
    std::int64_t generation = 0;
};
using CountedGenerations = std::map<core::ServiceKey, CountedGeneration>;

/// The file of generations: a line a change, the last one of a service counts. Lines that cannot be
/// read are left out. `lines`, where given, gets their number.
[[nodiscard]] CountedGenerations read_generations(std::string_view text,
                                                  std::size_t* lines = nullptr);

/// A line of that file, with its line end.
[[nodiscard]] std::string generation_line(const core::ServiceKey& key,
                                          const CountedGeneration& counted);

}  // namespace ome::wire
