#include "held_back.hpp"

#include <gtest/gtest.h>

namespace ome::controller {
namespace {

const core::ServiceKey chat{"demo", "chat"};

core::WallTime second(std::int64_t at) {
    return {1'790'000'000 + at, 0};
}

news::Unusable unusable(const std::string& place, const std::string& why) {
    return {place, {}, {why}, {chat}};
}

news::ServiceIs service() {
    auto made = std::make_shared<routing::InferenceService>();
    made->key = chat;
    return {made};
}

TEST(HeldBack, SinceTheFirstComplaintForTheNewestReason) {
    HeldBack held;
    EXPECT_EQ(held.find(chat), nullptr);
    held.hear(unusable("inferenceservices/demo/chat.yaml:3", "one"), second(1));
    held.hear(unusable("inferenceservices/demo/chat.yaml:7", "two"), second(2));
    ASSERT_NE(held.find(chat), nullptr);
    EXPECT_EQ(held.find(chat)->since, second(1));
    EXPECT_EQ(held.find(chat)->place, "inferenceservices/demo/chat.yaml:7");
    EXPECT_EQ(held.find(chat)->problem.message, "two");
    held.hear(service(), second(3));
    EXPECT_EQ(held.find(chat), nullptr);
}

TEST(HeldBack, ByTwoFilesUntilBothAreUsable) {
    HeldBack held;
    held.hear(unusable("overrides/demo/chat.yaml:3", "one"), second(1));
    held.hear(unusable("inferenceservices/demo/chat.yaml", "two"), second(2));
    EXPECT_EQ(held.find(chat)->problem.message, "one") << "what holds it for longest";
    held.hear(news::UsableAgain{"overrides/demo/chat.yaml"}, second(3));
    EXPECT_EQ(held.find(chat)->problem.message, "two");
    held.hear(news::UsableAgain{"inferenceservices/demo/chat.yaml"}, second(4));
    EXPECT_EQ(held.find(chat), nullptr);
}

TEST(HeldBack, AServiceThatIsGoneIsNotHeld) {
    HeldBack held;
    held.hear(unusable("inferenceservices/demo/chat.yaml", "one"), second(1));
    held.hear(news::ServiceGone{chat}, second(2));
    EXPECT_EQ(held.find(chat), nullptr);
}

TEST(HeldBack, AComplaintThatHoldsNothingBackIsNone) {
    HeldBack held;
    held.hear(news::Unusable{"inferenceservices/demo/b.yaml", chat, {"is in a.yaml already"}},
              second(1));
    EXPECT_EQ(held.find(chat), nullptr);
}

}  // namespace
}  // namespace ome::controller
