// The services of a file with everything that is to be said about them, for services_document.cpp
// and document_check.cpp.
#pragma once

#include "declaration_reader.hpp"

#include <map>
#include <vector>

namespace ome::wire {

struct ServiceReading {
    std::string path;  ///< of the declaration in its document: `services[2]`, `[2]`, or empty
    std::size_t line = 0;
    DeclarationReading reading;
};

/// Reads one document after the other and remembers which services were named.
class ServicesReader {
public:
    explicit ServicesReader(const core::ObserverLimits& limits) : limits_(limits) {}

    /// Problems in the notes have their path from the root of the document.
    [[nodiscard]] std::vector<ServiceReading> read(const Source& source);

private:
    [[nodiscard]] std::vector<ServiceReading> read_list(const Source& source,
                                                        const json::array& items,
                                                        const std::string& path);
    [[nodiscard]] ServiceReading read_one(const Source& source,
                                          const json::value& value,
                                          std::string path);
    void refuse_second(ServiceReading& service);

    const core::ObserverLimits& limits_;
    std::map<core::ServiceKey, std::size_t> first_index_;
    std::size_t index_ = 0;
};

}  // namespace ome::wire
