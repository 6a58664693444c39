// What documents call the values of a step's enumerations.
#pragma once

#include "behaviour.hpp"
#include "fleet.hpp"
#include "json_fields.hpp"

namespace ome::homesim {

inline constexpr std::array<Named<Stall>, 4> stalls{{{"before-head", Stall::BeforeHead},
                                                     {"in-head", Stall::InHead},
                                                     {"after-head", Stall::AfterHead},
                                                     {"in-body", Stall::InBody}}};
inline constexpr std::array<Named<Accept>, 4> accepts{{{"serve", Accept::Serve},
                                                       {"stall", Accept::Stall},
                                                       {"reset", Accept::Reset},
                                                       {"close", Accept::Close}}};
inline constexpr std::array<Named<Framing>, 3> framings{
    {{"length", Framing::Length}, {"chunked", Framing::Chunked}, {"close", Framing::Close}}};

}  // namespace ome::homesim
