#include "cluster.hpp"

#include <ome/core/problem.hpp>
#include <ome/core/text.hpp>
#include <ome/kube/page_limit.hpp>

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace ome::kubectl {

std::string_view to_string(Kind kind) {
    return kind == Kind::TrafficMap ? "TrafficMap" : "InferenceService";
}

std::string_view to_string(Failure failure) {
    static constexpr std::array<std::string_view, 12> words{"NotFound",
                                                            "Forbidden",
                                                            "Unauthorized",
                                                            "OMEAPIMissing (install OME first)",
                                                            "Timeout",
                                                            "Cancelled",
                                                            "Expired",
                                                            "Conflict",
                                                            "Rejected",
                                                            "Unsupported",
                                                            "Unreadable",
                                                            "Unavailable"};
    return words.at(static_cast<std::size_t>(failure));
}

std::string words_of(const ClusterError& error) {
    return error.detail.empty()
               ? std::string(to_string(error.what))
               : fmt::format("{} ({})", to_string(error.what), core::sanitize_detail(error.detail));
}

std::string words_in_full(const ClusterError& error) {
    if (!error.detail.empty()) {
        return words_of(error);
    }
    if (error.what == Failure::Unauthorized) {
        return words_of({error.what, "the API server does not accept the login"});
    }
    return words_of({error.what, error.said});
}

void throw_exception_from_error(const ClusterError& error, const boost::source_location& where) {
    core::throw_exception_from_error(
        core::Problem{fmt::format("{} {}", to_string(error.what), error.detail)}, where);
}

namespace {

Answer<Page> all_pages(Cluster& cluster, ListRequest request, core::Duration most) {
    Page all;
    kube::PageLimit limit;
    do {
        Answer<Page> page = cluster.list(request, most);
        if (!page) {
            return page;
        }
        if (const auto why =
                page->continue_token.empty() ? std::nullopt : limit.exceeded(page->items.size())) {
            return ClusterError{Failure::Unreadable, *why};
        }
        std::move(page->items.begin(), page->items.end(), std::back_inserter(all.items));
        std::move(page->left_out.begin(), page->left_out.end(), std::back_inserter(all.left_out));
        request.continue_token = std::move(page->continue_token);
    } while (!request.continue_token.empty());
    return all;
}

}  // namespace

Answer<Page> list_all(Cluster& cluster, const ListRequest& request, core::Duration most) {
    Answer<Page> all = all_pages(cluster, request, most);
    if (!all && all.error().what == Failure::Expired) {
        return all_pages(cluster, request, most);
    }
    return all;
}

}  // namespace ome::kubectl
