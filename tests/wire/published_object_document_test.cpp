#include "support/publication_bench.hpp"
#include <ome/routing/desired_objects.hpp>
#include <ome/wire/published_object_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

namespace json = boost::json;
using routing::ObjectKind;

routing::DesiredObjects desired() {
    test::PublicationBench bench;
    bench.settings.rewrite_hostname = true;
    bench.settings.backend_tls = true;
    bench.settings.authorities = "System";
    bench.settings.endpoint_slices = true;
    const auto plan = routing::plan_publication(bench.map, bench.service, bench.settings);
    return routing::desired_objects(
        *plan,
        bench.settings,
        {{"worker-a", std::vector<std::string>{"203.0.113.10", "2001:db8::1"}},
         {"worker-b", std::vector<std::string>{"203.0.113.11"}}});
}

std::vector<routing::PublishedObject> all_objects() {
    routing::DesiredObjects made = desired();
    std::vector<routing::PublishedObject> all{made.route};
    all.insert(all.end(), made.services.begin(), made.services.end());
    all.insert(all.end(), made.backends.begin(), made.backends.end());
    return all;
}

TEST(PublishedObjectDocument, ReadsBackWhatItWrote) {
    for (const auto& object : all_objects()) {
        const json::value document = written_object(object, nullptr);
        SCOPED_TRACE(json::serialize(document));
        const auto read = read_published_object(document);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(routing::satisfies(*read, object));
        EXPECT_EQ(*read, object);
        json::object item = document.get_object();
        item.erase("kind");
        item.erase("apiVersion");
        EXPECT_EQ(read_published_object(object.kind(), item).value(), object);
        EXPECT_FALSE(read_published_object(item));
    }
}

TEST(PublishedObjectDocument, IsTheYamlOfTheContract) {
    std::string text;
    append_yaml(text, written_object(desired().route, nullptr));
    EXPECT_EQ(text, R"(apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: chat-global
  namespace: prod
  labels:
    ome.io/managed-by: placement-endpoint
    ome.io/placement-endpoint-isvc: chat
    ome.io/placement-endpoint-isvc-namespace: prod
spec:
  parentRefs:
  - group: gateway.networking.k8s.io
    kind: Gateway
    namespace: gateway-system
    name: global
  hostnames:
  - chat.prod.global.example.com
  rules:
  - matches:
    - path:
        type: PathPrefix
        value: /
    backendRefs:
    - kind: Service
      name: tmb-b70ae8415bbe92d52fe7db87e85f63cf0fd52863ced1dd233b54
      namespace: prod
      port: 80
      weight: 2
      filters:
      - type: URLRewrite
        urlRewrite:
          hostname: chat.prod.worker-a.example.com
    - kind: Service
      name: tmb-0714e9e157e0ab3913d9b9ee22de692f45ccb18cf7f370c8d64c
      namespace: prod
      port: 80
      weight: 1
      filters:
      - type: URLRewrite
        urlRewrite:
          hostname: chat.prod.worker-b.example.com
)");
}

// As an API server stores it: what was left out is filled in.
TEST(PublishedObjectDocument, TakesDefaultsForNothingForeign) {
    for (const auto& object : all_objects()) {
        json::object document = written_object(object, nullptr);
        if (object.kind() == ObjectKind::HttpRoute) {
            for (json::value& ref :
                 document.at("spec").at("rules").at(0).at("backendRefs").as_array()) {
                ref.as_object()["group"] = "";
            }
        } else if (object.kind() == ObjectKind::Service) {
            json::object& spec = document.at("spec").as_object();
            spec["sessionAffinity"] = "None";
            json::object& port = spec.at("ports").at(0).as_object();
            port["protocol"] = "TCP";
            port["targetPort"] = port.at("port");
        } else if (object.kind() == ObjectKind::EndpointSlice) {
            document.at("ports").at(0).as_object()["name"] = "";
        }
        const auto read = read_published_object(document);
        ASSERT_TRUE(read);
        EXPECT_TRUE(routing::satisfies(*read, object)) << json::serialize(document);
    }
}

