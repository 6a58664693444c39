#include <ome/kube/resource.hpp>

#include <fmt/format.h>

namespace ome::kube {
namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string Resource::api_version() const {
    return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

std::string url_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (is_plain(c)) {
            escaped += c;
        } else {
            escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return escaped;
}

std::string collection_path(const Resource& resource, std::string_view ns) {
    return fmt::format("{}/{}{}{}/{}",
                       resource.group.empty() ? "/api" : "/apis",
                       resource.api_version(),
                       ns.empty() ? "" : "/namespaces/",
                       url_escaped(ns),
                       resource.plural);
}

std::string object_path(const Resource& resource,
                        std::string_view ns,
                        std::string_view name,
                        std::string_view subresource) {
    return fmt::format("{}/{}{}{}",
                       collection_path(resource, ns),
                       url_escaped(name),
                       subresource.empty() ? "" : "/",
                       subresource);
}

}  // namespace ome::kube
