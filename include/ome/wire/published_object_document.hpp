// The publisher's objects as an API server stores them (contract/publisher-cli.md 1.4). An object
// is read for what routing/ needs of it, and written over what is there: what others put on it
// stays.
#pragma once

#include <ome/core/problem.hpp>
#include <ome/routing/home_addresses.hpp>
#include <ome/routing/published_object.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ome::wire {

/// `apiVersion` as we write it. Read is any version of the group.
[[nodiscard]] std::string_view api_version_of(routing::ObjectKind kind);

/// Absent: of another kind.
[[nodiscard]] std::optional<routing::ObjectKind> object_kind_of(const boost::json::value& document);

/// What an API server fills in by itself (groups, protocols, weights, conditions of endpoints)
/// counts as not there. Problem: no name, or a member of another type.
[[nodiscard]] core::Result<routing::PublishedObject> read_published_object(
    const boost::json::value& document);
/// The same of an object whose kind is known: items of an API server's lists do not always say it.
[[nodiscard]] core::Result<routing::PublishedObject> read_published_object(
    routing::ObjectKind kind, const boost::json::value& document);

/// The document that is to be stored: `stored` (null: there is none) with our labels and our spec.
/// Other labels, annotations, finalizers and the status stay, and so does what an API server
/// assigned to a Service.
[[nodiscard]] boost::json::object written_object(const routing::PublishedObject& object,
                                                 const boost::json::object* stored);

/// The objects of a text, whatever they are: YAML documents, one JSON object, the items of lists.
[[nodiscard]] core::Result<std::vector<boost::json::value>> read_documents(std::string_view text);

/// For resolve_addresses().
[[nodiscard]] core::Result<routing::ServingRoute> read_serving_route(
    const boost::json::value& document);
[[nodiscard]] core::Result<std::vector<routing::GatewayAddress>> read_gateway_addresses(
    const boost::json::value& document);

/// A JSON value as a YAML document in block style, members in their order; with a line end. Numbers
/// other than integers become texts.
void append_yaml(std::string& out, const boost::json::value& value);

}  // namespace ome::wire
