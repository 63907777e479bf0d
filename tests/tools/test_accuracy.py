"""The page that `make accuracy` writes: healthy programs and false alarms."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "zoo"))
import accuracy  # noqa: E402

WELL = accuracy.Row("well", healthy=True)
ALARMED = accuracy.Row("alarmed", healthy=True, alarms=["input_bound", "epoch_gap"])
SICK = accuracy.Row("sick", alarms=[])


@pytest.mark.parametrize(
    "rows, line",
    [
        ([], "Healthy programs: 0, false alarms: 0."),
        ([SICK], "Healthy programs: 0, false alarms: 0."),
        ([WELL, SICK, WELL], "Healthy programs: 2, false alarms: 0."),
        (
            [WELL, SICK, ALARMED],
            "Healthy programs: 2, false alarms: 1 (`alarmed`: input_bound, epoch_gap).",
        ),
    ],
)
def test_false_alarms_are_counted_by_program(rows, line):
    assert accuracy.false_alarms_line(rows) == line


def test_the_line_stands_in_the_page(monkeypatch):
    monkeypatch.setattr(accuracy, "versions", lambda: ("flatout x",))
    page = accuracy.page([WELL, ALARMED], 1, 3, 0.0, [])
    assert "\nHealthy programs: 2, false alarms: 1 (" in page
