#include <ome/core/help_layout.hpp>
#include <ome/net/help_layout.hpp>

#include <CLI/CLI.hpp>

namespace ome::net {

void lay_out_help(CLI::App& app) {
    app.formatter_fn([](const CLI::App* of, std::string name, CLI::AppFormatMode mode) {
        return core::lay_out_help(CLI::Formatter().make_help(of, std::move(name), mode),
                                  of->get_footer());
    });
}

}  // namespace ome::net
