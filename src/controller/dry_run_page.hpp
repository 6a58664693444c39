// A dry run as people and programs see it: `/v1/diff`, its metric, and the table of
// `ome-trafficmap diff`.
#pragma once

#include "dry_run.hpp"
#include <ome/core/problem.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace ome::controller {

/// `{"maps":[{"namespace","name","state","differences":[{"field","live","wanted"}]}],
///   "counts":{"equal","different","missing","surplus"}}`
[[nodiscard]] boost::json::object diff_document(const DryRun& dry_run);

/// `ome_trafficmap_dry_run_maps{state}` with its HELP and TYPE.
[[nodiscard]] std::string diff_metrics(const DryRun& dry_run);

struct DiffReport {
    std::string text;    ///< ends with a line of counts
    bool equal = false;  ///< nothing would be written
};

/// Of a diff_document. `all`: also the maps that are equal. Problem: it is none.
[[nodiscard]] core::Result<DiffReport> diff_report(const boost::json::value& document, bool all);

}  // namespace ome::controller
