"""Every combination of phase, fault, scheme, method and connection; what cannot exist, and why; what
must come of the others."""
import collections
import itertools

PHASES = ("resolve", "connect", "tls", "write", "head", "body", "keep-alive")
FAULTS = ("refuse", "reset", "stall", "drip", "truncate", "oversize", "garbage", "close-early",
          "close-late")
SCHEMES = ("http", "https")
METHODS = ("GET", "HEAD", "POST")
CONNECTIONS = ("fresh", "reused")
KINDS = ("probe", "poll")

Combination = collections.namedtuple("Combination", "phase fault scheme method connection kind")

# What an attempt may come to. The words of a probe and of a poll are contractual up to the colon.
GOOD, REFUSED, TRANSPORT, TIMED_OUT, BODY, BODY_TIMED_OUT, TOO_LONG = (
    "good", "refused", "transport", "timed-out", "body", "body-timed-out", "too-long")
DEADLINE = "context deadline exceeded"
WORDS = {
    REFUSED: {"probe": ("Failing", "HTTP 503"),
              "poll": ("Failed", "capacity endpoint returned HTTP 503")},
    TRANSPORT: {"probe": ("Failing", "transport error: "),
                "poll": ("Failed", "capacity endpoint unreachable: ")},
    TIMED_OUT: {"probe": ("Failing", "transport error: " + DEADLINE),
                "poll": ("Failed", "capacity endpoint unreachable: " + DEADLINE)},
    BODY: {"probe": ("Failing", "response body error: "),
           "poll": ("Failed", "reading capacity response: ")},
    BODY_TIMED_OUT: {"probe": ("Failing", "response body error: " + DEADLINE),
                     "poll": ("Failed", "reading capacity response: " + DEADLINE)},
    # A probe reads no more than it may and is judged by the status.
    TOO_LONG: {"probe": ("Passing", "HTTP 200"),
               "poll": ("Failed", "reading capacity response: response exceeds configured limit of ")},
}

EXPECTED = {
    # A lookup is shared and goes on behind the attempt's end: a later attempt may meet its own end.
    "resolve": {"refuse": TRANSPORT, "reset": TRANSPORT, "stall": TRANSPORT, "drip": TRANSPORT,
                "truncate": TRANSPORT, "oversize": GOOD, "garbage": TRANSPORT,
                "close-early": TRANSPORT, "close-late": GOOD},
    "connect": {"refuse": TRANSPORT, "reset": TRANSPORT, "stall": TIMED_OUT,
                "close-early": TRANSPORT},
    "tls": {"refuse": TRANSPORT, "reset": TRANSPORT, "stall": TIMED_OUT, "drip": TIMED_OUT,
            "truncate": TRANSPORT, "oversize": TRANSPORT, "garbage": TRANSPORT,
            "close-early": TRANSPORT, "close-late": TRANSPORT},
    "write": {"refuse": TRANSPORT, "reset": TRANSPORT, "stall": TIMED_OUT, "drip": GOOD,
              "close-early": TRANSPORT, "close-late": GOOD},
    "head": {"refuse": REFUSED, "reset": TRANSPORT, "stall": TIMED_OUT, "drip": TIMED_OUT,
             "truncate": TRANSPORT, "oversize": TRANSPORT, "garbage": TRANSPORT,
             "close-early": TRANSPORT, "close-late": GOOD},
    "body": {"reset": BODY, "stall": BODY_TIMED_OUT, "drip": BODY_TIMED_OUT, "truncate": BODY,
             "oversize": TOO_LONG, "garbage": BODY, "close-early": BODY, "close-late": GOOD},
    "keep-alive": {"refuse": GOOD, "reset": GOOD, "stall": TIMED_OUT, "drip": GOOD,
                   "truncate": GOOD, "oversize": GOOD, "garbage": GOOD, "close-early": GOOD,
                   "close-late": GOOD},
}
# On a reused connection that dies before a byte of an answer, GET and HEAD are sent once more.
RESENT = {("write", "refuse"), ("write", "reset"), ("write", "close-early"), ("head", "close-early"),
          ("keep-alive", "close-late")}


def impossible(one):
    """Why a combination cannot exist, or nothing."""
    if one.phase == "tls" and one.scheme == "http":
        return "plain HTTP has no handshake"
    if one.phase == "keep-alive" and one.connection == "fresh":
        return "a fresh connection has not been kept"
    if one.connection == "reused" and one.method == "POST":
        return "a POST always opens a connection of its own"
    if one.connection == "reused" and one.phase in ("resolve", "connect", "tls"):
        return "a kept connection is past its lookup, connect and handshake"
    if one.phase == "connect" and one.fault not in EXPECTED["connect"]:
        return "a connect carries no bytes, and a later close belongs to a later phase"
    if one.phase == "write" and one.fault not in EXPECTED["write"]:
        return "the bytes of a request are ours: a peer cannot cut, add or change any"
    if one.phase == "body" and one.method == "HEAD":
        return "the answer to a HEAD has no body"
    if one.phase == "body" and one.fault == "refuse":
        return "who sends a body has accepted already; a refusal is a status in the head"
    return None


def all_of_them():
    return [Combination(*values) for values in itertools.product(
        PHASES, FAULTS, SCHEMES, METHODS, CONNECTIONS, KINDS)]


def good_words(one):
    if one.kind == "probe":
        return "Passing", "HTTP 200"
    if one.method == "HEAD":
        return "Failed", "capacity response is not a valid report: "
    return "Accepted", ""


def judge(one, attempts):
    """What is wrong with the attempts (of the history), or nothing."""
    good = good_words(one)
    expected = EXPECTED[one.phase][one.fault]
    resent = one.connection == "reused" and (one.phase, one.fault) in RESENT
    bad = good if expected == GOOD or resent else WORDS[expected][one.kind]
    allowed = [bad] if one.connection == "fresh" else [bad, good]

    def fits(attempt, words):
        said = attempt.get("reason", "")
        return attempt["result"] == words[0] and (said.startswith(words[1]) if words[1] else not said)
    for attempt in attempts:
        if not any(fits(attempt, words) for words in allowed):
            return f"{attempt['result']} {attempt.get('reason', '')!r} instead of {allowed}"
    if not any(fits(attempt, bad) for attempt in attempts):
        return f"{len(attempts)} attempts, and none came to {bad}"
    return None
