#include "kube_mirror.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::controller {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Type = wire::WatchEventType;

json::value service(const std::string& name, const char* version = "1") {
    return json::parse(fmt::format(
        R"({{"kind":"InferenceService","metadata":{{"namespace":"demo","name":"{}","uid":"u",
        "resourceVersion":"{}"}},"spec":{{"placement":{{"mode":"All"}}}}}})",
        name,
        version));
}

json::value map(const std::string& name, const char* version) {
    return json::parse(fmt::format(
        R"({{"kind":"TrafficMap","metadata":{{"namespace":"demo","name":"{}","uid":"u",
        "resourceVersion":"{}"}},"spec":{{"service":"{}"}}}})",
        name,
        version,
        name));
}

// As an item of a list has it: without a kind.
json::value backend(const std::string& name, const char* version = "1") {
    return json::parse(fmt::format(
        R"({{"metadata":{{"namespace":"demo","name":"{}","uid":"u","resourceVersion":"{}"}},
        "spec":{{"type":"ExternalName","externalName":"a.example.com","ports":[{{"port":80}}]}}}})",
        name,
        version));
}

// What was told, in short.
struct Show {
    std::string operator()(const news::ServiceIs& is) const { return "is " + is.service->key.name; }
    std::string operator()(const news::ServiceGone& gone) const { return "gone " + gone.key.name; }
    std::string operator()(const news::MapIs& is) const {
        return "map " + is.map->meta.key.name + " " + is.map->meta.resource_version;
    }
    std::string operator()(const news::MapGone& gone) const { return "no map " + gone.key.name; }
    std::string operator()(const news::MapUnreadable& map) const {
        return "unreadable " + map.key.name;
    }
    std::string operator()(const news::Unusable& bad) const {
        return "unusable " + bad.place + " " + bad.service_uid;
    }
    std::string operator()(const news::Doubtful& doubt) const {
        return "doubt " + doubt.place + " " + doubt.service_uid + ": " + doubt.problem.field;
    }
    std::string operator()(const news::UsableAgain& good) const { return "usable " + good.file; }
    std::string operator()(const news::Listed&) const { return "listed"; }
    std::string operator()(const news::ObjectIs& is) const {
        return "object " + is.object->meta.key.name + " " + is.object->meta.resource_version;
    }
    std::string operator()(const news::ObjectGone& gone) const {
        return std::string(routing::to_string(gone.key.kind)) + " gone " + gone.key.name;
    }
    // A mirror never tells what was asked for.
    template <typename Other>
    std::string operator()(const Other&) const {
        return "of the publisher";
    }
};

std::string shown(const StoreNews& one) {
    return std::visit(Show{}, one);
}

class KubeMirrorTest : public testing::Test {
protected:
    KubeMirror make(KubeMirror::Of what) {
        return KubeMirror(what,
                          {.news = [this](StoreNews one) { told.push_back(shown(one)); },
                           .listed = [this] { ++lists; },
                           .troubled = [](const kube::Failure&, core::Duration) {}});
    }
    KubeMirror make(routing::ObjectKind kind) {
        return KubeMirror(kind,
                          {.news = [this](StoreNews one) { told.push_back(shown(one)); },
                           .listed = [this] { ++lists; },
                           .troubled = [](const kube::Failure&, core::Duration) {}});
    }
    std::vector<std::string> take() { return std::exchange(told, {}); }

    std::vector<std::string> told;
    int lists = 0;
};

TEST_F(KubeMirrorTest, TellsAListAndThenChanges) {
    KubeMirror mirror = make(KubeMirror::Of::Services);
    const kube::FollowListener follow = mirror.follow();
    follow.list_begins();
    follow.listed(service("a"));
    follow.listed(service("b"));
    EXPECT_FALSE(mirror.has_list());
    follow.list_ends();
    EXPECT_TRUE(mirror.has_list());
    EXPECT_EQ(lists, 1);
    EXPECT_THAT(take(), ElementsAre("is a", "is b"));
    follow.changed(Type::Added, service("c"));
    follow.changed(Type::Modified, service("a"));
    follow.changed(Type::Deleted, service("b"));
    EXPECT_THAT(take(), ElementsAre("is c", "is a", "gone b"));
}

