"""Ceilings: a round each time it is asked, medians in the end; the real program where it was built."""

import json
import os
import subprocess
import types
from pathlib import Path

import make_set
import pytest
from loaderbench import ceilings

ROOT = Path(__file__).resolve().parents[2]


def test_rounds_are_kept_and_the_median_is_shown():
    commands, rates = [], iter((100, 300, 110))

    def run(command, **_):
        commands.append(command)
        line = {"name": "decoding", "images_per_s": next(rates), "threads": 2, "note": "n", "aim": True}
        return types.SimpleNamespace(stdout=json.dumps({"ceilings": [line]}))

    alone = ceilings.Ceilings("program", "/set", {3, 1}, 7, run=run)
    for number in (1, 2, 3):
        alone.measure(number)
    assert commands[1] == ["taskset", "--cpu-list", "1,3", "program", "/set", "2", "7", "2"]
    line, = alone.lines()
    assert line["images_per_s"] == 110 and line["aim"]
    assert line["rounds"] == [{"round": 1, "images_per_s": 100}, {"round": 2, "images_per_s": 300}, {"round": 3, "images_per_s": 110}]


def built():
    return max(ROOT.glob("build/*/bench/data_ceilings"), key=os.path.getmtime, default=None)


@pytest.mark.skipif(built() is None, reason="no build with -DFLATOUT_BENCH=ON has made data_ceilings")
def test_the_program_measures_a_set(tmp_path):
    make_set.make(tmp_path, 4, 0, 1)
    alone = ceilings.Ceilings(built(), tmp_path, os.sched_getaffinity(0), 0)
    alone.measure(1)
    assert len(alone.lines()) == 5 and all(line["images_per_s"] > 0 < line["images_per_cpu_s"] for line in alone.lines())
    with pytest.raises(subprocess.CalledProcessError):
        ceilings.Ceilings(built(), tmp_path / "none", {0}, 0).measure(1)
