// `ome-trafficmap diff`
#include "commands.hpp"
#include "dry_run_page.hpp"
#include <ome/net/local_client.hpp>
#include <ome/net/standard_output.hpp>
#include <ome/wire/json_document.hpp>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace ome::controller {
namespace {

constexpr int usage_error = 2;

constexpr const char* footer =
    "Asks a controller that runs with --dry-run how the maps that are there compare with those it\n"
    "would write. A LIVE or WANTED of - is a field that is not there.\n"
    "\n"
    "Examples:\n"
    "  ome-trafficmap diff                        what differs\n"
    "  ome-trafficmap diff --all -o json          every map, for a program\n"
    "  until ome-trafficmap diff; do sleep 10; done\n"
    "\n"
    "Exit codes: 0 all equal, 1 something differs or the controller cannot be asked, 2 wrong "
    "usage.";

struct DiffOptions {
    std::string url = "http://127.0.0.1:7470";
    std::string output = "table";
    bool all = false;
};

int fail(const std::string& message, int code = 1) {
    std::fputs(fmt::format("ome-trafficmap diff: {}\n", message).c_str(), stderr);
    return code;
}

// The message of an error document; of anything else only that it is none.
std::string refusal(const net::LocalReply& reply) {
    boost::system::error_code bad;
    const boost::json::value document = boost::json::parse(reply.body, bad);
    const boost::json::value* message =
        bad ? nullptr : document.find_pointer("/error/message", bad);
    return message != nullptr && message->is_string()
               ? std::string(message->as_string())
               : fmt::format("the controller answered HTTP {}", reply.status);
}

int run_diff(const DiffOptions& options) {
    const auto url = net::parse_local_url(options.url);
    if (!url) {
        return fail(fmt::format("--{}", url.error().message), usage_error);  // `url "7470" must`
    }
    const auto reply = net::get_locally(*url, "/v1/diff");
    if (!reply) {
        return fail(reply.error().message);
    }
    if (reply->status != 200) {
        return fail(refusal(*reply));
    }
    boost::system::error_code bad;
    const boost::json::value document = boost::json::parse(reply->body, bad);
    const auto report = diff_report(document, options.all);
    if (!report) {
        return fail(fmt::format("{}: {}", options.url, report.error().message));
    }
    const std::string text =
        options.output == "json" ? wire::to_text(document.as_object()) + "\n" : report->text;
    return net::exit_code_of(net::print(text), report->equal ? 0 : 1);
}

}  // namespace

void add_diff_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("diff", "Compare live maps with those a dry run would write");
    const auto options = std::make_shared<DiffOptions>();
    command->add_option("--url", options->url, "The controller's address")->capture_default_str();
    command->add_option("--output,-o", options->output, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_flag("--all", options->all, "Also the maps that are equal");
    command->footer(footer);
    command->callback([options, &run] { run = [options] { return run_diff(*options); }; });
}

}  // namespace ome::controller
