#include "kube_failure.hpp"

#include "names.hpp"
#include "selector.hpp"
#include <ome/core/text.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace ome::kubectl {
namespace {

using Cause = kube::Failure::Kind;
using Verb = Asked::Verb;
using Word = Failure;

// A message without what was asked for: commands say that in their own words.
std::string own_words(const kube::Failure& failure, const Asked& asked) {
    std::string_view text = failure.message;
    const std::string begin = asked.request + ": ";
    if (text.starts_with(begin)) {
        text.remove_prefix(begin.size());
    }
    return std::string(text);
}

// An object that is not there is named; a type that is not there is not.
bool is_about_an_object(const wire::ApiStatus& status) {
    return status.reason == "NotFound" && !status.name.empty();
}

// How an API server says that a JSON Patch's test failed (contract/publisher-cli.md 2.3): the same
// code with a reason of its own is a refusal by admission.
bool is_failed_test(const wire::ApiStatus& status) {
    return status.reason == "Invalid" && status.name.empty() && status.causes.empty() &&
           status.message == "the server rejected our request due to an error in our request";
}

constexpr std::size_t longest_said = 512;

// A refusal names user, verb and resource. Whatever else may stand there, no secret is repeated.
ClusterError with_servers_words(Word word, const kube::Failure& failure) {
    std::string said = core::sanitize_detail(failure.status.message, longest_said);
    if (looks_like_credential(said)) {
        said.clear();
    }
    return {.what = word, .said = std::move(said)};
}

ClusterError refused(const kube::Failure& failure, const Asked& asked) {
    const unsigned code = failure.status.code;
    switch (code) {
        case 401:
            return {Word::Unauthorized};
        case 403:
            return with_servers_words(Word::Forbidden, failure);
        case 404:
            return {asked.verb != Verb::List && is_about_an_object(failure.status)
                        ? Word::NotFound
                        : Word::ApiMissing};
        case 405:
        case 406:
        case 415:
            return {Word::Unsupported};
        case 408:
        case 504:
            return {Word::Timeout};
        case 409:
            return {Word::Conflict};
        case 410:
            return {Word::Expired};
        case 422:
            return asked.verb == Verb::Patch && is_failed_test(failure.status)
                       ? ClusterError{Word::Conflict}
                       : with_servers_words(Word::Rejected, failure);
        case 429:
            return {Word::Unavailable, "the API server is overloaded"};
        default:
            break;
    }
    if (code == 400 && !asked.selector.empty() && !parse_selector(asked.selector)) {
        return {Word::Rejected,
                fmt::format("{} is no label selector", core::go_quote(asked.selector))};
    }
    return code < 500 ? with_servers_words(Word::Rejected, failure)
                      : ClusterError{Word::Unavailable, fmt::format("HTTP {}", code)};
}

}  // namespace

ClusterError error_of(const kube::Failure& failure, const Asked& asked) {
    switch (failure.kind) {
        case Cause::Refused:
            return failure.gone() ? ClusterError{Word::Expired} : refused(failure, asked);
        case Cause::Login:
            return {Word::Unauthorized, own_words(failure, asked)};
        case Cause::Unreadable:
            return {Word::Unreadable, own_words(failure, asked)};
        case Cause::Stopped:
            return {Word::Cancelled};
        case Cause::Unreachable:
        case Cause::Silent:
            break;
    }
    return {Word::Unavailable, own_words(failure, asked)};
}

}  // namespace ome::kubectl
