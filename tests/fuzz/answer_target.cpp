#include "limits.hpp"
#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/declaration_document.hpp>
#include <ome/wire/declaration_text.hpp>
#include <ome/wire/observer_answer.hpp>

#include <tuple>
#include <variant>

namespace ome::fuzz {
namespace {

void check_service(const core::ServiceReading& service) {
    for (const core::HomeReading& home : service.homes) {
        if (home.capacity) {
            require(home.capacity->ceiling.has_value() == home.capacity->fallback_reason.empty(),
                    "there is a ceiling or a reason");
            require(home.capacity->ceiling.value_or(0) >= 0, "a ceiling is not negative");
        }
        if (home.probe) {
            require(home.probe->consecutive_failures >= 0 && home.probe->consecutive_passes >= 0,
                    "counts are not negative");
        }
    }
}

template <typename Answer>
void check_problem(const core::Result<Answer>& answer) {
    if (!answer) {
        require_readable(answer.error().message);
    }
}

// What the observer takes, it takes again as we write it.
void check_declaration_text(std::string_view input) {
    const wire::DeclarationDocument read = wire::read_declaration_line(input, limits());
    if (!read.declaration) {
        return;
    }
    std::string text;
    wire::append_declaration(text, *read.declaration);
    require(text.find('\n') == std::string::npos, "a declaration is one line");
    const wire::DeclarationDocument again = wire::read_declaration_line(text, limits());
    require(again.declaration.has_value(), "a written declaration is accepted");
    std::string twice;
    wire::append_declaration(twice, *again.declaration);
    require(text == twice, "a declaration reads back the same");
}

}  // namespace

void check_answer(std::string_view input) {
    const auto service = wire::read_service_answer(input);
    check_problem(service);
    if (service) {
        check_service(service->service);
    }
    const auto services = wire::read_services_answer(input);
    check_problem(services);
    if (services) {
        for (const wire::ServiceAnswer& one : services->services) {
            check_service(one.service);
        }
    }
    check_problem(wire::read_bulk_answer(input));
    const auto line = wire::read_watch_line(input);
    check_problem(line);
    if (line) {
        if (const auto* reading = std::get_if<wire::watch::Reading>(&*line)) {
            check_service(reading->answer.service);
        }
    }
    std::ignore = wire::read_error_answer(input);
    check_declaration_text(input);
}

}  // namespace ome::fuzz
