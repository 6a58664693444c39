"""The second opinion itself: it knows the contract's digests, and sees each forbidden thing."""
import copy
import unittest

from reading_checker import Checker, Truth, probe_digest, reachable

PROBE = {"path": "/healthz/deep", "method": "GET", "acceptStatuses": [200],
         "gateStatuses": [500, 502, 503], "period": "1s", "timeout": "500ms", "failureThreshold": 3,
         "successThreshold": 2, "allFailedPolicy": "PreserveTraffic"}
CAPACITY = {"path": "/capacity", "method": "GET", "format": "Report", "samples": 4, "quorum": 2,
            "period": "1s", "timeout": "500ms", "maxAge": "10s"}
BEGUN = 1_000_000.0


def stamp(second):
    return f"1970-01-12T13:46:{40 + second:02d}.000Z" if second < 20 else f"1970-01-12T13:47:{second - 20:02d}.000Z"


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.truth = Truth(lambda endpoint: 3)
        self.truth.policy(PROBE, CAPACITY)
        self.checker = Checker(self.truth, BEGUN, slack=1)
        self.revision = 0

    def line(self, kind="Reading", **members):
        self.revision += 1
        return {"type": kind, "instance": "i", "revision": self.revision,
                "service": {"namespace": "n", "name": "s", **members}}

    def probe(self, second, gated, failures, passes, result, **more):
        reading = {"cluster": "c", "endpoint": "http://h/h/home-1", "probe": {
            "policyDigest": probe_digest(PROBE), "gated": gated, "consecutiveFailures": failures,
            "consecutivePasses": passes, "result": result, "message": "HTTP 200",
            "lastProbeTime": stamp(second), **more}}
        self.checker.line(self.line(homes=[reading]), BEGUN + second)

    def capacity(self, servables, **members):
        from reading_checker import capacity_digest
        samples = [{"servable": one, "observedAt": stamp(1), "expiresAt": stamp(11)} for one in servables]
        reading = {"cluster": "c", "endpoint": "http://h/h/home-1", "capacity": {
            "policyDigest": capacity_digest(CAPACITY), "fallbackReason": "", "samples": samples,
            **members}}
        self.checker.line(self.line(homes=[copy.deepcopy(reading)]), BEGUN + 2)

    def broken(self):
        return [one.split(":")[0] for one in self.checker.violations]

    def test_the_digest_is_the_contracts(self):
        self.assertEqual(probe_digest(PROBE), "sha256:0727917987fccf0698041a81bab6747de022a8646a172535143fc"
                                              "83540b7b210")

    def test_a_life_within_the_rules(self):
        self.probe(1, False, 0, 0, "Passing")
        self.probe(2, False, 1, 0, "Failing")
        self.probe(3, False, 2, 0, "Failing")
        self.probe(4, True, 3, 0, "Failing")
        self.probe(5, True, 0, 1, "Passing")
        self.probe(6, False, 0, 0, "Passing")
        self.assertEqual(self.broken(), [])
        self.assertEqual(self.checker.counts["gates closed"], 1)
        self.assertEqual(self.checker.counts["gates lifted"], 1)

    def test_a_gate_that_closes_too_soon(self):
        self.probe(10, False, 0, 0, "Passing")
        self.probe(11, True, 1, 0, "Failing")
        self.assertIn("a gate moves by its thresholds alone", self.broken())

    def test_a_gate_that_lifts_without_a_probe(self):
        self.probe(10, True, 3, 0, "Failing")
        self.probe(10, False, 0, 0, "Passing")
        self.assertIn("a gate moves by its thresholds alone", self.broken())

    def test_an_open_gate_with_too_many_failures(self):
        self.probe(10, False, 3, 0, "Failing")
        self.assertIn("counts and gate agree", self.broken())

    def test_a_text_that_is_not_the_contracts(self):
        self.probe(1, False, 0, 0, "Passing", message="fine\x1b[0m")
        self.assertIn("a message is one of the contract's", self.broken())

    def test_a_good_ceiling(self):
        self.capacity([3, 2], ceiling=3)
        self.assertEqual(self.broken(), [])

    def test_a_ceiling_that_is_not_the_quorums(self):
        self.capacity([3, 2], ceiling=2)
        self.assertIn("the ceiling is the quorum-th smallest", self.broken())

    def test_a_ceiling_above_what_was_reported(self):
        self.capacity([4, 4], ceiling=4)
        self.assertIn("no ceiling is above what was reported", self.broken())

    def test_no_ceiling_without_a_reason(self):
        self.capacity([])
        self.assertIn("without a ceiling there is a reason", self.broken())

    def test_what_was_forgotten_comes_back(self):
        self.probe(1, False, 0, 0, "Passing")
        self.truth.touch("n/s", BEGUN, deleted=True)
        self.checker.line(self.line("Forgotten"), BEGUN + 2)
        self.probe(3, False, 0, 0, "Passing")
        self.assertIn("what was forgotten stays forgotten", self.broken())

    def test_revisions_that_go_back(self):
        self.probe(1, False, 0, 0, "Passing")
        self.revision -= 1
        self.probe(2, False, 0, 0, "Passing")
        self.assertIn("readings' revisions increase", self.broken())

    def test_what_can_be_reached(self):
        fresh = (False, 0, 0, "")
        self.assertNotIn((True, 3, 0, "Failing"), reachable(fresh, 2, 3, 2))
        self.assertIn((True, 3, 0, "Failing"), reachable(fresh, 3, 3, 2))


if __name__ == "__main__":
    unittest.main()
