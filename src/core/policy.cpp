#include <ome/core/policy.hpp>

namespace ome::core {

std::string_view to_string(Method method) {
    switch (method) {
        case Method::Get:
            return "GET";
        case Method::Head:
            return "HEAD";
        case Method::Post:
            return "POST";
    }
    return "GET";
}

std::optional<Method> parse_method(std::string_view text) {
    for (const Method method : {Method::Get, Method::Head, Method::Post}) {
        if (text == to_string(method)) {
            return method;
        }
    }
    return std::nullopt;
}

std::string_view to_string(AllFailedPolicy policy) {
    switch (policy) {
        case AllFailedPolicy::PreserveTraffic:
            return "PreserveTraffic";
        case AllFailedPolicy::Drain:
            return "Drain";
    }
    return "PreserveTraffic";
}

std::optional<AllFailedPolicy> parse_all_failed_policy(std::string_view text) {
    for (const AllFailedPolicy policy :
         {AllFailedPolicy::PreserveTraffic, AllFailedPolicy::Drain}) {
        if (text == to_string(policy)) {
            return policy;
        }
    }
    return std::nullopt;
}

}  // namespace ome::core
