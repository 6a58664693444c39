#include "error_text.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>
#include <fmt/format.h>

#include <cctype>

namespace ome::net {
namespace {

constexpr std::size_t longest_quote = 64;

void append_printable(std::string& to, char c) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (plain) {
        to += c;
    } else {
        to += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
}

}  // namespace

std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, longest_quote)) {
        append_printable(result, c);
    }
    return text.size() > longest_quote ? result + "..." : result;
}

std::string quoted(std::string_view text) {
    return '"' + printable(text) + '"';
}

std::string words(const boost::system::error_code& error) {
    if (error == boost::asio::error::eof) {
        return "connection closed by peer";
    }
    std::string text = error.message();
    if (!text.empty()) {
        text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    }
    return text;
}

bool is_descriptor_shortage(const boost::system::error_code& error) {
    return error == boost::system::errc::too_many_files_open ||
           error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace ome::net
