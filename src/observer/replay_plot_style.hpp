// How the plot of `replay` looks. Colours are Okabe's and Ito's, which nearly everybody can tell
// apart; shapes, dashes and hatching say the same without them. No variables: few programs besides
// browsers know those.
#pragma once

#include <string_view>

namespace ome::observer {

inline constexpr std::string_view plot_style = R"(<style>
text{font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif;font-size:13px;fill:#1c1e21}
.title{font-size:20px;font-weight:600}.name{font-size:15px;font-weight:600}
.figures{font-size:13px;font-weight:600}.muted{fill:#565b63;font-weight:400;font-size:13px}
.small{font-size:11.5px;fill:#565b63}.tick{font-size:11.5px;fill:#565b63}.key{font-size:12.5px}
.end{text-anchor:end}.middle{text-anchor:middle}
path{fill:none;stroke-width:1.5}
.paper{fill:#fff}.grid{stroke:#e3e6ea;stroke-width:1}.axis{stroke:#7a808a;stroke-width:1}
.gets{fill:#56b4e9;fill-opacity:.28;stroke:none}
.plan{stroke:#1c1e21;stroke-dasharray:9 5}
.ceiling{stroke:#0072b2;stroke-width:2.5}
.report{fill:#fff;stroke:#8a5a00;stroke-width:1.5}
.bad{stroke:#b3470a;stroke-width:1.8}.pass{stroke:#007a59;stroke-width:1.5}
.gate{fill:url(#hatch);stroke:#9c3f75;stroke-width:1}.stripe{stroke:#9c3f75;stroke-width:1.6;stroke-opacity:.6}
.lag{stroke:#1c1e21;stroke-width:1.4}.never{stroke-dasharray:2 4}
.since{stroke:#7a808a;stroke-width:1;stroke-dasharray:1 4}
.false{fill:#d55e00;stroke:#7d3700;stroke-width:1}
.undecided{fill:#fff;stroke:#b3470a;stroke-width:1.5}
@media (prefers-color-scheme:dark){
text{fill:#eceef1}.muted,.small,.tick{fill:#a9b0ba}
.paper{fill:#15181c}.grid{stroke:#2b3037}.axis{stroke:#7d8590}
.gets{fill:#56b4e9;fill-opacity:.24}.plan{stroke:#eceef1}.ceiling{stroke:#56b4e9}
.report{fill:#15181c;stroke:#e69f00}.bad{stroke:#ff8a4c}.pass{stroke:#2fc79b}
.gate{stroke:#dd9cc3}.stripe{stroke:#dd9cc3}.lag{stroke:#eceef1}.since{stroke:#7d8590}
.false{fill:#ff7a2f;stroke:#ffc9a6}.undecided{fill:#15181c;stroke:#ff8a4c}}
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" class="stripe"/></pattern></defs>)";

}  // namespace ome::observer
