"""How many measured gains lie in the 95 % interval that was predicted for them.

Of intervals that are what they say, each holds its measurement with a chance of 95 %, so the number that do is
binomial (the measurements are of runs of their own). Where so few as were seen, or fewer, would come by a chance
under LEAST_CHANCE, the intervals are too narrow: one-sided exact binomial test (Clopper and Pearson, "The use of
confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934).
"""

from dataclasses import dataclass
from math import comb

LEVEL = 0.95
LEAST_CHANCE = 0.01


@dataclass
class Coverage:
    held: int
    of: int

    @property
    def chance(self):
        """That so few, or fewer, are held by intervals that are what they say."""
        return sum(comb(self.of, k) * LEVEL**k * (1 - LEVEL) ** (self.of - k) for k in range(self.held + 1))

    @property
    def problems(self):
        if not self.of or self.chance >= LEAST_CHANCE:
            return []
        return [f"the 95 % intervals of the predictions held {self.held} of {self.of} measured gains: "
                f"by chance so few come in {self.chance:.2g} of cases (bound {LEAST_CHANCE:g})"]

    def __str__(self):
        if not self.of:
            return "Coverage of the 95 % intervals of predictions: none was measured."
        said = "too few" if self.problems else "no contradiction"
        return (f"Coverage of the 95 % intervals of predictions: {self.held} of {self.of} measured gains lie in theirs. So few or fewer "
                f"by chance: {self.chance:.2g} (bound {LEAST_CHANCE:g}: {said}).")


def coverage(rows):
    """Of (interval, measured); an interval that is absent or without a width says nothing and counts as not held."""
    held = sum(1 for interval, measured in rows if interval and interval[0] < interval[1] and interval[0] <= measured <= interval[1])
    return Coverage(held, len(rows))
