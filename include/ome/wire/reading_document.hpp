// What the observer knows of homes, as the JSON of the local API (design.md section 4, "Reading of
// one home"). What is not known is left out, never written as 0, false or null.
#pragma once

#include <ome/core/reading.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace ome::wire {

/// `{"cluster","endpoint","capacity","probe"}`; userinfo in the endpoint is masked (D4).
[[nodiscard]] boost::json::object reading_document(const core::HomeReading& reading);

/// `{"namespace","name","ownerUID","suspended","homes"}`; instance and revision are the caller's.
[[nodiscard]] boost::json::object reading_document(const core::ServiceReading& reading);

/// Appends the text of reading_document(reading), byte for byte, without building the document.
void append_reading(std::string& out, const core::HomeReading& reading);

}  // namespace ome::wire
