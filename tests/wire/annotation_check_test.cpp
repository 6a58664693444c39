#include "annotation_check.hpp"

#include "inference_service_reader.hpp"
#include <ome/core/policy_rules.hpp>
#include <ome/wire/check_report.hpp>
#include <ome/wire/folder_manifest.hpp>
#include <ome/wire/object_document.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings(const std::string& annotation,
                                  const boost::json::value& value = "x") {
    const boost::json::value object = {{"metadata", {{"annotations", {{annotation, value}}}}}};
    Notes reading;
    const auto service = read_service_object(object, Named::Perhaps, reading);
    Notes notes;
    check_annotations(object, service, notes);
    EXPECT_THAT(notes.errors, IsEmpty());
    std::vector<std::string> said;
    for (const core::Problem& warning : notes.warnings) {
        said.push_back(warning.message);
    }
    return said;
}

TEST(AnnotationCheck, TellsWhatWasMeantByANearMiss) {
    EXPECT_THAT(warnings("ome.io/trafic-drain"),
                ElementsAre("metadata.annotations[\"ome.io/trafic-drain\"] is not known and is "
                            "ignored; did you mean ome.io/traffic-drain?"));
    EXPECT_THAT(warnings("ome-observer/shaddow"),
                ElementsAre(HasSubstr("did you mean ome-observer/shadow?")));
    EXPECT_THAT(warnings("ome.io/global-hots"),
                ElementsAre(HasSubstr("did you mean ome.io/global-host?")));
    EXPECT_THAT(warnings("ome.io/Traffic-Drain"),
                ElementsAre(HasSubstr("did you mean ome.io/traffic-drain?")));
    EXPECT_THAT(warnings("ome.io/traffic-drain-expire"),
                ElementsAre(HasSubstr("did you mean ome.io/traffic-drain-expiry?")));
}

TEST(AnnotationCheck, LeavesAloneWhatIsKnownOrOfOthersOrFar) {
    for (const char* name : {"ome.io/global-host",
                             "ome.io/placement-origin",
                             "ome.io/placement-origin-uid",
                             "ome.io/accelerator-class",
                             "ome.io/deploymentMode",
                             "ome.io/traffic-split",
                             "ome.io/cluster",
                             "ome-observer/note",
                             "example.com/trafic-drain",
                             "ome.ia/traffic-drain",
                             "trafic-drain"}) {
        EXPECT_THAT(warnings(name), IsEmpty()) << name;
    }
    EXPECT_THAT(warnings("ome.io/trafic-drain", nullptr), IsEmpty()) << "taken away";
}

TEST(AnnotationCheck, TellsOfAShadowThatIsNeitherTrueNorFalse) {
    EXPECT_THAT(warnings("ome-observer/shadow", "yes"),
                ElementsAre("metadata.annotations[\"ome-observer/shadow\"] \"yes\" is neither "
                            "\"true\" nor \"false\" and has no effect"));
    EXPECT_THAT(warnings("ome-observer/shadow", "true"), IsEmpty());
}

constexpr const char* manifest =
    "apiVersion: ome.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: chat\n"
    "  namespace: demo\n  annotations:\n    a: b\n    ome.io/global-hots: c\n"
    "    ome-observer/shadow: 'yes'\nspec: {placement: {policy: ClusterAffinity, mode: All}}\n";

TEST(AnnotationCheck, IsPartOfTheCheckWithTheLine) {
    EXPECT_EQ(as_text({{"f", check_document(manifest, core::chart_limits())}}),
              "f:8: warning: metadata.annotations[\"ome.io/global-hots\"] is not known and is "
              "ignored; did you mean ome.io/global-host?\n"
              "f:9: warning: metadata.annotations[\"ome-observer/shadow\"] \"yes\" is neither "
              "\"true\" nor "
              "\"false\" and has no effect\n");
}

TEST(AnnotationCheck, IsPartOfReadingManifestsAndOverrides) {
    const auto read = read_folder_manifests(manifest, {.ns = "demo", .patch = {}});
    ASSERT_TRUE(read);
    ASSERT_EQ(read->services.size(), 1U);
    ASSERT_EQ(read->services[0].warnings.size(), 2U);
    EXPECT_THAT(read->services[0].warnings[0].message,
                HasSubstr("line 8: metadata.annotations[\"ome.io/global-hots\"] is not known"));
    EXPECT_THAT(read->services[0].warnings[1].message, HasSubstr("line 9: "));
    const auto laid =
        read_override("metadata:\n  annotations:\n    a: b\n    ome.io/trafic-drain: '{}'\n");
    ASSERT_TRUE(laid);
    ASSERT_EQ(laid->warnings.size(), 1U);
    EXPECT_THAT(laid->warnings[0].message,
                HasSubstr("line 4: metadata.annotations[\"ome.io/trafic-drain\"] is not known"));
}

}  // namespace
}  // namespace ome::wire
