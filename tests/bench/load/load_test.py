#!/usr/bin/env python3
"""The parts of tools/loadtest that need no measuring: arithmetic, what peers print, documents, flags."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from load import command, figures, fleet, peer_output, report, results, rows_duty, rows_trouble  # noqa: E402
from load import bench as load_bench  # noqa: E402
from load.rows import ROWS  # noqa: E402

WRK = """Running 3s test @ http://127.1.0.1:7490/capacity
  1 threads and 64 connections
  13022 requests in 3.06s, 1.59MB read
Requests/sec:   4256.35
"""
H2LOAD = """finished in 3.03s, 3048.00 req/s, 381.00KB/s
requests: 9144 total, 9208 started, 9144 done, 9140 succeeded, 1 failed, 2 errored, 1 timeout
"""
HAPROXY = """# pxname,svname,qcur,status,weight
homes,s0,0,UP,1
homes,s1,0,UP 1/2,1
homes,s2,0,DOWN,1
homes,BACKEND,0,UP,2
"""
METRICS = """# HELP x y
attempts_total{kind="poll",result="accepted"} 10
attempts_total{kind="probe",result="passing"} 5
late_bucket{le="0.001"} 90
late_bucket{le="0.01"} 99
late_bucket{le="+Inf"} 100
"""


class Figures(unittest.TestCase):
    def test_a_median_leaves_out_what_is_not_known(self):
        self.assertEqual(figures.median([3, None, 1, 2]), 2)
        self.assertIsNone(figures.median([None]))

    def test_the_ratio_is_that_of_the_middle_pair_and_not_of_the_medians(self):
        self.assertEqual(figures.ratio_of_pairs([1, 20, 3], [1, 10, 1]), 2)

    def test_a_run_without_a_figure_takes_its_partner_with_it(self):
        self.assertEqual(figures.ratios([4, None, 9], [2, 5, 3]), [2, 3])
        self.assertIsNone(figures.ratio_of_pairs([], []))

    def test_jain_is_one_for_equals_and_one_in_n_for_a_single_winner(self):
        self.assertAlmostEqual(figures.jain([0.4] * 5), 1)
        self.assertEqual(figures.jain([1, 0, 0, 0]), 0.25)
        self.assertIsNone(figures.jain([0, 0]))

    def test_a_quantile_is_of_what_came_in_between(self):
        before, after = {0.001: 100, 0.01: 100}, {0.001: 150, 0.01: 200}
        self.assertEqual(figures.quantile_of_buckets(before, after, 0.5), 0.001)
        self.assertEqual(figures.quantile_of_buckets(before, after, 0.51), 0.01)
        self.assertIsNone(figures.quantile_of_buckets(after, after, 0.5))

    def test_a_percentile_never_runs_past_the_end(self):
        self.assertEqual(figures.percentile([5, 1, 3], 1), 5)
        self.assertIsNone(figures.percentile([], 0.5))

    def test_moments_near_the_seam_of_a_period_are_near_each_other(self):
        self.assertAlmostEqual(figures.circular_distance(0.99, 0.01, 1), 0.02)


class PeerOutput(unittest.TestCase):
    def test_wrk(self):
        self.assertEqual(peer_output.wrk(WRK), {"requests": 13022, "seconds": 3.06, "errors": 0})
        worse = WRK + "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 5\n"
        self.assertEqual(peer_output.wrk(worse)["errors"], 15)

    def test_wrk_over_a_minute(self):
        self.assertEqual(peer_output.wrk("9 requests in 1.50m, 1MB read")["seconds"], 90)

    def test_h2load(self):
        self.assertEqual(peer_output.h2load(H2LOAD), {"requests": 9144, "seconds": 3.03, "errors": 4})

    def test_servers_of_haproxy_that_are_on_their_way_up_count_as_up(self):
        self.assertEqual(peer_output.haproxy_servers(HAPROXY), {"UP": 2, "DOWN": 1})

    def test_what_cannot_be_read_is_refused_and_shown(self):
        for read in (peer_output.wrk, peer_output.h2load, peer_output.haproxy_servers):
            with self.assertRaisesRegex(ValueError, "nonsense"):
                read("nonsense")

    def test_metrics_are_summed_by_label(self):
        values = peer_output.prometheus(METRICS)
        self.assertEqual(peer_output.total(values, "attempts_total"), 15)
        self.assertEqual(peer_output.total(values, "attempts_total", kind="probe"), 5)
        self.assertEqual(peer_output.buckets(values, "late"), {0.001: 90, 0.01: 99, float("inf"): 100})


class Homes(unittest.TestCase):
    def test_addresses_are_those_of_the_simulator(self):
        self.assertEqual([fleet.address(n) for n in (0, 249, 250, 62500)],
                         ["127.1.0.1", "127.1.0.250", "127.1.1.1", "127.2.0.1"])

    def test_the_last_service_has_what_is_left(self):
        declared = fleet.services(fleet.plain(25, 80), 10, probe=fleet.probe("1s", "500ms"))
        self.assertEqual([len(service["homes"]) for service in declared], [10, 10, 5])
        self.assertEqual(declared[2]["homes"][0]["endpoint"], "http://127.1.0.21:80")

    def test_haproxy_checks_each_of_them_every_second(self):
        text = rows_duty.haproxy_configuration(3, 7490, "/socket")
        self.assertEqual(text.count("check inter 1s"), 3)
        self.assertIn("127.1.0.3:7490", text)

    def test_a_rhythm_has_not_moved_because_single_attempts_were_late(self):
        self.assertAlmostEqual(rows_duty.drift([10.3, 11.1], [60.5, 61.1, 62.2], 1), 0)
        self.assertAlmostEqual(rows_duty.drift([10.1, 11.1], [60.15, 61.4], 1), 0.05)

    def test_a_service_has_the_mean_of_its_homes(self):
        of_homes = rows_trouble.shares([0] * 20, [10] * 10 + [5] * 10, 10)
        self.assertEqual(rows_trouble.by_service(of_homes), [1, 0.5])


def a_row(name="1", ours=(2.0, 3.0), theirs=(1.0, 2.0)):
    row = results.Row(name, "work", measured="2026-01-01 00:00 UTC")
    for mine, other in zip(ours, theirs):
        row.runs += [results.Run("wrk", {"cpuMicroseconds": other}, 1.0, False),
                     results.Run(results.OURS, {"cpuMicroseconds": mine, "more": 7}, 30.0, True)]
    row.most("CPU / wrk's", row.ratio(results.OURS, "wrk"), 1.15)
    row.least("never measured", None, 4)
    return row


def a_document(*rows):
    return {"format": report.FORMAT, "measured": "now", "versions": {"wrk": None},
            "machine": {"model": "M", "cores": 2, "memoryGiB": 1, "kernel": "6", "descriptors": 100},
            "rows": list(rows)}


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name, "file")

    def test_a_document_comes_back_as_it_was(self):
        self.path.write_text(report.to_json(a_document(a_row())))
        again = report.load(self.path)
        self.assertEqual(again["rows"], [a_row()])
        self.assertIs(json.loads(self.path.read_text())["rows"][0]["goals"][0]["met"], False)

    def test_what_is_no_document_is_refused(self):
        for text in ("{", "[]", '{"format": 1}', '{"format": 1, "rows": [{"runs": [], "goals": []}]}'):
            self.path.write_text(text)
            with self.assertRaises(ValueError):
                report.load(self.path)

    def test_rows_that_were_not_measured_again_stay_in_order(self):
        both = report.merged(a_document(a_row("2")), a_document(a_row("1"), a_row("2", ours=(9.0, 9.0))),
                             list(ROWS))
        self.assertEqual([row.name for row in both["rows"]], ["1", "2"])
        self.assertEqual(both["rows"][1], a_row("2"))

    def test_markdown_tells_goals_medians_and_noise(self):
        text = report.to_markdown(a_document(a_row()))
        self.assertIn("| 1 | CPU / wrk's | <= 1.15 | 1.75 | **no** |", text)
        self.assertIn("| 1 | never measured | >= 4 | - | not measured |", text)
        self.assertIn("| ome-observer | 2 | 2.5 [2.0..3.0] |", text)
        self.assertIn("2 of 4 runs count as noisy", text)

    def test_only_what_stands_between_the_marks_is_replaced(self):
        self.path.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
        report.write_markdown(self.path, "new")
        text = self.path.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n") and "new" in text)
        self.assertNotIn("old", text)

    def test_comparing_shows_ratios_and_what_is_new(self):
        lines = report.compare(a_document(a_row(ours=(1.0, 1.0)), a_row("2")), a_document(a_row()))
        self.assertIn("| 1 | ome-observer | cpuMicroseconds | 2.5 | 1.0 | 0.40 |", lines)
        self.assertIn("| 2 | | not in the baseline | | | |", lines)
        self.assertTrue(any(line.startswith("| 1 | goal | CPU / wrk's | 1.75 | 0.75 |") for line in lines))


class Repeating(unittest.TestCase):
    """Noise is given; nothing is measured."""

    def interleave(self, noise, times, repeats, limit=1):
        options = type("", (), {"quick": False, "repeats": repeats, "noise": 6, "limit": limit})
        made = load_bench.Bench(options, None, None, lambda text: None)
        rest = iter(noise)

        def run(row, name, function, which):
            percent = next(rest)
            return results.Run(name, function(), percent, percent > 6)
        made._run = run
        row = results.Row("1", "work")
        made.interleave(row, [("a", lambda: {}), ("b", lambda: {})], times)
        return [(run.subject, run.foreign) for run in row.runs]

    def test_subjects_alternate(self):
        self.assertEqual(self.interleave([1, 2, 3, 4], 2, 5), [("a", 1), ("b", 2), ("a", 3), ("b", 4)])

    def test_the_quieter_one_of_a_noisy_run_and_its_repetition_counts(self):
        self.assertEqual(self.interleave([20, 9, 5, 2], 1, 2), [("a", 5), ("b", 2)])

    def test_a_run_whose_attempts_were_cut_off_is_noisy_whoever_did_it(self):
        options = type("", (), {"repeats": 0, "noise": float("inf"), "limit": 1})
        made = load_bench.Bench(options, type("", (), {"pids": staticmethod(list)}), None, lambda text: None)
        noisy = [made._run(results.Row("1", "work"), "a", lambda: {"failedPercent": percent}, "1/1").noisy
                 for percent in (0.5, 1.5, None)]
        self.assertEqual(noisy, [False, True, False])

    def test_no_round_begins_after_the_time_is_over_but_the_first(self):
        self.assertEqual(self.interleave([1, 2], 5, 0, limit=-1), [("a", 1), ("b", 2)])

    def test_repetitions_are_bounded(self):
        self.assertEqual(self.interleave([20, 30, 40], 1, 1), [("a", 20), ("b", 40)])


class Flags(unittest.TestCase):
    def refused(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            command.read(arguments)
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_exactly_one_thing_is_done(self):
        self.assertIn("one of --row, --all, --list and --show", self.refused())
        self.refused("--all", "--list")

    def test_what_cannot_be_meant_is_refused(self):
        self.assertIn("invalid choice: '13'", self.refused("--row", "13"))
        self.assertIn("(0) must be a whole number from 1", self.refused("--all", "--pairs", "0"))
        self.refused("--all", "--runs", "many")
        self.refused("--show", "a.json", "--output", "b.json")

    def test_defaults_are_pairs_of_five_and_one_when_quick(self):
        usual, quick = command.read(["--all"]), command.read(["--all", "--quick"])
        self.assertEqual((usual.pairs, usual.runs, usual.repeats), (5, 3, 3))
        self.assertEqual((quick.pairs, quick.runs, quick.repeats), (1, 1, 0))

    def test_a_result_says_how_it_was_measured_and_not_where_it_went(self):
        said = command.own_command(["--row", "1", "--output", "/a", "--launcher", "chrt --rr 5", "--markdown=/b"])
        self.assertEqual(said, "tools/loadtest --row 1 --launcher 'chrt --rr 5'")

    def test_the_program_lists_all_rows_and_refuses_a_file_that_is_none(self):
        program = pathlib.Path(__file__).resolve().parents[3] / "tools/loadtest"
        listed = subprocess.run([program, "--list"], capture_output=True, text=True)
        self.assertEqual([line.split()[0] for line in listed.stdout.splitlines()],
                         ["1", "2", "2b", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"])
        wrong = subprocess.run([program, "--show", __file__], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("not JSON", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
