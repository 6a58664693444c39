// Why a request to a Kubernetes API server did not do what it was for, as a value.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/core/time.hpp>
#include <ome/wire/api_answer.hpp>

#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::kube {

struct Failure {
    enum class Kind : std::uint8_t {
        Unreachable,  ///< no answer: whether a write has been carried out is not known
        Silent,       ///< a watch that was open said nothing for too long
        Unreadable,   ///< an answer that is none of an API server
        Login,        ///< we have nothing to introduce ourselves with
        Refused,      ///< the server said no; see `status`
        Stopped,      ///< we are asked to end
    };

    Kind kind = Kind::Unreachable;
    /// For people: what was asked for and what came of it. Holds no secret.
    std::string message = {};
    wire::ApiStatus status = {};  ///< of Refused; the code is always there
    /// How long the server wants to be left alone.
    std::optional<core::Duration> retry_after = {};

    [[nodiscard]] bool is(unsigned code) const {
        return kind == Kind::Refused && status.code == code;
    }
    [[nodiscard]] bool not_found() const { return is(404); }
    /// The object is not what the request said it is; or it is there already.
    [[nodiscard]] bool conflict() const { return is(409); }
    [[nodiscard]] bool already_exists() const {
        return conflict() && status.reason == "AlreadyExists";
    }
    /// What was asked for is too old to be told: list again.
    [[nodiscard]] bool gone() const { return is(410) || status.reason == "Expired"; }
    [[nodiscard]] bool forbidden() const { return is(403); }
    /// The object breaks a rule of its type: no second try will change that.
    [[nodiscard]] bool invalid() const { return is(422) || is(400); }
    [[nodiscard]] bool overloaded() const { return is(429); }
};

template <typename T>
using Outcome = boost::system::result<T, Failure>;

/// The texts of a `Warning` header: `299 - "text"`, several of them behind commas. What is not of
/// that form, and whatever comes after it, is left out.
[[nodiscard]] std::vector<std::string> parse_warnings(std::string_view header);

/// `value()` on a failure is a bug of ours and ends the process, as with core::Result.
[[noreturn]] void throw_exception_from_error(const Failure& failure,
                                             const boost::source_location& where);

/// `request`: what was asked for, for the message (`GET /api/v1/pods`).
[[nodiscard]] Failure refusal(const std::string& request,
                              unsigned http_status,
                              const std::string& body,
                              std::optional<core::Duration> retry_after);

/// The value of a `Retry-After` header; absent: not in seconds, as API servers say it.
[[nodiscard]] std::optional<core::Duration> parse_retry_after(const std::string& text);

}  // namespace ome::kube
