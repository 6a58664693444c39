// What command line tools ask a running observer for.
#pragma once

#include <ome/net/local_client.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace ome::observer {

/// The object at a path. Problem: the URL, the path, and what is wrong.
[[nodiscard]] core::Result<boost::json::value> get_json(const net::LocalUrl& url,
                                                        const std::string& target);

/// The readings of all services, page by page.
[[nodiscard]] core::Result<boost::json::array> list_services(const net::LocalUrl& url);

/// A piece of a path or query, percent-encoded.
[[nodiscard]] std::string escape_for_url(std::string_view text);

}  // namespace ome::observer
