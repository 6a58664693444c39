// `ome-observer bundle`
#include "bundle.hpp"
#include "client_options.hpp"
#include "commands.hpp"
#include <ome/core/timestamp.hpp>
#include <ome/net/clock.hpp>
#include <ome/net/named_file.hpp>
#include <ome/net/standard_output.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <tuple>

namespace ome::observer {
namespace {

constexpr int failure = 1;
constexpr int wrong_usage = 2;

struct BundleOptions {
    ClientOptions client;
    std::string output;
};

int fail(int code, const std::string& message) {
    std::ignore = std::fputs(fmt::format("ome-observer: {}\n", message).c_str(), stderr);
    return code;
}

/// `ome-observer-20260928T100000Z`: in the name of the file, and the folder in it.
std::string name_of(core::WallTime now) {
    std::string stamp = core::format_timestamp({now.seconds, 0});
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    return "ome-observer-" + stamp.substr(0, stamp.find('.')) + "Z";
}

core::Result<std::string> packed(Bundle bundle, const std::string& folder, core::WallTime now) {
    for (ArchivedFile& file : bundle.files) {
        file.name = folder + "/" + file.name;
    }
    return compress(make_tar(bundle.files, now.seconds));
}

/// `-` is standard output, as elsewhere.
int print_archive(const std::string& archive) {
    const net::Printed printed = net::print(archive);
    if (printed == net::Printed::Whole) {
        std::ignore = fail(0, fmt::format("{} bytes to standard output", archive.size()));
    }
    return net::exit_code_of(printed);
}

int run_bundle(const BundleOptions& options) {
    const bool to_standard_output = options.output == "-";
    if (to_standard_output && isatty(STDOUT_FILENO) == 1) {
        return fail(wrong_usage,
                    "--output \"-\" must lead to a file or a pipe, and standard output is a "
                    "terminal: the archive is binary");
    }
    const auto url = reach(options.client);
    if (!url) {
        return fail(wrong_usage, url.error().message);
    }
    const core::WallTime now = net::read_clock().wall;
    auto bundle = collect_bundle(*url, core::format_timestamp(now));
    if (!bundle) {
        return fail(failure, bundle.error().message);
    }
    for (const std::string& line : bundle->missing) {
        std::ignore = fail(0, "left out: " + line);
    }
    const std::string name = name_of(now);
    const auto archive = packed(std::move(*bundle), name, now);
    if (!archive) {
        return fail(failure, archive.error().message);
    }
    if (to_standard_output) {
        return print_archive(*archive);
    }
    const std::string path = options.output.empty() ? name + ".tar.gz" : options.output;
    if (const auto problem = net::create_named_file(path, *archive)) {
        return fail(
            failure,
            fmt::format(
                "--output \"{}\" must be a new file that can be written: {}", path, *problem));
    }
    return net::exit_code_of(net::print(fmt::format("{} ({} bytes)\n", path, archive->size())));
}

}  // namespace

void add_bundle_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("bundle", "Collect what a bug report needs from a running observer");
    const auto options = std::make_shared<BundleOptions>();
    add_client_options(*command, options->client);
    command->add_option("--output,-o",
                        options->output,
                        "The archive, a file that is not there yet, or - for standard output "
                        "[ome-observer-TIME.tar.gz]");
    command->footer(
        "One .tar.gz with versions, settings and where they come from, status, metrics, readings, "
        "and\n"
        "the last attempts where the observer keeps them. User names, passwords, tokens and values "
        "of\n"
        "queries are replaced by ***; names of services, clusters and hosts are not. Read it "
        "before\n"
        "you send it.\n"
        "\n"
        "Exit codes: 0 ok, 1 the observer cannot be reached or the archive not written, 2 wrong "
        "usage.");
    command->callback([options, &run] { run = [options] { return run_bundle(*options); }; });
}

}  // namespace ome::observer
