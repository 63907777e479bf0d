"""libflatout_inject.so, loaded by CUDA into programs in C: its ring has what the truth has."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import time

import machine
import pytest
from trace_checks import LIBRARY, Traced, assert_agrees, assert_same, whole
from trace_ring import read_trace_rings
from truth import Truth

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "traced"


@pytest.fixture(scope="module")
def built(simgpu, tmp_path_factory):
    """{name of a program: its file}; only what is a client of CUPTI itself is linked against it."""
    folder = tmp_path_factory.mktemp("traced")
    made = {}
    for source in sorted(PROGRAMS.glob("*.c")):
        made[source.stem] = folder / source.stem
        cupti = ["-l:libcupti.so.13"] if "cupti.h" in source.read_text() else []
        command = ["gcc", "-O1", "-Wall", "-Wno-unused-function", "-isystem", str(machine.BUILT / "include"), str(source)]
        libraries = ["-L", str(machine.BUILT / "lib"), "-l:libcudart.so.13", *cupti, "-lpthread", "-Wl,--allow-shlib-undefined"]
        subprocess.run([*command, "-o", str(made[source.stem]), *libraries], check=True)
    return made


@pytest.fixture
def traced(simgpu, built, tmp_path):
    """A program of programs/traced under the agent, in mode `trace`; `settings` are its variables."""

    def run(what, *arguments, trace="kernels", status=0, env=None, slower=1, devices=1, **settings):
        scratch, rings = simgpu.scratch(), tmp_path / "rings"
        rings.mkdir(exist_ok=True)
        more = {"CUDA_INJECTION64_PATH": LIBRARY, "FLATOUT_RING_DIR": rings, "FLATOUT_TRACE": trace, **(env or {})}
        more.update({"FLATOUT_TRACE_" + key.upper(): value for key, value in settings.items()})
        done = subprocess.run(
            [str(built.get(what, built["traced"])), what, *map(str, arguments)],
            env=simgpu.environment(scratch, env=more, slower=slower, devices=devices),
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        assert done.stderr == ""
        return Traced(done, read_trace_rings(rings), Truth(scratch / "truth"))

    return run


def test_all_sorts_of_operations_are_in_the_ring_as_they_were(traced):
    seen = traced("all")
    whole(seen.ring)
    assert len(seen.truth.operations) == 7
    assert_agrees(seen.ring, seen.truth.operations)
    assert seen.facts == [{"mode": "kernels", "cupti": "13.0", "state": "on"}]
    (window,) = seen.ring.windows
    assert window.end == "exit" and all(window.start_ns <= one.start_ns and one.end_ns <= window.end_ns for one in seen.ring.activities)


def test_calls_have_their_names_and_threads_and_waits_launch_nothing(traced):
    seen = traced("all")
    names = collections.Counter(call.name for call in seen.ring.calls)
    assert names["cudaLaunchKernel"] == 2 and names["cudaMemcpyAsync"] == 3 and names["cudaMemsetAsync"] == 1
    assert not [name for name in names if "Stream" in name and "Synchronize" not in name]  # cudaStreamCreateWithFlags
    waits = [call for call in seen.ring.calls if call.name.endswith("Synchronize")]
    assert len(waits) == 2 and all(call.correlation == 0 for call in waits)
    assert {call.tid for call in seen.ring.calls} == {seen.ring.pid}


def test_records_are_those_of_all_threads_and_a_name_comes_once(traced):
    seen = traced("threads", 3000, buffer_bytes=65536)
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.operations)
    assert len({call.tid for call in seen.ring.calls if call.correlation}) == 4
    assert len(seen.truth.operations) == 12000
    assert sorted(name for name in seen.ring.names.values() if name.startswith("_Z")) == ["_Z8a_kernelPfi"]


def test_a_ring_that_is_too_small_drops_and_counts(traced):
    seen = traced("launches", 20000, ring_bytes=1 << 16)
    assert len(seen.truth.operations) == 20000
    kept = len(seen.ring.activities) + len(seen.ring.calls)
    assert 1000 < kept < 1500
    assert seen.ring.dropped >= 40000 - kept
    of_truth = {one.correlation: one for one in seen.truth.operations}
    for activity in seen.ring.activities:
        assert_same(activity, of_truth[activity.correlation])


def test_an_exhausted_pool_drops_and_counts(traced):
    seen = traced("threads", 4000, buffer_bytes=1024, buffers=1)
    dropped = sum(window.dropped for window in seen.ring.windows)
    assert dropped > 0 and seen.ring.dropped == 0
    lost = len(seen.truth.operations) - len(seen.ring.activities)
    assert 0 < lost <= dropped
    of_truth = {one.correlation: one for one in seen.truth.operations}
    for activity in seen.ring.activities:
        assert_same(activity, of_truth[activity.correlation])


def test_windows_lie_apart_and_hold_all_that_was_launched_in_them(traced):
    seen = traced("paced", 4000, trace="windows", delay_ms=300, window_ms=200)
    whole(seen.ring)
    assert [window.end for window in seen.ring.windows] == ["planned", "planned"]
    first, second = seen.ring.windows
    assert all(150e6 < window.end_ns - window.start_ns < 400e6 for window in seen.ring.windows)
    assert 1.9e9 < second.start_ns - first.end_ns < 3e9
    edge = 2_000_000  # of a window: kinds are switched one after the other
    inside = [one for one in seen.truth.operations if seen.ring.covers(one.enqueued_ns)]
    assert 150 < len(inside) < len(seen.truth.operations) / 4
    there = {activity.correlation: activity for activity in seen.ring.activities}
    for one in inside:
        if seen.ring.covers(one.enqueued_ns - edge) and seen.ring.covers(one.enqueued_ns + edge):
            assert_same(there[one.correlation], one)
    assert all(seen.ring.covers(one.start_ns - edge) or seen.ring.covers(one.start_ns + edge) for one in seen.ring.activities)
    assert [fact["state"] for fact in seen.facts] == ["on"]


RECORD_NS, PAUSE_PER_COST = 440, 333  # src/inject/cupti/window_schedule.h
SHORTEST_PAUSE_NS = 2_000_000_000


def windows_of(ring):
    """[(start, end)]: a long one is written in parts, each where the one before ended."""
    joined = []
    for window in ring.windows:
        if joined and joined[-1][1] == window.start_ns:
            joined[-1] = (joined[-1][0], window.end_ns)
        else:
            joined.append((window.start_ns, window.end_ns))
    return joined


@pytest.fixture
def hurried(traced, tmp_path):
    """A run whose first window asks for a longer pause than the shortest, and that pause: how many records a window of some
    length has is for the machine to say, so windows get longer until one has enough."""
    for window_ms in (100, 400, 1600, 6400):
        shutil.rmtree(tmp_path / "rings", ignore_errors=True)
        seen = traced("hurried", 4 * window_ms, trace="windows", delay_ms=0, window_ms=window_ms, ring_bytes=1 << 28)
        whole(seen.ring)
        records = sum(one.start_ns < windows_of(seen.ring)[0][1] for one in (*seen.ring.activities, *seen.ring.calls))
        pause_ns = records * RECORD_NS * PAUSE_PER_COST
        if pause_ns > 1.5 * SHORTEST_PAUSE_NS:
            return seen, pause_ns
    pytest.fail(f"a window of {window_ms} ms had {records} records, which ask for no long pause")


def test_a_window_that_cost_much_has_a_long_pause_behind_it(hurried):
    seen, pause_ns = hurried
    (_, end_ns), *others = windows_of(seen.ring)
    assert all(start_ns - end_ns >= pause_ns for start_ns, _ in others), (pause_ns, seen.ring.windows)
    launched = [one.enqueued_ns for one in seen.truth.operations if one.enqueued_ns > end_ns + SHORTEST_PAUSE_NS]
    assert len(launched) > 100, "nothing was left to be traced when the shortest pause was over"


def test_no_window_before_the_delay(traced):
    assert traced("launches", 100, trace="windows", delay_ms=30000).rings == []


@pytest.mark.parametrize("trace", ["kernels", "windows"])
def test_children_of_fork_are_not_traced_and_the_parent_goes_on(traced, trace):
    seen = traced("forks", trace=trace, delay_ms=0, window_ms=60000)
    if trace == "windows":  # what ran before the window is not in it
        whole(seen.ring)
        assert len(seen.rings) == 1 and seen.facts[0]["state"] == "on"
        return
    assert seen.ring.pid in {one.pid for one in seen.truth.operations}
    whole(seen.ring)
    assert_agrees(seen.ring, seen.truth.of(pid=seen.ring.pid))
    assert len(seen.ring.activities) == 900


def test_after_a_kill_what_was_drained_is_there_with_a_window(traced):
    seen = traced("killed", 3000, status=-9)
    assert [window.end for window in seen.ring.windows] == ["planned"] * len(seen.ring.windows) and len(seen.ring.windows) >= 2
    for before, after in zip(seen.ring.windows, seen.ring.windows[1:]):
        assert before.end_ns == after.start_ns
    covered = [one for one in seen.truth.operations if seen.ring.covers(one.start_ns)]
    assert len(covered) > 1000
    assert {one.correlation for one in covered} <= {one.correlation for one in seen.ring.activities}


def test_an_end_without_handlers_leaves_what_was_drained(traced):
    seen = traced("_exit", 2500)
    covered = [one for one in seen.truth.operations if seen.ring.covers(one.start_ns)]
    assert len(covered) > 700
    assert {one.correlation for one in covered} <= {one.correlation for one in seen.ring.activities}


def test_what_still_runs_at_the_end_is_waited_for_no_longer_than_a_moment(traced):
    began = time.monotonic()
    seen = traced("pending", slower=100)
    assert time.monotonic() - began < 10
    assert sum(window.dropped for window in seen.ring.windows) == 1 and seen.ring.activities == []


def test_a_program_that_becomes_another_has_one_ring_with_numbers_of_both(traced):
    seen = traced("execs")
    whole(seen.ring)
    names = collections.Counter(activity.name for activity in seen.ring.activities)
    assert names == {"_Z8a_kernelPfi": 55, "_Z14another_kernelPfi": 55}


def test_its_thread_has_a_name_and_blocks_every_signal(traced):
    lines = traced("counts").done.stdout.splitlines()
    threads = dict(zip((line.split()[1] for line in lines if line.startswith("Name")), (line.split()[1] for line in lines if line.startswith("SigBlk"))))
    # all but SIGKILL, SIGSTOP and the two that the C library keeps for itself
    assert int(threads["flatout-trace"], 16) | 1 << 8 | 1 << 18 | 3 << 31 == (1 << 64) - 1
    assert int(threads["traced"], 16) & ~(1 << 16) == 0  # SIGCHLD is system()'s


def test_a_process_that_only_asks_what_devices_there_are_has_no_ring(traced):
    assert traced("asks").rings == []


@pytest.mark.parametrize("env", [{"FLATOUT_TRACE": "no"}, {"FLATOUT_RING_DIR": ""}, {"FLATOUT_RING_DIR": "/gone/away"}], ids=["off", "no folder", "gone"])
def test_without_an_order_or_a_folder_it_does_nothing(traced, env):
    seen = traced("launches", 50, env=env)
    assert seen.done.stdout == "done\n" and seen.rings == []


def test_a_program_without_cuda_loads_nothing(tmp_path):
    maps = subprocess.run(["cat", "/proc/self/maps"], env={"CUDA_INJECTION64_PATH": str(LIBRARY)}, capture_output=True, text=True, check=True).stdout
    assert "libc.so" in maps and "flatout" not in maps


@pytest.fixture
def without_cupti(tmp_path):
    """A folder of the simulated libraries with no CUPTI among them."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for path in (machine.BUILT / "lib").glob("lib*.so*"):
        if not path.name.startswith("libcupti"):
            (folder / path.name).symlink_to(path.resolve())
    return folder


