// One request's bytes -> head and body pieces, without a socket. Beast's parser is behind it and in
// no other file of the server, since it is what costs build time.
#pragma once

#include <ome/net/http_server.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ome::net {

/// Why a request ends here: the status of the answer, and the rule for people.
struct RequestFault {
    unsigned status = 400;
    std::string message;
};

struct RequestHead {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  ///< as ServerRequest::headers
    unsigned hosts = 0;                          ///< how many Host fields there were
    bool http10 = false;
    bool keep_alive = false;
};

class RequestParser {
public:
    RequestParser(std::size_t max_head_bytes, std::uint64_t max_body_bytes);
    ~RequestParser();
    RequestParser(const RequestParser&) = delete;
    RequestParser& operator=(const RequestParser&) = delete;

    /// How many bytes were used up. The rest must be given again, with more behind it. Nothing of
    /// the body is used up by the call that completes the head, nor anything behind the end.
    std::size_t feed(std::string_view bytes);

    [[nodiscard]] bool head_complete() const;
    [[nodiscard]] bool done() const;
    [[nodiscard]] const std::optional<RequestFault>& fault() const;

    [[nodiscard]] RequestHead& head();
    /// The body bytes since the last call, decoded.
    [[nodiscard]] std::string take_body();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ome::net
