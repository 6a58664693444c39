"""C: TLS."""
from stage import TRANSPORT, UNREACHABLE, service


def stalled_handshakes(stage):
    """F22 a handshake that stalls ends with the attempt"""
    homes = stage.start_homes()
    kinds = ("tls-stall", "tls-stall-mid", "tls-drip")
    bad = {f"{kinds[index % 3]}-{index}": homes.tls(kinds[index % 3]) for index in range(20)}
    good = {f"good-{index}": homes.tls("tls-good") for index in range(5)}
    observer, watcher = stage.observe([service("bad", bad, probe={}),
                                       service("good", good, probe={}, capacity={})],
                                      "--ca-file", homes.ca)
    watcher.wait_results([*bad, *good], 6, 15)
    for name in bad:
        stage.expect_probe(watcher, name, "Failing", TRANSPORT + "context deadline exceeded",
                           exact=True)
    for name in good:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    stage.expect_rhythm(watcher, good)
    stays = [event["after"] for kind in kinds for event in homes.log("client_gone", case=kind)]
    stage.check("the client leaves at 0.5 s", stays and 0.4 <= min(stays) and max(stays) <= 0.6,
                stays and f"{min(stays):.3f} to {max(stays):.3f} s")
    stage.check("slots are free again", observer.status()["waiting"] == 0,
                observer.status()["waiting"])


GOOD = ("tls-good", "tls-chain", "tls-12", "tls-13", "tls-soon", "tls-sni", "tls-sni-default")
BAD = {"tls-expired": "expired", "tls-notyet": "not valid yet",
       "tls-wronghost": "not valid for localhost", "tls-selfsigned": "self-signed",
       "tls-alien": "unknown authority", "tls-10": "TLS 1.2", "tls-alert": "alert",
       "tls-rst": "reset"}


def names_and_trust(stage):
    """F23 SNI, chain and name are checked, and failures say why"""
    homes = stage.start_homes()
    good = {name: homes.tls(name) for name in GOOD}
    bad = {name: homes.tls(name) for name in BAD}
    literal = {"literal": homes.tls("tls-good", host="127.0.0.1")}
    _, watcher = stage.observe([service("good", {**good, **literal}, probe={}, capacity={}),
                                service("bad", bad, probe={}, capacity={})],
                               "--ca-file", homes.ca)
    watcher.wait_results([*good, *bad, *literal], 4, 10)
    for name in [*good, *literal]:
        stage.expect_probe(watcher, name, "Passing", "HTTP 200", exact=True)
        stage.expect_ceiling(watcher, name, 4)
    for name, word in BAD.items():
        stage.expect_probe(watcher, name, "Failing", TRANSPORT)
        stage.expect_reason(watcher, name, UNREACHABLE)
        messages = watcher.home(name).messages()
        stage.check(f"{name}: the message names the cause", len(messages) == 1 and
                    word in messages[0], messages)
    four = [tuple(watcher.home(name).messages()) for name in list(BAD)[:4]]
    stage.check("four causes, four messages", len(set(four)) == 4, four)
    said = {(event["target"].split("/")[2], event["listener"], event["sni"])
            for event in homes.log("request")}
    snis = {sni for _, listener, sni in said if listener == "tls-good"}
    stage.check("SNI for the name, none for the address", snis == {"localhost", None}, snis)
    stage.show("messages", {name: watcher.home(name).messages() for name in BAD})


CASES = {"F22": stalled_handshakes, "F23": names_and_trust}
