#include "api_fixture.hpp"

#include <fmt/format.h>

#include <chrono>

namespace ome::observer {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

class ApiWatch : public ApiTest {
protected:
    ApiWatch() = default;
    explicit ApiWatch(const HubSettings& chosen) : ApiTest(chosen) {}

    ApiAnswer watch(const std::string& query = {}) { return call("GET", "/v1/watch" + query); }

    std::string here() const { return fmt::format("{}:{}", hub->instance(), hub->revision()); }

    /// The lines of the next piece.
    std::vector<json::value> next(const ApiAnswer& stream) {
        std::vector<json::value> lines;
        const auto piece = pull(stream);
        for (const std::string& text : split(piece.value_or(""), '\n')) {
            if (!text.empty()) {
                lines.push_back(json::parse(text));
            }
        }
        return lines;
    }

    /// The lines of the next piece that tells a change: on a busy machine a bookmark, which is due
    /// every second, may come before it or stand below it.
    std::vector<json::value> changes(const ApiAnswer& stream) {
        std::vector<json::value> told;
        for (int pieces = 0; pieces < 100 && told.empty(); ++pieces) {
            for (json::value& line : next(stream)) {
                if (line.at("type") != "Bookmark") {
                    told.push_back(std::move(line));
                }
            }
        }
        return told;
    }

    /// Lines until one of this type, and that one.
    std::vector<json::value> until(const ApiAnswer& stream, std::string_view type) {
        std::vector<json::value> all;
        for (int pieces = 0; pieces < 100; ++pieces) {
            for (json::value& line : next(stream)) {
                EXPECT_EQ(line.at("instance").as_string(), hub->instance().c_str());
                all.push_back(std::move(line));
            }
            if (all.empty() || all.back().at("type").as_string() == type) {
                break;
            }
        }
        return all;
    }