@pytest.mark.parametrize("there", ["none", "another"])
def test_without_cupti_there_is_one_fact_and_no_trace(traced, without_cupti, there):
    why = "no libcupti.so.13 or libcupti.so.12 was found"
    if there == "another":
        why = "libcupti lacks a function of its activity API"
        subprocess.run(["gcc", "-shared", "-xc", os.devnull, "-o", str(without_cupti / "libcupti.so.13"), "-Wl,-soname,libcupti.so.13"], check=True)
    seen = traced("launches", 50, env={"LD_LIBRARY_PATH": without_cupti})
    if there == "none" and seen.facts[0].get("cupti"):
        pytest.skip("the CUPTI of a CUDA toolkit is installed here")
    assert seen.facts == [{"mode": "kernels", "state": "absent", "why": why}]
    assert (seen.ring.activities, seen.ring.calls, seen.ring.windows) == ([], [], [])


def test_cupti_is_found_in_the_folder_that_wheels_have_it_in(traced, without_cupti):
    beside = without_cupti.parent.parent / "cuda_cupti" / "lib"
    beside.mkdir(parents=True)
    (beside / "libcupti.so.13").symlink_to(machine.BUILT / "lib" / "libcupti.so.13")
    wheel = without_cupti.parent.parent / "cuda_runtime" / "lib"
    wheel.parent.mkdir()
    without_cupti.rename(wheel)
    seen = traced("launches", 50, env={"LD_LIBRARY_PATH": wheel})
    assert_agrees(seen.ring, seen.truth.operations)


