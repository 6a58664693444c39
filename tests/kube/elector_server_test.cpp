// Elections on a real API server.
#include "kube/servers.hpp"
#include "support/run.hpp"
#include <ome/kube/client.hpp>
#include <ome/kube/elector.hpp>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ome::test {
namespace {

using namespace std::chrono_literals;

// One that stands for election, with what it was told.
class Candidate {
public:
    Candidate(net::asio::io_context& io,
              const std::string& ns,
              const std::string& identity,
              kube::ElectionSettings settings)
        : io_(io), client_(io, kube_servers().access()) {
        settings.identity = identity;
        elector_ = std::make_unique<kube::Elector>(
            io,
            client_,
            ns,
            "lock",
            settings,
            kube::Elector::Listener{[this](bool leading) { told = leading; },
                                    [this](const kube::Failure&) { ++troubles; }});
        elector_->start();
    }
    ~Candidate() { stop(); }

    void stop() {
        if (elector_ != nullptr) {
            run(io_, elector_->stop());
            elector_.reset();
        }
    }
    [[nodiscard]] bool leads() const { return elector_ != nullptr && elector_->leading(); }
    [[nodiscard]] const kube::ElectorStatus& status() const { return elector_->status(); }

    bool told = false;
    int troubles = 0;

private:
    net::asio::io_context& io_;
    kube::Client client_;
    std::unique_ptr<kube::Elector> elector_;
};

class ElectorTest : public KubeServerTest {
protected:
    void SetUp() override {
        KubeServerTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) {
            ns = make_namespace();
        }
    }

    template <typename Condition>
    [[nodiscard]] bool until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + kube_patience;
        while (!condition()) {
            if (std::chrono::steady_clock::now() >= end) {
                return false;
            }
            io.restart();
            io.run_for(10ms);
        }
        return true;
    }

    net::asio::io_context io{1};
    std::string ns;
    kube::ElectionSettings settings{
        .identity = "", .lease_duration = 6s, .renew_deadline = 4s, .retry_period = 200ms};
};

TEST_F(ElectorTest, OneLeadsAndAnotherFollowsAsSoonAsItIsGivenUp) {
    Candidate a(io, ns, "a", settings);
    ASSERT_TRUE(until([&] { return a.leads(); }));
    EXPECT_TRUE(until([&] { return a.told; }));
    Candidate b(io, ns, "b", settings);
    ASSERT_TRUE(until([&] { return b.status().holder == "a"; }));
    EXPECT_FALSE(b.leads());
    a.stop();
    EXPECT_FALSE(a.told);
    ASSERT_TRUE(until([&] { return b.leads(); }));
    const CommandResult shown =
        kube_servers().kubectl({"get",
                                "lease",
                                "lock",
                                "-n",
                                ns,
                                "-o",
                                "jsonpath={.spec.holderIdentity} {.spec.leaseTransitions}"});
    EXPECT_EQ(shown.output, "b 2") << "from a to nobody to b, and the first was none";
}

TEST_F(ElectorTest, WhoCannotRenewLeadsNoMoreBeforeItsLeaseEnds) {
    Candidate a(io, ns, "a", settings);
    ASSERT_TRUE(until([&] { return a.leads(); }));
    kube_servers().pause_api_server();
    const auto paused = std::chrono::steady_clock::now();
    const bool over = until([&] { return !a.leads(); });
    const auto took = std::chrono::steady_clock::now() - paused;
    kube_servers().resume_api_server();
    EXPECT_TRUE(over);
    EXPECT_LE(took, settings.lease_duration) << "nobody else could have begun";
    EXPECT_TRUE(until([&] { return a.leads(); })) << "it is still its own";
    EXPECT_TRUE(until([&] { return a.told; }));
}

TEST_F(ElectorTest, WhoseLeaseWasTakenLeadsNoMore) {
    Candidate a(io, ns, "a", settings);
    ASSERT_TRUE(until([&] { return a.leads(); }));
    const CommandResult taken = kube_servers().kubectl({"patch",
                                                        "lease",
                                                        "lock",
                                                        "-n",
                                                        ns,
                                                        "--type=merge",
                                                        "-p",
                                                        R"({"spec":{"holderIdentity":"thief"}})"});
    ASSERT_EQ(taken.exit_code, 0) << taken.output;
    EXPECT_TRUE(until([&] { return !a.leads(); }));
    EXPECT_EQ(a.status().holder, "thief");
    EXPECT_TRUE(until([&] { return a.leads(); })) << "the thief does not renew";
}

}  // namespace
}  // namespace ome::test