    static std::string homes_of(const json::value& line) {
        std::string names;
        for (const json::value& home : line.at("service").at("homes").as_array()) {
            names += std::string(home.at("cluster").as_string()) + " ";
        }
        return names;
    }
};

TEST_F(ApiWatch, WithoutSinceAllCurrentReadingsComeFirst) {
    put(declaration("one", {"a", "b"}));
    put(declaration("empty", {}));
    settle();
    const auto lines = until(watch(), "Bookmark");
    std::map<std::string, std::string> homes;
    for (const json::value& line : lines) {
        if (line.at("type") == "Reading") {
            homes[std::string(line.at("service").at("name").as_string())] += homes_of(line);
        }
    }
    EXPECT_EQ(homes.size(), 2U);
    EXPECT_EQ(homes["one"], "a b ");
    EXPECT_EQ(homes["empty"], "");
    EXPECT_EQ(lines.back().at("revision").to_number<std::uint64_t>(), hub->revision());
}

TEST_F(ApiWatch, WithSinceOnlyWhatChangedAfterItCompleteAndWithItsOwner) {
    put(declaration("one", {"a", "b"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    put(declaration("two", {"c"}));
    const auto lines = changes(stream);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].at("type"), "Reading");
    const json::value& service = lines[0].at("service");
    EXPECT_EQ(service.at("name"), "two");
    EXPECT_EQ(service.at("ownerUID"), "uid-1");
    EXPECT_EQ(service.at("suspended"), false);
    EXPECT_EQ(homes_of(lines[0]), "c ");
}

TEST_F(ApiWatch, OnlyTheHomesThatChangedAreInALine) {
    put(declaration("one", {"a", "b"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    put(declaration("one", {"a", "b", "c"}));
    EXPECT_EQ(homes_of(changes(stream).at(0)), "c ");
}

TEST_F(ApiWatch, SuspensionAndAnotherOwnerAreTold) {
    put(declaration("one", {"a"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    json::object suspended = declaration("one", {});
    suspended["suspended"] = true;
    put(suspended);
    const auto lines = changes(stream);
    EXPECT_EQ(lines.at(0).at("service").at("suspended"), true);
    EXPECT_EQ(homes_of(lines[0]), "");
}

TEST_F(ApiWatch, ForgottenHomesAndServicesAreNamed) {
    put(declaration("one", {"a", "b", "c"}));
    put(declaration("two", {"a"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    put(declaration("one", {"b"}));
    call("DELETE", "/v1/services/prod/two");
    const auto lines = changes(stream);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("type"), "Forgotten");
    EXPECT_EQ(lines[0].at("service"),
              json::parse(R"({"namespace":"prod","name":"one","clusters":["a","c"]})"));
    EXPECT_EQ(lines[1].at("service"), json::parse(R"({"namespace":"prod","name":"two"})"));
}

TEST_F(ApiWatch, AListDoesNotTellWhatWasForgottenBefore) {
    put(declaration("one", {"a"}));
    call("DELETE", "/v1/services/prod/one");
    const auto lines = until(watch(), "Bookmark");
    EXPECT_EQ(lines.size(), 1U);
}

TEST_F(ApiWatch, AServiceThatComesBackIsToldAsForgottenBefore) {
    put(declaration("one", {"a"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    call("DELETE", "/v1/services/prod/one");
    put(declaration("one", {"b"}));
    const auto lines = changes(stream);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("type"), "Forgotten");
    EXPECT_EQ(homes_of(lines[1]), "b ");
}

// A reader that does not read costs nothing: what it has not heard stands in the feed once a home.
TEST_F(ApiWatch, ASlowReaderGetsTheNewestReadingOfEachHomeOnce) {
    put(declaration("one", {"a", "b"}));
    settle();
    const ApiAnswer slow = watch("?since=" + here());
    for (int i = 0; i < 200; ++i) {
        json::object changed = declaration("one", {"a", "b"});
        changed["ownerUID"] = fmt::format("uid-{}", i);
        put(changed);
    }
    settle();
    EXPECT_EQ(hub->feed().size(), 3U);
    const auto lines = changes(slow);
    ASSERT_LE(lines.size(), 3U);
    EXPECT_EQ(lines.back().at("service").at("ownerUID"), "uid-199");
}

TEST_F(ApiWatch, ThousandsOfHomesComeInBoundedPieces) {
    std::vector<std::string> clusters;
    for (int i = 0; i < 500; ++i) {
        clusters.push_back(fmt::format("home-{}", i));
    }
    put(declaration("one", clusters));
    const ApiAnswer stream = watch();
    std::size_t homes = 0;
    // On a busy machine bookmarks stand between the pieces.
    for (int pieces = 0; pieces < 1000 && homes < 500; ++pieces) {
        const auto piece = pull(stream);
        ASSERT_TRUE(piece);
        ASSERT_LT(piece->size(), 65536U);
        for (const std::string& text : split(*piece, '\n')) {
            const json::value line = text.empty() ? json::value() : json::parse(text);
            if (line.is_object() && line.at("type") == "Reading") {
                homes += line.at("service").at("homes").as_array().size();
            }
        }
    }
    EXPECT_GE(homes, 500U);
}

TEST_F(ApiWatch, BookmarksComeWithinASecondAlsoWhenNothingHappens) {
    const ApiAnswer stream = watch();
    for (int i = 0; i < 2; ++i) {
        const auto before = std::chrono::steady_clock::now();
        EXPECT_EQ(next(stream).at(0).at("type"), "Bookmark");
        EXPECT_LT(std::chrono::steady_clock::now() - before, 5s) << "a busy machine may be late";
    }
}

TEST_F(ApiWatch, ALineOfAnotherInstanceOrAnUnknownRevisionIsGone) {
    put(declaration("one", {"a"}));
    settle();
    for (const std::string& since :
         {std::string("other:1"), fmt::format("{}:{}", hub->instance(), hub->revision() + 99)}) {
        const ApiAnswer stream = watch("?since=" + since);
        EXPECT_EQ(stream.status, 200U);
        EXPECT_EQ(read_all(stream),
                  fmt::format("{{\"type\":\"Gone\",\"instance\":\"{}\"}}\n", hub->instance()));
    }
}

TEST_F(ApiWatch, EndsWithABookmarkAfterItsTime) {
    const ApiAnswer stream = watch("?timeoutSeconds=1");
    const auto lines = split(read_all(stream), '\n');
    ASSERT_GE(lines.size(), 2U);
    EXPECT_EQ(json::parse(lines[lines.size() - 2]).at("type"), "Bookmark");
}

TEST_F(ApiWatch, EndsWithABookmarkWhenTheObserverStops) {
    const ApiAnswer stream = watch();
    hub->watches().close();
    EXPECT_EQ(next(stream).at(0).at("type"), "Bookmark");
    EXPECT_FALSE(pull(stream));
}

TEST_F(ApiWatch, AChangeWakesAWaitingWatchAtOnce) {
    const ApiAnswer stream = watch();
    EXPECT_EQ(next(stream).at(0).at("type"), "Bookmark");
    std::string heard;
    net::asio::co_spawn(io, stream.stream->next(), [&](std::exception_ptr, auto piece) {
        heard = piece.value_or("ended");
    });
    settle();
    EXPECT_EQ(heard, "");
    put(declaration("one", {"a"}));
    settle();
    EXPECT_NE(heard.find("\"Reading\""), heard.npos) << heard;
}

TEST_F(ApiWatch, BadParametersAreNamedWithTheirRule) {
    for (const auto& [query, field] :
         std::map<std::string, std::string>{{"?since=x", "since"},
                                            {"?since=:5", "since"},
                                            {"?since=a:-1", "since"},
                                            {"?since=a:99999999999999999999999", "since"},
                                            {"?timeoutSeconds=0", "timeoutSeconds"},
                                            {"?timeoutSeconds=86401", "timeoutSeconds"},
                                            {"?timeoutSeconds=1s", "timeoutSeconds"},
                                            {"?holder=", "holder"},
                                            {"?holder=\n", "holder"},
                                            {"?holder=" + std::string(129, 'x'), "holder"}}) {
        const ApiAnswer answer = watch(query);
        EXPECT_EQ(answer.status, 400U) << query;
        EXPECT_EQ(answer.document().at("error").at("field").as_string(), field.c_str());
    }
    EXPECT_EQ(watch("?since=x").document().at("error").at("message"),
              "since \"x\" must be INSTANCE:REVISION as a list or a watch gave them");
}

class ApiFewWatches : public ApiWatch {
protected:
    ApiFewWatches() : ApiWatch(HubSettings{.most_watches = 2, .most_forgotten = 2}) {}
};

TEST_F(ApiFewWatches, OneMoreThanTheLimitIsRefusedUntilOneEnds) {
    const ApiAnswer first = watch();
    {
        const ApiAnswer second = watch();
        const ApiAnswer third = watch();
        EXPECT_EQ(third.status, 503U);
        EXPECT_EQ(third.header("Retry-After"), "1");
    }
    EXPECT_EQ(watch().status, 200U);
}

TEST_F(ApiFewWatches, WhoIsTooFarBehindMustListAgain) {
    put(declaration("one", {"a", "b", "c", "d"}));
    settle();
    const ApiAnswer stream = watch("?since=" + here());
    put(declaration("one", {}));
    EXPECT_EQ(until(stream, "Gone").back().at("type"), "Gone");
    EXPECT_FALSE(pull(stream));
}

// The lease, with its own time set back so that nothing has to sleep.
class ApiLease : public ApiWatch {
protected:
    ApiLease() : ApiWatch(HubSettings{.declaration_ttl = 5min}) {}

    /// As if the last sign of life had come so long ago.
    bool ends_after(core::Duration silence) {
        hub->lease().renew(net::read_clock().steady - silence);
        return test::run(io, hub->end_expired_lease());
    }
};

TEST_F(ApiLease, DeclarationsThatNobodyRenewsAreForgottenLikeAfterARestart) {
    put(declaration("one", {"a"}));
    settle();
    const std::string before = hub->instance();
    const ApiAnswer stream = watch();
    EXPECT_FALSE(ends_after(4min));
    EXPECT_TRUE(declared("one"));
    EXPECT_TRUE(ends_after(5min));
    EXPECT_NE(hub->instance(), before);
    EXPECT_FALSE(declared("one"));
    EXPECT_EQ(shard->stats().fleet.homes, 0U) << "it is not observed any more";
    const auto lines = until(stream, "Gone");
    EXPECT_EQ(lines.back().at("type"), "Gone");
    EXPECT_FALSE(pull(stream));
    EXPECT_FALSE(test::run(io, hub->end_expired_lease())) << "once";
}

TEST_F(ApiLease, AnOpenWatchWithAHolderKeepsThem) {
    put(declaration("one", {"a"}));
    {
        const ApiAnswer held = watch("?holder=controller-0");
        EXPECT_FALSE(ends_after(24h));
    }
    EXPECT_FALSE(test::run(io, hub->end_expired_lease())) << "the time begins when it ends";
    EXPECT_TRUE(declared("one"));
    const ApiAnswer other = watch();
    EXPECT_TRUE(ends_after(5min)) << "a watch without a holder does not count";
}

TEST_F(ApiLease, DeclaringBulkAndForgettingRenewAndReadingDoesNot) {
    const auto renewed_by = [&](const std::string& method,
                                const std::string& target,
                                const std::string& body,
                                const std::string& type) {
        put(declaration("one", {"a"}));
        hub->lease().renew(net::read_clock().steady - 6min);
        call(method, target, body, type);
        return !test::run(io, hub->end_expired_lease());
    };
    const std::string one = line(declaration("one", {"a"}));
    EXPECT_TRUE(renewed_by("PUT", "/v1/services/prod/one", one, "application/json"));
    EXPECT_TRUE(renewed_by("PUT", "/v1/services", one, "application/x-ndjson"));
    EXPECT_TRUE(renewed_by("DELETE", "/v1/services/prod/other", "", ""));
    EXPECT_TRUE(renewed_by("PUT", "/v1/services/prod/two", "{}", "application/json"))
        << "one that is refused is a sign of life, too";
    EXPECT_FALSE(renewed_by("GET", "/v1/services", "", ""));
    EXPECT_FALSE(renewed_by("GET", "/v1/services/prod/one", "", ""));
    EXPECT_FALSE(renewed_by("POST", "/v1/services/prod/one/attempts", "", ""));
}

TEST_F(ApiLease, ADeclarationWhileEverythingIsBeingForgottenStartsAnew) {
    for (int i = 0; i < 20; ++i) {
        put(declaration(fmt::format("s{}", i), {"a"}));
    }
    settle();
    ASSERT_TRUE(call("GET", "/v1/services/prod/s19")
                    .document()
                    .at("homes")
                    .at(0)
                    .as_object()
                    .contains("probe"));
    hub->lease().renew(net::read_clock().steady - 6min);
    bool ended = false;
    net::asio::co_spawn(
        io, hub->end_expired_lease(), [&](std::exception_ptr, bool) { ended = true; });
    io.restart();
    io.run_one();  // it has begun, and is still at the first ones
    ASSERT_FALSE(ended);
    const json::value fresh = put(declaration("s19", {"a"})).document();
    EXPECT_FALSE(fresh.at("homes").at(0).as_object().contains("probe"))
        << "nothing of before may show under the new instance";
    while (!ended) {
        io.run_one();
    }
    EXPECT_TRUE(declared("s19"));
    EXPECT_FALSE(declared("s18"));
}

}  // namespace
}  // namespace ome::observer
