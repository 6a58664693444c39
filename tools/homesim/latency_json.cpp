#include "latency_json.hpp"

#include "duration_text.hpp"

#include <boost/json.hpp>

namespace ome::homesim {
namespace {

namespace json = boost::json;

Failure read_range(const json::object& range, const std::string& field, Latency& out) {
    const json::value* least = range.if_contains("min");
    const json::value* most = range.if_contains("max");
    if (range.size() != 2 || least == nullptr || most == nullptr) {
        return broken(field,
                      json::value(range),
                      "must be a duration, or {\"min\":...,\"max\":...}, {\"mean\":...} or "
                      "{\"median\":...,\"sigma\":...}, the last two with or without \"max\"");
    }
    Failure failure = read(*least, field + ".min", out.least);
    failure = failure ? failure : read(*most, field + ".max", out.most);
    return !failure && (out.least.count() < 0 || out.most < out.least)
               ? broken(field, json::value(range), "must have 0 <= min <= max")
               : failure;
}

Failure read_sigma(const json::object& curve, const std::string& field, Latency& out) {
    const json::value* sigma = curve.if_contains("sigma");
    json::error_code ec;
    out.sigma = sigma == nullptr ? 0 : sigma->to_number<double>(ec);
    return sigma == nullptr || ec || !(out.sigma > 0 && out.sigma <= 5)
               ? Failure(core::Problem{field + ".sigma must be a number above 0, at most 5",
                                       field + ".sigma"})
               : std::nullopt;
}

/// `middle` is what the curve is named by: its mean or its median.
Failure read_curve(const json::object& curve,
                   const std::string& field,
                   std::string_view middle,
                   Latency& out) {
    for (const auto& member : curve) {
        const bool known = member.key() == middle || member.key() == "max" ||
                           (member.key() == "sigma" && out.shape == Latency::Shape::Lognormal);
        if (!known) {
            return core::Problem{field + "." + std::string(member.key()) + " is not a latency",
                                 field};
        }
    }
    Failure failure = read_positive(curve.at(middle), field + "." + std::string(middle), out.least);
    if (const json::value* most = curve.if_contains("max"); most != nullptr && !failure) {
        failure = read_positive(*most, field + ".max", out.most);
    }
    return failure || out.shape != Latency::Shape::Lognormal ? failure
                                                             : read_sigma(curve, field, out);
}

json::value curve_to_json(const Latency& latency) {
    const bool lognormal = latency.shape == Latency::Shape::Lognormal;
    json::object out{{lognormal ? "median" : "mean", format_duration(latency.least)}};
    if (lognormal) {
        out["sigma"] = latency.sigma;
    }
    if (latency.most.count() > 0) {
        out["max"] = format_duration(latency.most);
    }
    return out;
}

}  // namespace

Failure read_latency(const json::value& value, const std::string& field, Latency& out) {
    out = Latency();
    const json::object* shape = value.if_object();
    if (shape == nullptr) {
        Failure failure = read(value, field, out.least);
        out.most = out.least;
        return !failure && out.least.count() < 0 ? broken(field, value, "must not be negative")
                                                 : failure;
    }
    if (shape->contains("mean")) {
        out.shape = Latency::Shape::Exponential;
        return read_curve(*shape, field, "mean", out);
    }
    if (shape->contains("median")) {
        out.shape = Latency::Shape::Lognormal;
        return read_curve(*shape, field, "median", out);
    }
    return read_range(*shape, field, out);
}

json::value to_json(const Latency& latency) {
    if (latency.shape != Latency::Shape::Uniform) {
        return curve_to_json(latency);
    }
    if (latency.least == latency.most) {
        return json::string(format_duration(latency.least));
    }
    return json::object{{"min", format_duration(latency.least)},
                        {"max", format_duration(latency.most)}};
}

}  // namespace ome::homesim
