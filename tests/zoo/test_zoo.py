"""The zoo in CI: every program's verdict, phases, steps and intervals, with
shorter runs, and the predicted gain of the textbook case."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import observe  # noqa: E402

SCALE = 0.5


def test_every_program_is_expected_something():
    programs = {path.stem for path in (observe.ZOO / "programs").glob("*.py")}
    assert programs == set(observe.EXPECTED)


def says_who_has_the_cores(name, report):
    """Beside other programs, of samples that burn a core: what more workers gain is taken from these."""
    loaded = any("figures of a loaded machine" in note for note in report["notes"])
    told = any("from the other programs" in advice.get("how", "") for finding in report["findings"] for advice in finding.get("advice", []))
    return observe.EXPECTED[name].get("burns", False) and loaded and told


@pytest.mark.parametrize("name", list(observe.EXPECTED))
def test_program(flatout, name, tmp_path, retried):
    if missing := observe.lacks(name):
        pytest.skip(missing)
    seen = observe.observe_with_retry(name, tmp_path, SCALE, retried)
    problems = seen.problems + seen.phase_problems
    if observe.EXPECTED[name].get("gain") and observe.predicted_gain(seen.report) is None:
        if not says_who_has_the_cores(name, seen.report):
            problems.append("no predicted gain of workers")
    assert not problems, f"{name}: {'; '.join(problems)}\n{seen.report['verdict']}"


def test_predicted_gain_of_the_textbook_case(flatout, tmp_path, retried):
    gain = observe.observed_gain("textbook", tmp_path / "first", SCALE, rounds=1)
    if abs(gain.error) > observe.GAIN_BOUND:
        retried(f"textbook: retried once, the first gain was off by {gain.error:+.0%}: {gain}")
        gain = observe.observed_gain("textbook", tmp_path / "second", SCALE, rounds=3)
    assert abs(gain.error) <= observe.GAIN_BOUND, gain
