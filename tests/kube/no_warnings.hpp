// The API server warns of nothing that a store in this process writes: of no field, say, that the
// type lacks and that it drops. A failed test prints what was logged.
#pragma once

#include "support/captured_log.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace ome::test {

/// A member of a fixture, before the store.
class NoWarnings {
public:
    NoWarnings() = default;
    ~NoWarnings() {
        const std::string text = log_.text();
        EXPECT_EQ(text.find("warning of the API server"), std::string::npos);
        if (testing::Test::HasFailure()) {
            std::cout << text;
        }
    }
    NoWarnings(const NoWarnings&) = delete;
    NoWarnings& operator=(const NoWarnings&) = delete;

private:
    CapturedLog log_;
};

}  // namespace ome::test
