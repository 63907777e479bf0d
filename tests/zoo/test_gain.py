"""How a predicted gain is measured, with made-up steps."""

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

    def step_s(name, folder, scale, workers, in_flight):
        order.append(workers)
        return 0.1 if workers is None else 0.05

    monkeypatch.setattr(observe, "_steady_step_s", step_s)
    gain = observe.measure_gain("textbook", REPORT, tmp_path, repetitions=rounds)
    assert order == [None, 2, 2, None, None, 2][: 2 * rounds]
    assert gain.measured == 2.0 and gain.error == 0.0
