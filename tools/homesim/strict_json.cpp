#include "strict_json.hpp"

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ome::homesim {
namespace {

namespace json = boost::json;

constexpr std::size_t most_shown = 60;

/// Hears of each part of a text in turn, and keeps the first member that is there again.
class Listener {
public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;

    // Names and signs are those of boost::json::basic_parser.
    static bool on_document_begin(json::error_code&) { return true; }
    static bool on_document_end(json::error_code&) { return true; }
    bool on_object_begin(json::error_code&) { return open(false); }
    bool on_object_end(std::size_t, json::error_code&) { return leave(); }
    bool on_array_begin(json::error_code&) { return open(true); }
    bool on_array_end(std::size_t, json::error_code&) { return leave(); }
    bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
        text_ += std::string_view(part.data(), part.size());
        return true;
    }
    bool on_key(json::string_view part, std::size_t n, json::error_code& ec) {
        on_key_part(part, n, ec);
        places_.back().member = std::exchange(text_, {});
        return true;
    }
    bool on_string_part(json::string_view part, std::size_t n, json::error_code& ec) {
        return on_key_part(part, n, ec);
    }
    bool on_string(json::string_view part, std::size_t n, json::error_code& ec) {
        on_key_part(part, n, ec);
        return hear(json::serialize(json::value(json::string(std::exchange(text_, {})))));
    }
    bool on_number_part(json::string_view part, json::error_code& ec) {
        return on_key_part(part, 0, ec);
    }
    bool on_int64(std::int64_t, json::string_view part, json::error_code&) { return number(part); }
    bool on_uint64(std::uint64_t, json::string_view part, json::error_code&) {
        return number(part);
    }
    bool on_double(double, json::string_view part, json::error_code&) { return number(part); }
    bool on_bool(bool value, json::error_code&) { return hear(value ? "true" : "false"); }
    bool on_null(json::error_code&) { return hear("null"); }
    static bool on_comment_part(json::string_view, json::error_code&) { return true; }
    static bool on_comment(json::string_view, json::error_code&) { return true; }

    [[nodiscard]] const std::optional<core::Problem>& problem() const { return problem_; }

private:
    /// An object or a list that is being heard.
    struct Place {
        bool list = false;
        std::size_t index = 0;                      ///< of the value to come, in a list
        std::string member;                         ///< of the value to come
        std::map<std::string, std::string> values;  ///< by member, as far as heard
    };

    bool number(json::string_view last) {
        text_ += std::string_view(last.data(), last.size());
        return hear(std::exchange(text_, {}));
    }

    bool open(bool list) {
        hear(list ? "[...]" : "{...}");
        places_.push_back({list, 0, {}, {}});
        return true;
    }

    bool leave() {
        places_.pop_back();
        step();
        return true;
    }

    void step() {
        if (!places_.empty() && places_.back().list) {
            ++places_.back().index;
        }
    }

    bool hear(std::string value) {
        const bool scalar = value != "[...]" && value != "{...}";
        if (!places_.empty() && !places_.back().list) {
            auto& values = places_.back().values;
            value.resize(std::min(value.size(), most_shown));
            const auto [first, fresh] = values.emplace(places_.back().member, value);
            if (!fresh && !problem_) {
                problem_ = core::Problem{
                    fmt::format("{} is there twice ({} and {}); a member stands once in an object",
                                path(),
                                first->second,
                                value),
                    path()};
            }
        }
        if (scalar) {
            step();
        }
        return true;
    }

    [[nodiscard]] std::string path() const {
        std::string path;
        for (const Place& place : places_) {
            path += place.list ? fmt::format("[{}]", place.index)
                               : (path.empty() ? "" : ".") + place.member;
        }
        return path;
    }

    std::string text_;  ///< of a name or value that comes in parts
    std::vector<Place> places_;
    std::optional<core::Problem> problem_;
};

}  // namespace

StrictJson parse_strictly(std::string_view text) {
    json::error_code ec;
    json::value value = json::parse(json::string_view(text.data(), text.size()), ec);
    if (ec) {
        return {false, core::Problem{"not JSON: " + ec.message()}};
    }
    json::basic_parser<Listener> parser{json::parse_options()};
    parser.write_some(false, text.data(), text.size(), ec);
    if (parser.handler().problem()) {
        return {true, *parser.handler().problem()};
    }
    return {true, std::move(value)};
}

}  // namespace ome::homesim