TEST_F(KubeMirrorTest, WhatALaterListDoesNotHaveIsGone) {
    KubeMirror mirror = make(KubeMirror::Of::Services);
    const kube::FollowListener follow = mirror.follow();
    follow.list_begins();
    follow.listed(service("a"));
    follow.listed(service("b"));
    follow.list_ends();
    take();
    follow.list_begins();
    follow.listed(service("b"));
    EXPECT_THAT(take(), ElementsAre("is b"));
    follow.list_begins();  // the one before broke off
    follow.listed(service("b"));
    follow.list_ends();
    EXPECT_THAT(take(), ElementsAre("is b", "gone a"));
}

TEST_F(KubeMirrorTest, WhatCannotBeReadIsNotGone) {
    KubeMirror mirror = make(KubeMirror::Of::Services);
    const kube::FollowListener follow = mirror.follow();
    follow.list_begins();
    follow.listed(service("a"));
    follow.list_ends();
    take();
    json::value broken = service("a");
    broken.as_object()["spec"] = "x";
    follow.changed(Type::Modified, broken);
    EXPECT_THAT(take(), ElementsAre("unusable inferenceservices/demo/a u"));
    follow.changed(Type::Modified, service("a"));
    EXPECT_THAT(take(), ElementsAre("usable inferenceservices/demo/a", "is a"));
}

TEST_F(KubeMirrorTest, AnAnnotationThatNobodyReadsIsToldUntilItIsAnother) {
    KubeMirror mirror = make(KubeMirror::Of::Services);
    const kube::FollowListener follow = mirror.follow();
    const auto annotated = [](const char* name) {
        json::value made = service("a");
        made.at("metadata").as_object()["annotations"] = json::object{{name, "{}"}};
        return made;
    };
    const std::string slip = "doubt inferenceservices/demo/a u: ";
    follow.changed(Type::Added, annotated("ome.io/traffic-drian"));
    EXPECT_THAT(take(), ElementsAre(HasSubstr(slip), "is a"));
    follow.changed(Type::Modified, annotated("ome.io/traffic-drian"));
    EXPECT_THAT(take(), ElementsAre("is a")) << "it has been told";
    follow.changed(Type::Modified, annotated("ome.io/global-hots"));
    EXPECT_THAT(take(), ElementsAre(HasSubstr(slip), "is a"));
    follow.changed(Type::Modified, annotated("example.com/whatever"));
    EXPECT_THAT(take(), ElementsAre("is a"));
    follow.changed(Type::Modified, annotated("ome.io/global-hots"));
    EXPECT_THAT(take(), ElementsAre(HasSubstr(slip), "is a")) << "it is there again";
}

TEST_F(KubeMirrorTest, AMapThatCannotBeReadIsToldAsOne) {
    KubeMirror mirror = make(KubeMirror::Of::Maps);
    const kube::FollowListener follow = mirror.follow();
    json::value broken = map("a", "5");
    broken.at("spec").as_object()["entries"] = 5;
    follow.changed(Type::Added, broken);
    EXPECT_THAT(take(), ElementsAre("unreadable a"));
    follow.changed(Type::Modified, map("a", "6"));
    follow.changed(Type::Deleted, map("a", "7"));
    EXPECT_THAT(take(), ElementsAre("map a 6", "no map a"));
}

TEST_F(KubeMirrorTest, AnUnusableServiceThatGoesIsNoneAnyMore) {
    KubeMirror mirror = make(KubeMirror::Of::Services);
    const kube::FollowListener follow = mirror.follow();
    json::value broken = service("a");
    broken.as_object()["spec"] = "x";
    follow.changed(Type::Added, broken);
    follow.changed(Type::Deleted, broken);
    EXPECT_THAT(
        take(),
        ElementsAre(
            "unusable inferenceservices/demo/a u", "usable inferenceservices/demo/a", "gone a"));
}

