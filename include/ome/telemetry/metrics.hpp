// Plain counts -> Prometheus families and their text. The counts belong to whoever counts (a
// reactor for itself, no atomics); a scrape merges copies of them and builds the page from values.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ome::telemetry {

/// Counts in fixed buckets; one thread. A value equal to a bound falls into that bound's bucket.
class Histogram {
public:
    /// `bounds`: ascending, in the unit of the metric; the bucket above the last one is implied.
    explicit Histogram(std::span<const double> bounds);

    void add(double value);
    /// Both must have the same bounds.
    void merge(const Histogram& other);

    [[nodiscard]] const std::vector<double>& bounds() const { return bounds_; }
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
    [[nodiscard]] double sum() const { return sum_; }
    [[nodiscard]] std::uint64_t count() const;

private:
    std::vector<double> bounds_;
    std::vector<std::uint64_t> counts_;  ///< not cumulative; one more than bounds
    double sum_ = 0;
};

/// Seconds from 1 ms to 60 s.
[[nodiscard]] std::span<const double> latency_bounds();

using Labels = std::vector<std::pair<std::string, std::string>>;

/// Builds families in the order of their first sample. Samples of one name must have one type.
class MetricsPage {
public:
    void counter(const std::string& name,
                 const std::string& help,
                 double value,
                 const Labels& labels = {});
    void gauge(const std::string& name,
               const std::string& help,
               double value,
               const Labels& labels = {});
    void histogram(const std::string& name,
                   const std::string& help,
                   const Histogram& value,
                   const Labels& labels = {});

    [[nodiscard]] const std::vector<prometheus::MetricFamily>& families() const {
        return families_;
    }

private:
    prometheus::ClientMetric& add(const std::string& name,
                                  const std::string& help,
                                  prometheus::MetricType type,
                                  const Labels& labels);

    std::vector<prometheus::MetricFamily> families_;
};

/// Text exposition format. One family at a time lets a large page be sent in pieces.
[[nodiscard]] std::string to_text(const prometheus::MetricFamily& family);
[[nodiscard]] std::string to_text(const MetricsPage& page);

/// The Content-Type of to_text().
inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace ome::telemetry
