"""The coverage of predicted intervals, and that the published page says it of its own rows."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from coverage import Coverage, coverage  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs/accuracy.md"
CELLS = re.compile(r"×[\d.]+ \[([\d.]+), ([\d.]+)\] \| ×([\d.]+) \(")


@pytest.mark.parametrize("held, of, fails", [
    (4, 8, True),  # was published as "met every bound"
    (5, 8, True), (6, 8, False), (7, 8, False), (8, 8, False),
    (0, 1, False),  # 5 % is no contradiction
    (0, 2, True),
    (0, 0, False),
    (18, 21, False), (16, 21, True),
    (90, 100, False), (88, 100, True),
])
def test_too_few_held_is_a_failure(held, of, fails):
    assert bool(Coverage(held, of).problems) == fails, Coverage(held, of).chance
    assert (f"{held} of {of}" in str(Coverage(held, of))) == bool(of)


def test_chances_are_those_of_the_binomial():
    assert Coverage(8, 8).chance == pytest.approx(1)
    assert Coverage(7, 8).chance == pytest.approx(1 - 0.95**8)
    assert Coverage(0, 2).chance == pytest.approx(0.05**2)


def test_an_interval_without_a_width_or_none_holds_nothing():
    assert coverage([((1, 1), 1), (None, 1), ((0.9, 1.1), 1), ((1.1, 1.2), 1)]) == Coverage(1, 4)


def test_the_page_says_the_coverage_of_its_rows():
    text = PAGE.read_text()
    rows = [((float(lo), float(hi)), float(measured)) for lo, hi, measured in CELLS.findall(text)]
    assert rows
    assert str(coverage(rows)) in " ".join(text.split())
