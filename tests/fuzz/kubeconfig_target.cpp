#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/kubeconfig_document.hpp>

#include <fmt/format.h>

#include <string>

namespace ome::fuzz {
namespace {

void check_read(std::string_view text) {
    const auto read = wire::read_kubeconfig(text);
    if (!read) {
        return require_readable(read.error().message);
    }
    wire::Kubeconfig twice = *read;
    wire::merge(twice, *read);
    require(twice.clusters.size() == read->clusters.size() &&
                twice.users.size() == read->users.size() &&
                twice.contexts.size() == read->contexts.size() &&
                twice.current_context == read->current_context,
            "a file merged with itself is itself");
    wire::Kubeconfig merged;
    wire::merge(merged, *read);
    require(merged.current_context == read->current_context, "a merge into nothing is the file");
}

// A secret where one stands, and the fuzzer's text where structure may break around it.
void check_secret(std::string_view input) {
    if (input.find(secret) != std::string_view::npos) {
        return;
    }
    for (const std::string& document :
         {fmt::format(
              "users: [{{name: a, user: {{token: {0}, password: {0}{1}}}}}]", secret, input),
          fmt::format("users: [{{name: a, user: {{client-key-data: {}}}}}]\n{}", secret, input),
          fmt::format(
              R"({{"users":[{{"name":"a","user":{{"token":"{}"{}}}}}]}})", secret, input)}) {
        if (const auto read = wire::read_kubeconfig(document); !read) {
            require_no_secret(read.error().message);
        }
    }
    const std::string credential =
        fmt::format(R"({{"kind":"ExecCredential","status":{{"token":"{}"{}}}}})", secret, input);
    if (const auto read = wire::read_exec_credential(credential); !read) {
        require_no_secret(read.error().message);
    }
}

}  // namespace

void check_kubeconfig(std::string_view input) {
    check_read(input);
    if (const auto credential = wire::read_exec_credential(input); !credential) {
        require_readable(credential.error().message);
    }
    check_secret(input.substr(0, 200));
}

}  // namespace ome::fuzz
