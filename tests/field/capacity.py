"""G: capacity reports."""
import time

from stage import service

NOT_VALID = "capacity response is not a valid report:"
NO_COUNT = "capacity report has no servable count"
NO_STAMP = "capacity report has no observedAt stamp"


def observe_reports(stage, homes, cases, seconds=5):
    """One home a case, all polled for some seconds."""
    endpoints = {name: homes.at(case) for name, case in cases.items()}
    # Stamps of the homes are up to 3 s old, and nothing here is about age.
    observer, watcher = stage.observe([service("reports", endpoints, capacity={"maxAge": "10s"})])
    time.sleep(seconds)
    return observer, watcher


def stale_reports(stage):
    """F49 stale, future and frozen reports fall open"""
    homes = stage.start_homes()
    begun = time.time()
    cases = {"aged": "cap;n=1;age=3.5", "stale": "cap;n=1;age=4", "future": "cap;n=1;age=-1",
             "frozen": "frozen;n=1"}
    endpoints = {name: homes.at(case) for name, case in cases.items()}
    _, watcher = stage.observe([
        service("reports", endpoints, capacity={"quorum": 1})])
    time.sleep(7)
    stage.check("aged: accepted", 1 in watcher.home("aged").ceilings(), watcher.home("aged").polls[-1])
    stage.expect_reason(watcher, "stale", "capacity report is stale (at least configured maximum age 4s)",
                        exact=True)
    stage.expect_reason(watcher, "future", "capacity report timestamp is in the future", exact=True)
    last = watcher.home("frozen").polls[-1]
    stage.check("frozen: the ceiling is gone", "ceiling" not in last, last)
    stage.check("frozen: never 0", 0 not in watcher.home("frozen").ceilings())
    stage.show("run", f"{time.time() - begun:.0f}s")


def odd_counts(stage):
    """F50 numbers that are not counts"""
    homes = stage.start_homes()
    invalid = ("float0 float exp exp2 string bool arr obj nan inf ninf hex lead0 plus i31 i32 i53 "
               "i63 u64 e400 digits tiny").split()
    cases = {name: f"cap;v={name}" for name in [*invalid, "null", "missing", "neg", "neg0"]}
    _, watcher = observe_reports(stage, homes, cases)
    for name in invalid:
        stage.expect_reason(watcher, name, NOT_VALID)
    for name in ("null", "missing"):
        stage.expect_reason(watcher, name, NO_COUNT, exact=True)
    stage.expect_reason(watcher, "neg", "capacity report is negative (-1)", exact=True)
    stage.expect_ceiling(watcher, "neg0", 0)
    stage.show("messages", {name: watcher.home(name).reasons() for name in cases})


def odd_stamps(stage):
    """F52 stamps that people parse differently"""
    homes = stage.start_homes()
    good = "z plus0 minus0 plus0530 minus0800 plus14 ms us ns ps".split()
    bad = "nozone offnocolon space date basic feb30 h24 word int".split()
    cases = {name: f"cap;at={name}" for name in [*good, *bad, "null", "missing"]}
    _, watcher = observe_reports(stage, homes, cases)
    for name in good:
        stage.expect_ceiling(watcher, name, 4)
    for name in bad:
        stage.expect_reason(watcher, name, NOT_VALID)
    for name in ("null", "missing"):
        stage.expect_reason(watcher, name, NO_STAMP, exact=True)
    stage.show("messages", {name: watcher.home(name).reasons() for name in bad})


def nesting(stage):
    """F54 nesting bombs and broken text"""
    homes = stage.start_homes()
    bad = "deep deepobj deeplocal ctl badutf8 surr".split()
    good = ("wide", "longstr")
    observer, watcher = observe_reports(stage, homes, {name: f"cap;v={name}" for name in [*bad, *good]})
    for name in bad:
        stage.expect_reason(watcher, name, "capacity response is not a valid report" if name != "deepobj"
                            else "")
    for name in good:
        stage.expect_ceiling(watcher, name, 4)
    watcher.ended.set()
    cpu = observer.cpu_seconds()
    time.sleep(5)
    share = (observer.cpu_seconds() - cpu) / (5 * len(bad + list(good)))
    stage.check("less than 50 ms of processor a poll", share < 0.05, f"{share * 1000:.1f} ms")
    stage.show("messages", {name: watcher.home(name).reasons() for name in bad})


def zero_and_html(stage):
    """F55 what 200 says about capacity"""
    homes = stage.start_homes()
    endpoints = {
        "one-zero": homes.sequence("one-zero", ["cap;n=4", "cap;n=0", "cap;n=4"]),
        "zeros": homes.at("cap;n=0"), "html": homes.at("html"),
        "fours": homes.at("rr;n=4,1,4"), "ones": homes.at("rr;n=1,4,1")}
    _, watcher = stage.observe([
        service("window", {name: endpoints[name] for name in ("one-zero", "zeros", "html")},
                capacity={}),
        service("three", {name: endpoints[name] for name in ("fours", "ones")},
                capacity={"samples": 3})])
    time.sleep(6.5)
    last = {name: watcher.home(name).polls[-1] for name in endpoints}
    stage.check("one zero among fours does nothing", watcher.home("one-zero").ceilings()[-1:] == [4] and
                last["one-zero"].get("ceiling") == 4, watcher.home("one-zero").ceilings())
    stage.check("zeros are a ceiling of 0", last["zeros"].get("ceiling") == 0, last["zeros"])
    stage.expect_reason(watcher, "html", NOT_VALID)
    stage.check("4,1,4 is 4", last["fours"].get("ceiling") == 4, last["fours"])
    stage.check("1,4,1 is 1", last["ones"].get("ceiling") == 1, last["ones"])


LATER = {"F49": stale_reports, "F50": odd_counts, "F52": odd_stamps, "F54": nesting,
         "F55": zero_and_html}
