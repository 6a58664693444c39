// Behaviours as documents: the way out.
#include "behaviour_json.hpp"
#include "behaviour_names.hpp"
#include "broken_answers.hpp"
#include "duration_text.hpp"

#include <boost/json.hpp>

namespace ome::homesim {
namespace {

namespace json = boost::json;

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

void add_content(json::object& out, const Step& step) {
    const Step plain;
    if (step.status != plain.status) {
        out["status"] = step.status;
    }
    if (step.report) {
        out["report"] = *step.report;
    }
    if (!step.body.empty()) {
        out["body"] = step.body;
    }
    if (step.age != plain.age) {
        out["age"] = format_duration(step.age);
    }
    if (step.skew) {
        out["skew"] = format_duration(*step.skew);
    }
    if (step.oversize != 0) {
        out["oversize"] = step.oversize;
    }
}

void add_manner(json::object& out, const Step& step) {
    const Step plain;
    if (step.latency != plain.latency) {
        out["latency"] = to_json(step.latency);
    }
    if (step.stall != Stall::None) {
        out["stall"] = name_of(stalls, step.stall);
    }
    if (step.ending != Ending::Answer) {
        json::value& place = out[step.ending == Ending::Reset ? "reset" : "close"];
        if (step.cut == Stall::BeforeHead) {
            place = true;
        } else {
            place = name_of(stalls, step.cut);
        }
    }
    if (step.drip != plain.drip) {
        out["drip"] = format_duration(step.drip);
    }
    if (step.drip_head) {
        out["dripHead"] = true;
    }
    if (step.broken != nullptr) {
        out["broken"] = step.broken->name;
    }
    if (step.framing != Framing::Length) {
        out["framing"] = name_of(framings, step.framing);
    }
    if (!step.keep_alive) {
        out["keepAlive"] = false;
    }
}

json::object to_json(const Step& step) {
    json::object out;
    add_content(out, step);
    add_manner(out, step);
    return out;
}

}  // namespace

json::object to_json(const Behaviour& behaviour) {
    json::object out;
    if (behaviour.steps.size() == 1) {
        out = to_json(behaviour.steps.front());
    } else {
        json::array& steps = out["steps"].emplace_array();
        for (const Step& step : behaviour.steps) {
            steps.push_back(to_json(step));
        }
    }
    if (behaviour.cycle) {
        out["cycle"] = true;
    }
    if (behaviour.hold.count() > 0) {
        out["hold"] = format_duration(behaviour.hold);
    }
    return out;
}

}  // namespace ome::homesim