TEST(PublishedObjectDocument, KnowsForeignParts) {
    const routing::PublishedObject route = desired().route;
    json::object document = written_object(route, nullptr);
    document.at("spec").at("rules").at(0).as_object()["timeouts"] = {{"request", "10s"}};
    EXPECT_FALSE(routing::satisfies(*read_published_object(document), route));
    document = written_object(route, nullptr);
    document.at("spec").at("rules").as_array().push_back(json::object());
    EXPECT_FALSE(routing::satisfies(*read_published_object(document), route));
    document = written_object(route, nullptr);
    document.at("metadata").as_object()["annotations"] = {{"x", "y"}};
    EXPECT_TRUE(routing::satisfies(*read_published_object(document), route));
}

TEST(PublishedObjectDocument, LeavesWhatOthersPutOn) {
    const routing::PublishedObject route = desired().route;
    const json::object stored = json::parse(R"({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"name": "chat-global", "namespace": "prod", "uid": "u", "resourceVersion": "7",
                     "annotations": {"a": "b"}, "finalizers": ["f"], "labels": {"mine": "yes"}},
        "spec": {"hostnames": ["old"]}, "status": {"parents": []}})")
                                    .as_object();
    const json::object written = written_object(route, &stored);
    EXPECT_EQ(written.at("metadata").at("annotations"), json::value({{"a", "b"}}));
    EXPECT_EQ(written.at("metadata").at("finalizers").at(0), json::value("f"));
    EXPECT_EQ(written.at("metadata").at("labels").at("mine"), json::value("yes"));
    EXPECT_EQ(written.at("metadata").at("resourceVersion"), json::value("7"));
    EXPECT_EQ(written.at("spec").at("hostnames").at(0),
              json::value("chat.prod.global.example.com"));
    EXPECT_TRUE(written.contains("status"));
}

TEST(PublishedObjectDocument, KeepsTheAddressesOfAHeadlessService) {
    routing::PublishedObject service = desired().services.front();
    service.spec = routing::ServiceSpec{"", 80};
    json::object stored = written_object(service, nullptr);
    EXPECT_EQ(stored.at("spec").at("clusterIP"), json::value("None"));
    stored.at("spec").as_object()["clusterIPs"] = json::array{"None"};
    stored.at("spec").as_object()["ipFamilies"] = json::array{"IPv4"};
    EXPECT_TRUE(routing::satisfies(*read_published_object(stored), service));
    EXPECT_TRUE(written_object(service, &stored).at("spec").as_object().contains("ipFamilies"));
    service.spec = routing::ServiceSpec{"a.example.com", 80};
    EXPECT_FALSE(written_object(service, &stored).at("spec").as_object().contains("clusterIP"));
}

TEST(PublishedObjectDocument, HearsWhatAGatewaySays) {
    const auto route = read_published_object(json::parse(R"({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"name": "r", "namespace": "n"}, "spec": {"parentRefs": [{"name": "g"}]},
        "status": {"parents": [{"controllerName": "example.com/gw", "parentRef": {"name": "g"},
          "conditions": [{"type": "Accepted", "status": "True", "reason": "Accepted", "message": ""},
                         {"type": "ResolvedRefs", "status": "False", "reason": "BackendNotFound",
                          "message": "no such Service"}]}]}})"));
    ASSERT_TRUE(route) << route.error().message;
    EXPECT_EQ(routing::gateway_objection(*route),
              "Gateway g: ResolvedRefs is False, BackendNotFound: no such Service (by "
              "example.com/gw)");
}

TEST(PublishedObjectDocument, LeavesOtherKindsAlone) {
    EXPECT_EQ(object_kind_of(json::parse(R"({"apiVersion":"apps/v1","kind":"Service"})")),
              std::nullopt);
    EXPECT_EQ(object_kind_of(json::parse(R"({"apiVersion":"v1","kind":"Pod"})")), std::nullopt);
    EXPECT_EQ(object_kind_of(json::parse(
                  R"({"apiVersion":"gateway.networking.k8s.io/v1beta1","kind":"HTTPRoute"})")),
              ObjectKind::HttpRoute);
    EXPECT_FALSE(read_published_object(json::parse(
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"ports":3}})")));
}

}  // namespace
}  // namespace ome::wire
