// The help of a program in lines that fit a screen.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace ome::net {

/// Before commands are added: they take the layout of what they belong to.
void lay_out_help(CLI::App& app);

}  // namespace ome::net
