#include "response_head.hpp"

#include "error_text.hpp"
#include "http_date.hpp"

#include <boost/beast/core/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ome::net {
namespace {

using boost::beast::iequals;

constexpr std::string_view protocol = "HTTP/1.";

bool is_folding_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_folding_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_folding_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// A look into a table for each byte of each header's name: of a head's 2,900 instructions, 600.
constexpr std::array<bool, 256> token_chars = [] {
    std::array<bool, 256> allowed{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                         "abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        allowed[static_cast<unsigned char>(c)] = true;
    }
    return allowed;
}();

bool is_token_char(unsigned char c) {
    return token_chars[c];
}

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

template <typename Number>
std::optional<Number> digits(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) {
        return std::nullopt;
    }
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

/// The items of a comma-separated list, trimmed.
template <typename Visit>
void each_item(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        visit(trim(list.substr(0, comma)));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

/// What the headers say about framing and reuse, before the status and the version judge it.
struct Fields {
    std::optional<std::uint64_t> length;
    std::optional<std::string_view> transfer_encoding;
    bool close = false;
    bool keep_alive = false;
    std::optional<core::Problem> framing_problem;
};

core::Problem malformed(std::string_view what, std::string_view text) {
    return {fmt::format("malformed response: {} {}", what, quoted(trim(text)))};
}

/// Takes one line off the front, without its line end.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

/// Takes one header off the front: its line and those that continue it (obs-fold).
std::string_view take_field(std::string_view& text) {
    std::size_t end = text.find('\n');
    while (end + 1 < text.size() && (text[end + 1] == ' ' || text[end + 1] == '\t')) {
        end = text.find('\n', end + 1);
    }
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end + 1);
    return field;
}

std::optional<core::Problem> read_status_line(std::string_view line,
                                              ResponseHead& head,
                                              bool& http10) {
    if (!line.starts_with(protocol) || line.size() < 9 || !is_digit(line[7]) || line[8] != ' ') {
        return malformed("status line", line);
    }
    http10 = line[7] == '0';
    std::string_view rest = line.substr(8);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view code = rest.substr(0, rest.find(' '));
    const std::optional<std::int32_t> status = digits<std::int32_t>(code);
    if (code.size() != 3 || !status || *status < 100) {
        return malformed("status line", line);
    }
    head.status = *status;
    return std::nullopt;
}

void read_length(std::string_view value, Fields& fields) {
    const std::optional<std::uint64_t> length = digits<std::uint64_t>(value);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!length || *length > most) {
        fields.framing_problem = malformed("Content-Length", value);
    } else if (fields.length && *fields.length != *length) {
        fields.framing_problem = core::Problem{"malformed response: two different Content-Lengths"};
    } else {
        fields.length = length;
    }
}

void read_transfer_encoding(std::string_view value, Fields& fields) {
    if (fields.transfer_encoding) {
        fields.framing_problem = core::Problem{"malformed response: two Transfer-Encodings"};
    }
    fields.transfer_encoding = value;
}

void read_connection(std::string_view value, Fields& fields) {
    each_item(value, [&](std::string_view item) {
        fields.close = fields.close || iequals(item, "close");
        fields.keep_alive = fields.keep_alive || iequals(item, "keep-alive");
    });
}

void read_keep_alive(std::string_view value, ResponseHead& head) {
    constexpr std::string_view name = "timeout=";
    each_item(value, [&](std::string_view item) {
        if (item.size() > name.size() && iequals(item.substr(0, name.size()), name)) {
            if (const auto seconds = digits<std::uint32_t>(item.substr(name.size()))) {
                head.idle_timeout = std::chrono::seconds(*seconds);
            }
        }
    });
}

void read_content_encoding(std::string_view value, ResponseHead& head) {
    if (!value.empty() && !iequals(value, "identity")) {
        head.content_encoding = printable(value);
    }
}

