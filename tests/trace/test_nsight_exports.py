"""`flatout analyze` on real exports of Nsight Systems, held against SQL on the same files. None is kept here: name a folder of them."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import harness
import pytest

FOLDER = os.environ.get("FLATOUT_NSIGHT_EXPORTS")
EXPORTS = sorted(Path(FOLDER).glob("*.sqlite")) if FOLDER else []
KERNELS = "select deviceId, start, end, value like '%nccl%' from CUPTI_ACTIVITY_KIND_KERNEL join StringIds on id = shortName"
OTHERS = "select deviceId, start, end, null from CUPTI_ACTIVITY_KIND_{}"


def activities(path):
    """{device: [(begin, end, whether it communicates, or None of what is no kernel)]}"""
    found = {}
    with sqlite3.connect(path) as file:
        tables = {name for (name,) in file.execute("select name from sqlite_master")}
        queries = [KERNELS, *(OTHERS.format(kind) for kind in ("MEMCPY", "MEMSET") if f"CUPTI_ACTIVITY_KIND_{kind}" in tables)]
        for query in queries:
            for device, *activity in file.execute(query):
                found.setdefault(device, []).append(activity)
    return found


def covered(spans):
    total, until = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


@pytest.mark.skipif(not EXPORTS, reason="FLATOUT_NSIGHT_EXPORTS names no folder with exports of Nsight Systems")
@pytest.mark.parametrize("path", EXPORTS or [None], ids=lambda path: path.stem if path else "none")
def test_an_export_gives_what_sql_gives(path):
    done = subprocess.run([harness.flatout_bin(), "analyze", path, "--format", "json"], capture_output=True, text=True, check=True)
    devices = {device["index"]: device for device in json.loads(done.stdout)["devices"]}
    expected = activities(path)
    assert devices.keys() == expected.keys()
    for number, on_it in expected.items():
        device, window = devices[number], max(end for _, end, _ in on_it) - min(begin for begin, _, _ in on_it)
        kernels = covered((begin, end) for begin, end, comm in on_it if comm is not None)
        compute = covered((begin, end) for begin, end, comm in on_it if comm == 0)
        assert device["kernels"]["count"] == sum(comm is not None for *_, comm in on_it)
        assert device["window_ms"] == pytest.approx(window / 1e6)
        assert device["busy"] == pytest.approx(covered((begin, end) for begin, end, _ in on_it) / window, abs=1e-6)
        assert device["comm_exposed"] == pytest.approx((kernels - compute) / window, abs=0.001)
        assert device["compute"] == pytest.approx(compute / window, abs=0.001)  # flatout counts sets of memory to it
