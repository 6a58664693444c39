// What is fuzzed: functions that take any bytes and check properties of what our code makes of
// them. The same functions run under libFuzzer (tools/fuzz) and over the kept corpora in the
// ordinary suite.
#pragma once

#include <array>
#include <string_view>

namespace ome::fuzz {

void check_answer(std::string_view input);
void check_config(std::string_view input);
void check_declaration(std::string_view input);
void check_duration(std::string_view input);
void check_endpoint(std::string_view input);
void check_manifest(std::string_view input);
void check_report(std::string_view input);
void check_request(std::string_view input);
void check_response(std::string_view input);

struct Target {
    std::string_view name;  ///< also of its folder in corpus/
    void (*check)(std::string_view);
};

inline constexpr std::array<Target, 9> targets{{
    {"answer", check_answer},
    {"config", check_config},
    {"declaration", check_declaration},
    {"duration", check_duration},
    {"endpoint", check_endpoint},
    {"manifest", check_manifest},
    {"report", check_report},
    {"request", check_request},
    {"response", check_response},
}};

}  // namespace ome::fuzz