def test_a_client_that_comes_between_windows_gets_all_its_records(traced):
    seen = traced("subscribes", trace="windows", delay_ms=0, window_ms=50)
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 3000, "foreign": 0}
    assert [window.end for window in seen.ring.windows] == ["planned"] and len(seen.ring.activities) <= 200


def test_a_client_that_comes_within_a_window_keeps_what_it_switched_on(traced):
    seen = traced("subscribes", trace="windows", delay_ms=0, window_ms=800)
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 3000, "foreign": 0}
    assert seen.facts[-1]["state"] == "yielded" and seen.ring.windows[-1].end == "yielded"


def test_beside_a_client_of_callbacks_nothing_is_left_on(traced):
    seen = traced("subscribes", "alone", buffer_bytes=4096)
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 0, "foreign": 0}
    assert [fact["state"] for fact in seen.facts] == ["on", "yielded"]
    assert 200 < len(seen.ring.activities) < 3200


def test_a_client_that_comes_without_a_word_gets_all_its_records(traced):
    seen = traced("subscribes")
    assert json.loads(seen.done.stdout) == {"subscribed": 0, "kernels": 3000, "foreign": 0}
    assert [fact["state"] for fact in seen.facts] == ["on", "yielded"]
    assert seen.ring.windows[-1].end == "yielded"
    assert len(seen.ring.activities) >= 200
