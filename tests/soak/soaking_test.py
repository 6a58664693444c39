#!/usr/bin/env python3
"""How samples are judged: a leak is seen below any swing, and a swing is no leak."""
import random
import unittest

from soaking import floor_growth, slope


def samples(count, value):
    return [{"seconds": 10.0 * index, "fds": value(index)} for index in range(count)]


class FloorGrowth(unittest.TestCase):
    def test_a_swing_is_no_growth(self):
        chance = random.Random(1)
        swinging = samples(120, lambda index: 15 + (chance.randrange(80) if index % 4 else 0))
        self.assertEqual(floor_growth(swinging, "fds"), 0)

    def test_a_swing_that_widens_is_no_growth_though_its_line_rises(self):
        widening = samples(120, lambda index: 15 + (index if index % 3 else 0))
        self.assertGreater(slope(widening, "fds"), 2)
        self.assertEqual(floor_growth(widening, "fds"), 0)

    def test_a_leak_below_a_swing_is_growth(self):
        chance = random.Random(2)
        leaking = samples(120, lambda index: 15 + index // 6 + (chance.randrange(80) if index % 4 else 0))
        self.assertGreater(floor_growth(leaking, "fds"), 5)

    def test_what_grew_in_the_first_half_alone_has_settled(self):
        settled = samples(120, lambda index: min(index, 50))
        self.assertEqual(floor_growth(settled, "fds"), 0)

    def test_two_samples_are_compared(self):
        self.assertEqual(floor_growth(samples(4, lambda index: index), "fds"), 1)


if __name__ == "__main__":
    unittest.main()
