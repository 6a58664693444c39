// One program a target: OME_FUZZ_CHECK names its function.
#include "targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ome::fuzz::OME_FUZZ_CHECK({reinterpret_cast<const char*>(data), size});
    return 0;
}
