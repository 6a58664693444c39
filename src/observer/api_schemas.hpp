// The documents of the API as JSON Schema, for openapi.json.
#pragma once

#include <string_view>

namespace ome::observer {

/// A JSON object: `components.schemas` of the description.
[[nodiscard]] std::string_view api_schemas();

}  // namespace ome::observer