TEST_F(KubeMirrorTest, ObjectsOfAKindAreToldByTheirKind) {
    KubeMirror mirror = make(routing::ObjectKind::Service);
    const kube::FollowListener follow = mirror.follow();
    follow.list_begins();
    follow.listed(backend("a", "3"));
    follow.listed(backend("b", "4"));
    follow.list_ends();
    EXPECT_EQ(lists, 1);
    EXPECT_THAT(take(), ElementsAre("object a 3", "object b 4"));
    EXPECT_TRUE(mirror.knows({"demo", "a"}));
    mirror.stored({"demo", "a"}, "9");
    follow.changed(Type::Modified, backend("a", "8"));
    EXPECT_THAT(take(), IsEmpty()) << "we have written since";
    follow.changed(Type::Modified, backend("a", "9"));
    follow.changed(Type::Deleted, backend("a", "10"));
    EXPECT_THAT(take(), ElementsAre("object a 9", "Service gone a"));
    EXPECT_FALSE(mirror.knows({"demo", "a"}));
}

TEST_F(KubeMirrorTest, AnObjectThatCannotBeReadIsNamedByItsCollection) {
    KubeMirror mirror = make(routing::ObjectKind::BackendTlsPolicy);
    const kube::FollowListener follow = mirror.follow();
    json::value broken = backend("a");
    broken.as_object()["spec"] = 5;
    follow.changed(Type::Added, broken);
    EXPECT_THAT(take(), ElementsAre("unusable backendtlspolicies/demo/a "));
    follow.changed(Type::Deleted, broken);
    EXPECT_THAT(take(), ElementsAre("usable backendtlspolicies/demo/a", "BackendTLSPolicy gone a"));
}

TEST_F(KubeMirrorTest, WithItsTypeEveryObjectGoes) {
    KubeMirror mirror = make(routing::ObjectKind::HttpRoute);
    const kube::FollowListener follow = mirror.follow();
    follow.changed(Type::Added, backend("a"));
    follow.changed(Type::Added, backend("b"));
    take();
    mirror.all_gone();
    EXPECT_THAT(take(), ElementsAre("HTTPRoute gone a", "HTTPRoute gone b"));
    mirror.all_gone();
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(KubeMirrorTest, HalfOfAWriteIsNotTold) {
    KubeMirror mirror = make(KubeMirror::Of::Maps);
    const kube::FollowListener follow = mirror.follow();
    const core::ServiceKey a{"demo", "a"};
    mirror.hold(a);
    follow.changed(Type::Modified, map("a", "10"));
    follow.changed(Type::Modified, map("b", "11"));
    EXPECT_THAT(take(), ElementsAre("map b 11"));
    mirror.stored(a, "12");
    mirror.release(a);
    EXPECT_THAT(take(), IsEmpty()) << "the result tells of 12";

    mirror.hold(a);
    follow.changed(Type::Modified, map("a", "13"));
    follow.changed(Type::Modified, map("a", "14"));
    mirror.stored(a, "13");
    mirror.release(a);
    EXPECT_THAT(take(), ElementsAre("map a 14")) << "somebody else was there afterwards";

    mirror.hold(a);
    follow.changed(Type::Modified, map("a", "15"));
    follow.changed(Type::Deleted, map("a", "16"));
    mirror.release(a);
    EXPECT_THAT(take(), ElementsAre("no map a"));

    mirror.hold(a);
    follow.changed(Type::Modified, map("a", "17"));
    follow.list_begins();
    follow.listed(map("a", "20"));
    follow.list_ends();
    mirror.release(a);
    EXPECT_THAT(take(), ElementsAre("map a 20", "no map b")) << "a list is newer";
}

TEST_F(KubeMirrorTest, HistoryIsNotTold) {
    KubeMirror mirror = make(KubeMirror::Of::Maps);
    const kube::FollowListener follow = mirror.follow();
    mirror.stored({"demo", "a"}, "10");
    follow.changed(Type::Modified, map("a", "9"));
    EXPECT_THAT(take(), IsEmpty()) << "the result has told of 10 already";
    follow.changed(Type::Modified, map("b", "9"));
    follow.changed(Type::Modified, map("a", "10"));
    follow.changed(Type::Modified, map("a", "12"));
    EXPECT_THAT(take(), ElementsAre("map b 9", "map a 10", "map a 12"));
    mirror.stored({"demo", "a"}, "99");
    follow.list_begins();
    follow.listed(map("a", "20"));
    follow.list_ends();
    EXPECT_THAT(take(), ElementsAre("map a 20", "no map b"))
        << "a list is the truth, also after a restored backup";
}

}  // namespace
}  // namespace ome::controller
