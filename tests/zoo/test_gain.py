"""How a predicted gain is measured, with made-up steps."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import observe  # noqa: E402

REPORT = {"loader": {"workers": 0},
          "findings": [{"advice": [{"knob": "dataloader.num_workers", "to": "2", "predicted_speedup": 2.0, "interval": [1.8, 2.2]}]}]}


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_two_arms_take_turns_in_going_first(monkeypatch, tmp_path, rounds):
    order = []

    def step_s(name, folder, scale, workers):
        order.append(workers)
        return 0.1 if workers is None else 0.05

    monkeypatch.setattr(observe, "_clock_step_s", step_s)
    gain = observe.measure_gain("textbook", REPORT, tmp_path, repetitions=rounds)
    assert order == [None, 2, 2, None, None, 2][: 2 * rounds]
    assert gain.measured == 2.0 and gain.error == 0.0


def test_a_program_is_measured_by_the_clock(monkeypatch, tmp_path):
    """30 steps that wait 0.02 s and compute 0.01 s, of which the first computes for a second, and 0.3 s beside them."""
    steps = [{"s": 0.03, "phases": {"data_wait": 0.02, "forward": 0.01}} for _ in range(30)]
    steps[0] = {"s": 1.02, "phases": {"data_wait": 0.02, "forward": 1.0}}
    truth = {"steps": steps, "intervals": {"epoch_gap": 0.1, "eval": 0.05}, "facts": {"first_build_s": 0.15}}

    def run_plain(command, env):
        Path(env["ZOO_TRUTH"]).write_text(json.dumps(truth))
        return observe.harness.Outcome(0, b"", b"")

    monkeypatch.setattr(observe.harness, "run_plain", run_plain)
    assert observe._clock_step_s("textbook", tmp_path, 1.0, None) == pytest.approx(0.03 + 0.3 / 30)
