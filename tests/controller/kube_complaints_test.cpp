#include "kube_complaints.hpp"

#include "support/captured_log.hpp"
#include "support/fake_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ome::controller {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class KubeComplaintsTest : public testing::Test {
protected:
    static kube::Failure refused(unsigned code, const std::string& words) {
        kube::Failure failure{kube::Failure::Kind::Refused, "GET /x: " + words};
        failure.status.code = code;
        failure.status.message = words;
        return failure;
    }

    test::FakeClock clock;
    test::CapturedLog log;
    KubeComplaints complaints{[this] { return clock.now(); }};
};

TEST_F(KubeComplaintsTest, TheSameWordsAreToldOnceAMinute) {
    for (int second = 0; second <= 60; ++second) {
        complaints.trouble("watch", refused(500, "etcd is gone"));
        clock.advance(1s);
    }
    complaints.trouble("lease", std::string("nobody answers"));
    const std::string text = log.text();
    EXPECT_THAT(text, HasSubstr(R"(at=watch problem="GET /x: etcd is gone" untold=0)"));
    EXPECT_THAT(text, HasSubstr(R"(at=watch problem="GET /x: etcd is gone" untold=59)"));
    EXPECT_THAT(text, HasSubstr(R"(at=lease problem="nobody answers" untold=0)"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST_F(KubeComplaintsTest, WarningsOfAllRequestsAreOne) {
    complaints.warning("PATCH /a", "unknown field \"spec.x\"");
    complaints.warning("PATCH /b", "unknown field \"spec.x\"");
    const std::string text = log.text();
    EXPECT_THAT(text, HasSubstr("request=\"PATCH /a\" warning=\"unknown field"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST_F(KubeComplaintsTest, AMissingRightIsToldElsewhere) {
    complaints.trouble("watch", refused(403, R"(User "a" cannot list resource "pods")"));
    EXPECT_THAT(log.text(), IsEmpty());
}

}  // namespace
}  // namespace ome::controller
