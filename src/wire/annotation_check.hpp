// What the annotations of an InferenceService say that nobody reads, and was meant to be read.
#pragma once

#include "member_reader.hpp"
#include <ome/routing/inference_service.hpp>

namespace ome::wire {

/// Warnings of annotations that are called almost like one of OME's or ours and so have no effect,
/// and of a value of ours that says nothing. Annotations of other people are none of our business,
/// and neither is what OME has beside these. `object` is the InferenceService, or an override, that
/// `service` was read from.
void check_annotations(const json::value& object,
                       const routing::InferenceService& service,
                       Notes& notes);

}  // namespace ome::wire
