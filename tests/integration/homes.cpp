#include "integration/homes.hpp"

#include "support/http_call.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstdlib>

namespace ome::test {
namespace {

namespace json = boost::json;

std::vector<std::string> command(std::vector<std::string> arguments) {
    const char* program = std::getenv("OME_HOMESIM");
    arguments.insert(arguments.begin(), program == nullptr ? "OME_HOMESIM is not set" : program);
    return arguments;
}

/// The ports of all URLs in a word of the ready line.
std::vector<std::uint16_t> ports_in(const std::string& line, const std::string& label) {
    std::vector<std::uint16_t> ports;
    std::size_t at = line.find(label);
    const std::size_t end = line.find(' ', at);
    while (at != std::string::npos && (at = line.find("://", at)) < end) {
        at = line.find(':', at + 3);
        ports.push_back(
            static_cast<std::uint16_t>(std::strtoul(line.c_str() + at + 1, nullptr, 10)));
    }
    return ports;
}

}  // namespace

Homes::Homes(std::vector<std::string> arguments) : process_(command(std::move(arguments))) {
    const auto line = process_.wait_for_line("ready homes=");
    if (line) {
        read_ready_line(*line);
    } else {
        ADD_FAILURE() << "ome-homesim does not start: " << process_.output();
    }
}

void Homes::read_ready_line(const std::string& line) {
    ports_ = ports_in(line, "homes=");
    control_port_ = ports_in(line, "control=").at(0);
}

std::string Homes::endpoint(std::string_view name) const {
    return "http://127.0.0.1:" + std::to_string(ports_.at(0)) + "/h/" + std::string(name);
}

void Homes::set(const std::string& homes, std::string_view behaviour) const {
    const HttpReply reply = http_call(control_port_, "POST", "/homes/" + homes, behaviour);
    EXPECT_EQ(reply.status, 200) << reply.body;
}

void Homes::reset() const {
    EXPECT_EQ(http_call(control_port_, "POST", "/reset").status, 200);
}

json::value Homes::stats() const {
    return json::parse(http_call(control_port_, "GET", "/stats").body);
}

json::value Homes::home(const std::string& name) const {
    return json::parse(http_call(control_port_, "GET", "/homes/" + name).body);
}

std::int64_t Homes::count(std::string_view pointer) const {
    return stats()
        .at_pointer(json::string_view(pointer.data(), pointer.size()))
        .to_number<std::int64_t>();
}

}  // namespace ome::test
