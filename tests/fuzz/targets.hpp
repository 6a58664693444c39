// What is fuzzed: functions that take any bytes and check properties of what our code makes of
// them. The same functions run under libFuzzer (tools/fuzz) and over the kept corpora in the
// ordinary suite.
#pragma once

#include <array>
#include <string_view>

namespace ome::fuzz {

void check_address(std::string_view input);
void check_answer(std::string_view input);
void check_api_server(std::string_view input);
void check_config(std::string_view input);
void check_declaration(std::string_view input);
void check_dns(std::string_view input);
void check_drain(std::string_view input);
void check_duration(std::string_view input);
void check_endpoint(std::string_view input);
void check_history(std::string_view input);
void check_kubeconfig(std::string_view input);
void check_manifest(std::string_view input);
void check_object(std::string_view input);
void check_quantity(std::string_view input);
void check_replay(std::string_view input);
void check_report(std::string_view input);
void check_request(std::string_view input);
void check_response(std::string_view input);
void check_timestamp(std::string_view input);

struct Target {
    std::string_view name;  ///< also of its folder in corpus/
    void (*check)(std::string_view);
};

inline constexpr std::array<Target, 19> targets{{
    {"address", check_address},
    {"answer", check_answer},
    {"api_server", check_api_server},
    {"config", check_config},
    {"declaration", check_declaration},
    {"dns", check_dns},
    {"drain", check_drain},
    {"duration", check_duration},
    {"endpoint", check_endpoint},
    {"history", check_history},
    {"kubeconfig", check_kubeconfig},
    {"manifest", check_manifest},
    {"object", check_object},
    {"quantity", check_quantity},
    {"replay", check_replay},
    {"report", check_report},
    {"request", check_request},
    {"response", check_response},
    {"timestamp", check_timestamp},
}};

}  // namespace ome::fuzz