void read_field(std::string_view name, std::string_view value, ResponseHead& head, Fields& fields) {
    if (iequals(name, "content-length")) {
        read_length(value, fields);
    } else if (iequals(name, "transfer-encoding")) {
        read_transfer_encoding(value, fields);
    } else if (iequals(name, "connection")) {
        read_connection(value, fields);
    } else if (iequals(name, "keep-alive")) {
        read_keep_alive(value, head);
    } else if (iequals(name, "content-encoding")) {
        read_content_encoding(value, head);
    } else if (iequals(name, "date")) {
        head.date = parse_http_date(value);
    }
}

std::optional<core::Problem> read_fields(std::string_view text,
                                         ResponseHead& head,
                                         Fields& fields) {
    while (!text.empty() && text.front() != '\r' && text.front() != '\n') {
        const std::string_view field = take_field(text);
        const std::size_t colon = field.find(':');
        const std::string_view name = field.substr(0, colon);
        if (colon == std::string_view::npos || !is_token(name) ||
            field.find('\0') != std::string_view::npos) {
            // Without the value, which may be another one each time.
            return malformed("header", field.substr(0, std::min(colon, field.size() - 1) + 1));
        }
        read_field(name, trim(field.substr(colon + 1)), head, fields);
    }
    return std::nullopt;
}

std::optional<core::Problem> choose_framing(const Fields& fields, bool http10, ResponseHead& head) {
    // HTTP/1.0 knows no transfer encoding; what follows such a header ends with the connection.
    const bool encoded = fields.transfer_encoding.has_value() && !http10;
    if (fields.framing_problem) {
        return fields.framing_problem;
    }
    if (encoded && !iequals(*fields.transfer_encoding, "chunked")) {
        return core::Problem{
            fmt::format("unsupported Transfer-Encoding {}", quoted(*fields.transfer_encoding))};
    }
    if (encoded && fields.length) {
        return core::Problem{
            "malformed response: both Content-Length and Transfer-Encoding are given"};
    }
    head.framing = encoded         ? Framing::Chunked
                   : fields.length ? Framing::Length
                                   : Framing::UntilClose;
    head.length = fields.length.value_or(0);
    return std::nullopt;
}

bool never_has_body(const ResponseHead& head, bool head_request) {
    return head_request || head.status < 200 || head.status == 204 || head.status == 304;
}

}  // namespace

bool may_be_response(std::string_view first_bytes) {
    const std::size_t known = std::min(first_bytes.size(), protocol.size());
    return first_bytes.substr(0, known) == protocol.substr(0, known);
}

std::optional<std::size_t> head_size(std::string_view text, std::size_t& searched) {
    for (;;) {
        const std::size_t line_end = text.find('\n', searched);
        if (line_end == std::string_view::npos) {
            searched = text.size();
            return std::nullopt;
        }
        const std::string_view next = text.substr(line_end + 1, 2);
        if (next.starts_with('\n')) {
            return line_end + 2;
        }
        if (next == "\r\n") {
            return line_end + 3;
        }
        if (next.empty() || next == "\r") {  // the line end that this one may be is not here yet
            searched = line_end;
            return std::nullopt;
        }
        searched = line_end + 1;
    }
}

core::Result<ResponseHead> parse_head(std::string_view text, bool head_request) {
    ResponseHead head;
    Fields fields;
    bool http10 = false;
    if (auto problem = read_status_line(take_line(text), head, http10)) {
        return *std::move(problem);
    }
    if (auto problem = read_fields(text, head, fields)) {
        return *std::move(problem);
    }
    if (!never_has_body(head, head_request)) {
        if (auto problem = choose_framing(fields, http10, head)) {
            return *std::move(problem);
        }
    }
    const bool strange = head.status == 101 || (http10 && fields.transfer_encoding);
    head.keep_alive = (http10 ? fields.keep_alive : true) && !fields.close && !strange &&
                      head.framing != Framing::UntilClose;
    return head;
}

}  // namespace ome::net
