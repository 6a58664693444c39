"""Arithmetic of measurements: pure, without clock and without I/O."""
import statistics


def median(values):
    """Of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def ratios(numerators, denominators):
    """One ratio for each pair of runs that followed each other. A run without a figure takes its
    partner with it."""
    return [above / below for above, below in zip(numerators, denominators)
            if above is not None and below]


def ratio_of_pairs(numerators, denominators):
    """Median of the ratios: what the machine does meanwhile hits both halves of a pair alike."""
    return median(ratios(numerators, denominators))


def jain(shares):
    """Jain's index of fairness: 1 when all shares are equal, 1/n when one has everything."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


def percentile(values, share):
    """The value below which `share` of all lie; None without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def quantile_of_buckets(before, after, share):
    """The upper bound of the bucket in which the quantile of what came between two scrapes of a
    cumulative histogram lies ({bound: count}); None when nothing came."""
    counts = [(bound, after[bound] - before.get(bound, 0)) for bound in sorted(after)]
    total = counts[-1][1] if counts else 0
    if total <= 0:
        return None
    return next(bound for bound, count in counts if count >= share * total)


def circular_distance(one, other, period):
    """How far two moments of a period are apart, whichever way round."""
    apart = abs(one - other) % period
    return min(apart, period - apart)
