// The objects in a text of manifests: documents, and the items of lists.
#pragma once

#include "member_reader.hpp"
#include <ome/core/declaration.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// One object. The references are valid during the call.
struct Manifest {
    std::size_t index = 0;  ///< from 0; items count one by one
    std::size_t line = 0;   ///< zero when unknown
    const json::value& value;
    const Source& source;
    std::string path;                 ///< in its source: `items[3]`, or empty
    std::string_view list_kind = {};  ///< of the list that it is an item of, or empty

    /// With the version before it where that is not `version`; empty when the object does not say.
    [[nodiscard]] std::string kind(std::string_view version) const;

    /// Also what is no object at all, which is then a problem, and the untyped items of a list of
    /// this kind.
    [[nodiscard]] bool is_of(std::string_view kind, std::string_view version) const;
};

/// `make` gets the documents of `text` and returns whether it found something wrong, in which case
/// it is called once more with lines, if the text is small enough for that. Fails when the text is
/// no UTF-8, is too large or cannot be parsed.
[[nodiscard]] std::optional<core::Problem> with_sources(
    std::string_view text, const std::function<bool(const std::vector<Source>&)>& make);

/// `List` or `<kind>List` with items.
[[nodiscard]] bool is_list(const json::value& document, std::string_view kind);

/// The objects of one document; indices begin at 0.
void each_manifest(const Source& source,
                   std::string_view kind,
                   const std::function<void(const Manifest&)>& take);

/// How many each_manifest() will give.
[[nodiscard]] std::size_t count_manifests(const std::vector<Source>& sources,
                                          std::string_view kind);

/// All objects: of a `List` or `<kind>List` its items.
void each_manifest(const std::vector<Source>& sources,
                   std::string_view kind,
                   const std::function<void(const Manifest&)>& take);

/// `metadata`, which must be there.
[[nodiscard]] std::optional<Members> meta_of(Members& object);

/// Without a namespace: `default`. An error, and an empty name, when there is no valid name.
[[nodiscard]] core::ServiceKey read_key(Members& meta);

/// All errors of an object as one, with their lines where known; members named twice are among
/// them. Absent when there are none.
[[nodiscard]] std::optional<core::Problem> problem_of(const Manifest& manifest, Notes notes);

/// What is to be told of an object that can be used, each with its line where known.
[[nodiscard]] std::vector<core::Problem> warnings_of(const Manifest& manifest, Notes notes);

}  // namespace ome::wire
