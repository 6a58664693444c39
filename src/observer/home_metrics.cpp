#include "home_metrics.hpp"

namespace ome::observer {

void add_home_metrics(telemetry::MetricsPage& page, const core::ServiceReading& service) {
    for (const core::HomeReading& home : service.homes) {
        const telemetry::Labels labels{{"namespace", service.key.ns},
                                       {"service", service.key.name},
                                       {"cluster", home.cluster}};
        if (home.probe) {
            page.gauge("ome_observer_home_gated",
                       "1 while the gate of the home is closed.",
                       home.probe->gated ? 1 : 0,
                       labels);
            page.gauge("ome_observer_home_consecutive_failures",
                       "Failing probes of the home in a row.",
                       home.probe->consecutive_failures,
                       labels);
        }
        if (home.capacity) {
            page.gauge("ome_observer_home_fallback",
                       "1 while the home is polled and has no ceiling.",
                       home.capacity->ceiling ? 0 : 1,
                       labels);
        }
        if (home.capacity && home.capacity->ceiling) {
            page.gauge("ome_observer_home_ceiling",
                       "The ceiling of the home.",
                       *home.capacity->ceiling,
                       labels);
        }
        if (home.certificate_expiry) {
            page.gauge("ome_observer_home_certificate_expiry_timestamp_seconds",
                       "When the certificate of the home expires, in seconds since 1970.",
                       static_cast<double>(home.certificate_expiry->seconds),
                       labels);
        }
        if (home.clock_skew) {
            page.gauge("ome_observer_home_clock_skew_seconds",
                       "How far the clock of the home's reporter is off; positive: ahead.",
                       *home.clock_skew,
                       labels);
        }
    }
}

}  // namespace ome::observer
