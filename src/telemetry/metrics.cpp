#include <ome/telemetry/metrics.hpp>

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numeric>

namespace ome::telemetry {

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1, 0) {
    assert(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::add(double value) {
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
    sum_ += value;
}

void Histogram::merge(const Histogram& other) {
    assert(bounds_ == other.bounds_);
    std::transform(
        counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
    sum_ += other.sum_;
}

std::uint64_t Histogram::count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::span<const double> latency_bounds() {
    static constexpr std::array bounds{
        .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1., 2.5, 5., 10., 30., 60.};
    return bounds;
}

void MetricsPage::counter(const std::string& name,
                          const std::string& help,
                          double value,
                          const Labels& labels) {
    add(name, help, prometheus::MetricType::Counter, labels).counter.value = value;
}

void MetricsPage::gauge(const std::string& name,
                        const std::string& help,
                        double value,
                        const Labels& labels) {
    add(name, help, prometheus::MetricType::Gauge, labels).gauge.value = value;
}

void MetricsPage::histogram(const std::string& name,
                            const std::string& help,
                            const Histogram& value,
                            const Labels& labels) {
    auto& out = add(name, help, prometheus::MetricType::Histogram, labels).histogram;
    out.sample_count = value.count();
    out.sample_sum = value.sum();
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < value.counts().size(); ++i) {
        cumulative += value.counts()[i];
        prometheus::ClientMetric::Bucket bucket;
        bucket.cumulative_count = cumulative;
        bucket.upper_bound =
            i < value.bounds().size() ? value.bounds()[i] : std::numeric_limits<double>::infinity();
        out.bucket.push_back(bucket);
    }
}

prometheus::ClientMetric& MetricsPage::add(const std::string& name,
                                           const std::string& help,
                                           prometheus::MetricType type,
                                           const Labels& labels) {
    auto family = std::find_if(
        families_.begin(), families_.end(), [&](const auto& known) { return known.name == name; });
    if (family == families_.end()) {
        family = families_.insert(families_.end(), {name, help, type, {}});
    }
    assert(family->type == type);
    auto& metric = family->metric.emplace_back();
    for (const auto& [label, value] : labels) {
        metric.label.push_back({label, value});
    }
    return metric;
}

std::string to_text(const prometheus::MetricFamily& family) {
    return prometheus::TextSerializer().Serialize({family});
}

std::string to_text(const MetricsPage& page) {
    return prometheus::TextSerializer().Serialize(page.families());
}

}  // namespace ome::telemetry
