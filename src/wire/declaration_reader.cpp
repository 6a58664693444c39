#include "declaration_reader.hpp"

#include "home_reader.hpp"
#include "settings_reader.hpp"
#include <ome/core/policy_advice.hpp>
#include <ome/core/policy_resolution.hpp>
#include <ome/core/text.hpp>
#include <ome/wire/declaration_document.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ome::wire {
namespace {

using core::go_quote;

class Reading {
public:
    Reading(const json::object& object, const DeclarationRules& rules, DeclarationReading& out)
        : members_(object, "", out.notes), rules_(rules), out_(out) {}

    void run() {
        read_key();
        read_owner();
        out_.declaration.suspended = members_.flag("suspended").value_or(false);
        for (const char* ignored : {"capacity", "probe", "homes"}) {
            members_.ignore(ignored);
        }
        if (!out_.declaration.suspended) {  // a suspended service keeps its last ones
            read_policies();
            out_.declaration.homes = read_homes(members_);
        }
        members_.report_unknown();
    }

private:
    void error(std::string message, std::string field) {
        out_.notes.errors.push_back({std::move(message), std::move(field)});
    }

    std::string name_part(std::string_view field, const std::string& expected) {
        const std::size_t errors = out_.notes.errors.size();
        const std::optional<std::string> written = members_.text(field);
        if (!written) {
            if (rules_.naming == Naming::Body && out_.notes.errors.size() == errors) {
                error(fmt::format("{} is required", field), std::string(field));
            }
            return expected;
        }
        if (rules_.naming == Naming::Url && *written != expected) {
            error(
                fmt::format(
                    "{} {} must equal the URL's {}", field, go_quote(*written), go_quote(expected)),
                std::string(field));
        }
        return *written;
    }

    void read_key() {
        const bool defaults = rules_.naming == Naming::Defaults;
        const std::size_t errors = out_.notes.errors.size();
        core::ServiceKey key;
        key.ns = name_part("namespace", defaults ? "default" : rules_.expected.ns);
        key.name = name_part("name", defaults ? "default" : rules_.expected.name);
        out_.declaration.key = key;
        if (out_.notes.errors.size() != errors) {
            return;
        }
        if (std::optional<core::Problem> problem = invalid_key(key)) {
            out_.notes.errors.push_back(std::move(*problem));
        } else {
            out_.key = std::move(key);
        }
    }

    void read_owner() {
        const std::size_t errors = out_.notes.errors.size();
        const std::optional<std::string> owner = members_.text("ownerUID");
        const core::ServiceKey& key = out_.declaration.key;
        if (!owner && rules_.naming == Naming::Defaults) {
            out_.declaration.owner_uid = fmt::format("{}/{}", key.ns, key.name);
            return;
        }
        out_.declaration.owner_uid = owner.value_or("");
        if (out_.notes.errors.size() != errors) {
            return;
        }
        if (!owner) {
            error("ownerUID is required", "ownerUID");
        } else if (const char* fault = identifier_fault(*owner)) {
            error(fmt::format("ownerUID {} {}", go_quote(*owner), fault), "ownerUID");
        }
    }

    // The rules of a policy are looked at only when its members could be read.
    template <typename Policy, typename Settings, typename Check>
    void accept(const Settings& settings,
                std::size_t errors,
                Check check,
                std::optional<Policy>& out) {
        if (out_.notes.errors.size() != errors) {
            return;
        }
        core::Result<Policy> policy = check(settings, rules_.limits);
        if (policy) {
            out = std::move(*policy);
        } else {
            out_.notes.errors.push_back(policy.error());
        }
    }

    void add_advice(std::vector<core::Problem> advice) {
        std::vector<core::Problem>& warnings = out_.notes.warnings;
        std::move(advice.begin(), advice.end(), std::back_inserter(warnings));
    }

    void read_policies() {
        if (std::optional<Members> block = members_.members("probe")) {
            const std::size_t errors = out_.notes.errors.size();
            out_.probe = read_probe(std::move(*block), Disabling::No);
            accept(*out_.probe, errors, core::declared_probe, out_.declaration.probe);
            add_advice(core::advice(*out_.probe, "probe"));
        }
        if (std::optional<Members> block = members_.members("capacity")) {
            const std::size_t errors = out_.notes.errors.size();
            out_.capacity = read_capacity(std::move(*block), Disabling::No);
            accept(*out_.capacity, errors, core::declared_capacity, out_.declaration.capacity);
            add_advice(core::advice(*out_.capacity, "capacity"));
        }
    }

    Members members_;
    const DeclarationRules& rules_;
    DeclarationReading& out_;
};

}  // namespace

DeclarationReading read_declaration_value(const json::value& value, const DeclarationRules& rules) {
    DeclarationReading reading;
    if (const json::object* object = value.if_object()) {
        Reading(*object, rules, reading).run();
    } else {
        reading.notes.errors.push_back(
            {fmt::format("the declaration: {} must be an object", shown(value))});
    }
    return reading;
}

}  // namespace ome::wire
