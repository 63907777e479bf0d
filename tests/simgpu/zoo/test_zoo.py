"""The CUDA zoo in CI: verdict, phases, steps, device busy and intervals of every program, with shorter runs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import observe  # noqa: E402

SCALE = 0.5


def test_every_program_is_expected_something():
    programs = {path.stem for path in (observe.HERE / "programs").glob("*.py")}
    assert programs == {name for name, expected in observe.EXPECTED.items() if "train_py" not in expected}


@pytest.mark.parametrize("name", list(observe.EXPECTED))
def test_program(flatout, simgpu, name, tmp_path, retried):
    if missing := observe.lacks(name):
        pytest.skip(missing)
    if observe.EXPECTED[name].get("slow"):
        pytest.skip("too long for every change: tests/simgpu/zoo/accuracy.py runs it")
    seen = observe.observe_with_retry(name, tmp_path, SCALE, retried)
    problems = list(seen.problems)
    if seen.expected.get("gain") and observe.predicted_gain(seen.report) is None:
        problems.append("no predicted gain of workers")
    if problems and "missed" in seen.expected:
        pytest.xfail(f"{seen.expected['missed']}: {'; '.join(problems)}")
    assert not problems, f"{name}: {'; '.join(problems)}\n{seen.report['verdict']}"
