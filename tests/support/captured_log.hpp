// What is logged while it lives, as text.
#pragma once

#include <ome/telemetry/log.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

namespace ome::test {

class CapturedLog {
public:
    CapturedLog() {
        EXPECT_EQ(::pipe2(pipe_, O_NONBLOCK), 0);
        telemetry::log::Settings settings;
        settings.descriptor = pipe_[1];
        logging_ = std::move(telemetry::log::Logging::start(settings).value());
    }
    ~CapturedLog() {
        logging_.reset();
        ::close(pipe_[0]);
        ::close(pipe_[1]);
    }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;

    /// All of it, which fits into a pipe. Ends the log.
    std::string text() {
        logging_.reset();
        std::string all;
        char bytes[4096];
        for (ssize_t count = 0; (count = ::read(pipe_[0], bytes, sizeof bytes)) > 0;) {
            all.append(bytes, static_cast<std::size_t>(count));
        }
        return all;
    }

private:
    int pipe_[2] = {-1, -1};
    std::unique_ptr<telemetry::log::Logging> logging_;
};

}  // namespace ome::test
