#include "require.hpp"
#include "targets.hpp"
#include <ome/wire/kubeconfig_document.hpp>

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
    const std::string hidden(secret);
    const std::string text(input);
    for (const std::string& document :
         {"users: [{name: a, user: {token: " + hidden + ", password: " + hidden + text + "}}]",
          "users: [{name: a, user: {client-key-data: " + hidden + "}}]\n" + text,
          "{\"users\":[{\"name\":\"a\",\"user\":{\"token\":\"" + hidden + "\"" + text + "}}]}"}) {
        if (const auto read = wire::read_kubeconfig(document); !read) {
            require_no_secret(read.error().message);
        }
    }
    const std::string credential =
        "{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"" + hidden + "\"" + text + "}}";
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
