#include "annotation_check.hpp"
#include "inference_service_reader.hpp"
#include <ome/wire/service_remarks.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ome::wire {

std::vector<core::Problem> service_remarks(const boost::json::value& object) {
    constexpr std::size_t most = 10;
    Notes notes;
    const routing::InferenceService service = read_service_object(object, Named::Always, notes);
    check_annotations(object, service, notes);
    notes.warnings.resize(std::min(notes.warnings.size(), most));
    return std::move(notes.warnings);
}

}  // namespace ome::wire
