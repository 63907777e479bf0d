"""The page of `make bench`: when an aim counts as met, and what stands there if it was not measured."""

import copy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
import bench_native  # noqa: E402
import bench_store  # noqa: E402
import bench_verdict  # noqa: E402
import gpu_busy  # noqa: E402

SIZES = {
    "points": 1000,
    "series_bytes": 900.0,
    "device_points": 0,
    "device_bytes": 0.0,
    "events": 10,
    "event_bytes": 80,
    "file_bytes": 4000,
    "log_bytes": 9000,
    "seal": {"payload_bytes": 8000, "wall_s": [0.2, 0.1, 0.3], "cpu_s": [0.1, 0.1, 0.1]},
}
LONG = {**SIZES, "hours": 24, "points_per_s": [6e6, 7e6, 9e6], "device_points": 100, "device_bytes": 150.0}
REPORT = {"wall_s": [1.5, 1.2, 1.4], "peak_bytes": 3.2e8, "printed_bytes": 700}
MEASURED = {
    "traces": ["resnet50"],
    "real": [{**SIZES, "name": "one", "seconds": 20.0}, {**SIZES, "name": "two", "seconds": 20.0, "series_bytes": 1700.0}],
    "day": {**LONG, "report": REPORT},
    "ten_million": {**LONG, "reports": {"text": REPORT, "html": REPORT}},
}


@pytest.mark.parametrize(
    "lo, hi, said",
    [(1, 1.9, "met"), (2, 3, "**missed**"), (1, 2, "not decided: the interval spans it")],
)
def test_an_aim_is_met_by_the_whole_interval(lo, hi, said):
    assert bench_verdict.verdict_of(lo, hi, 2) == said


@pytest.mark.parametrize(
    "lo, hi, said",
    [(6, 9, "met"), (3, 5, "**missed**"), (4, 6, "not decided: the interval spans it")],
)
def test_an_aim_may_be_a_least(lo, hi, said):
    assert bench_verdict.verdict_at_least(lo, hi, 5) == said


def page(**changes):
    return "\n".join(bench_store.store_section({**copy.deepcopy(MEASURED), **changes}))


def test_the_store_meets_its_aims():
    said = page()
    assert "| points taken in by one core | 7.0 M/s | 6.0 to 9.0 | at least 5 M/s | met |" in said
    assert "| bytes a point, real runs | 1.30 | 0.90 to 1.70 | at most 2 | met |" in said
    assert "| text | 1.40 s | 1.20 to 1.50 s | 320 MB | 700 B |" in said
    assert "Not measured: the series of a real GPU" in said and "resnet50" in said


def test_the_store_misses_its_aims():
    real = [{**MEASURED["real"][0], "series_bytes": 2500.0}]
    said = page(real=real, day={**MEASURED["day"], "points_per_s": [1e6, 4e6]})
    assert "at least 5 M/s | **missed** |" in said and "at most 2 | **missed** |" in said


def test_a_day_that_did_not_fit_is_told():
    said = page(day={"problem": "a day needs 3 GiB in /var/tmp, and 1 are free"})
    assert "Not measured: a day needs 3 GiB in /var/tmp, and 1 are free." in said
    assert "taken in by one core" not in said


def test_real_devices_are_told_and_synthetic_use_is_named():
    said = page(traces=[], real=[{**MEASURED["real"][0], "device_points": 200, "device_bytes": 300.0}])
    assert "Of the devices of this machine: 200 points, 1.50 bytes each." in said
    assert "The use of the GPU is synthetic too" in said


def test_the_slowest_log_is_held_against_what_sealing_counts_on():
    def case(name, speed):
        place = {"family_index": 0, "per_family_instance_index": 0}
        return {"run_name": name, "aggregate_name": "median", "bytes_per_second": speed, "counted_bytes_per_s": 30e6, **place}

    (line,) = bench_native.sealing_lines([case("seal/a", 150e6), case("seal/b", 90e6), case("zoom", 1e6)])
    assert "30 MB of payload a second: 33% of what the slowest log gives, seal/b with 90 MB" in line


def test_busy_shares_count_overlapping_kernels_once():
    window = gpu_busy.WINDOW_US
    spans = [(0, window / 2), (window / 4, window / 2), (window * 0.75, window * 1.5), (window * 2, window * 3)]
    assert gpu_busy.shares(spans) == pytest.approx([0.75, 0.5, 1.0])
    assert gpu_busy.shares([]) == []
