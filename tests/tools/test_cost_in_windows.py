"""What windows of tracing cost a run, by made-up steps."""

import sys

import harness

sys.path.insert(0, str(harness.ROOT / "tools"))
import cost_in_windows  # noqa: E402

BEGAN = 1_000_000.0


def parts_of(windows, slower, seconds=30, step_s=0.01, steps=5):
    """Of a program whose steps are longer in windows."""
    parts = {"ms": [], "at_s": [], "steps_of_part": steps}
    now = BEGAN
    while now < BEGAN + seconds:
        in_window = any(begin <= now < end for begin, end in windows)
        parts["at_s"].append(now)
        parts["ms"].append(step_s * 1e3 * (1 + slower * in_window))
        now += step_s * steps * (1 + slower * in_window)
    return parts


WINDOWS = [(BEGAN + at, BEGAN + at + 0.5) for at in (2, 5, 9.5, 18)]


def test_steps_in_windows_are_compared_with_those_around_them():
    found = cost_in_windows.ratios(parts_of(WINDOWS, 0.1), WINDOWS)
    assert len(found) == 4 and all(abs(one - 0.1) < 1e-9 for one in found)
    text = " ".join(cost_in_windows.lines(parts_of(WINDOWS, 0.1), WINDOWS))
    assert "+10.00% longer (median of 4 windows" in text and "cost +0.66" in text, text


def test_no_cost_is_none():
    assert cost_in_windows.ratios(parts_of(WINDOWS, 0), WINDOWS) == [0] * 4


def test_too_few_steps_say_nothing():
    parts = parts_of(WINDOWS, 0.1, step_s=1)
    assert cost_in_windows.ratios(parts, WINDOWS) == []
    assert "No window has enough" in cost_in_windows.lines(parts, WINDOWS)[-1]


def test_windows_are_those_of_the_file_for_perfetto():
    report = {"run": {"started": "2026-11-27T05:26:23.939Z"}}
    events = [{"cat": "flatout_traced", "ts": 1e6, "dur": 5e5}, {"cat": "kernel", "ts": 0, "dur": 1}, {"cat": "flatout_traced", "ts": 1e6, "dur": 5e5}]
    ((begin, end),) = cost_in_windows.windows_of(report, events)
    assert abs(begin - 1795757184.939) < 1e-3 and abs(end - begin - 0.5) < 1e-6
