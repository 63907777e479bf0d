"""Device time and copies, on a stand-in for torch.cuda; no GPU is needed or used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ring import CAPTURED, read_rings

PROGRAM = Path(__file__).parent / "programs/cuda_programs.py"


def run(name):
    """(ring, calls of the device) of one of the programs; the ring is None where nothing was written."""
    done = subprocess.run([sys.executable, str(PROGRAM), name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    *_, folder, calls = done.stdout.splitlines()
    rings = read_rings(folder)
    assert len(rings) <= 1
    return (rings[0] if rings else None), json.loads(calls)


def begun(ring, name):
    return [p for p in ring.phases if p.begin and p.phase == name]


def durations_ns(ring, name):
    return [ns for phase, ns, _ in ring.device if phase == name]


def test_device_time_copies_and_waits():
    ring, _ = run("loop")
    assert durations_ns(ring, "forward") and set(durations_ns(ring, "forward")) == {7_000_000}
    assert durations_ns(ring, "optimizer") and set(durations_ns(ring, "optimizer")) == {3_000_000}
    assert len(begun(ring, "h2d")) == 6
    assert len(begun(ring, "sync")) >= 5
    assert ring.fact("devices")[0]["devices"][0]["name"] == "Stand-in"
    (copy,) = ring.fact("copy")
    assert copy["pinned"] is False and copy["bytes"] == 40 and copy["at"].startswith(str(PROGRAM))


def test_what_the_device_did_before_the_last_wait_is_known():
    ring, _ = run("loop")
    assert len(durations_ns(ring, "forward")) == len(durations_ns(ring, "optimizer")) == 5


def test_a_copy_that_does_not_keep_the_host_is_not_made_to():
    ring, calls = run("pinned_non_blocking")
    assert calls["recorded"] == calls["elapsed"] == 0
    assert len(begun(ring, "h2d")) == 5 and not begun(ring, "sync")
    assert ring.fact("copy")[0]["pinned"] is True


def test_what_is_copied_before_any_training_is_named_as_no_copy_of_a_step():
    ring, _ = run("model_that_moves")
    assert len(begun(ring, "h2d")) == 5
    assert ring.fact("copy") == []


def test_tensors_of_the_host_ask_nothing_of_a_device():
    _, calls = run("host")
    assert not any(calls.values())


def test_what_a_tensor_of_the_device_hands_to_the_host_is_sync():
    ring, calls = run("device")
    assert len(begun(ring, "sync")) == 7 and not begun(ring, "h2d")
    assert not any(calls.values())


@pytest.mark.parametrize("name", ["capture", "capture_of_another_stream"])
def test_nothing_is_asked_during_a_capture(name):
    ring, calls = run(name)
    assert calls["forbidden"] == 0
    assert not ring.fact("problem")
    assert durations_ns(ring, "forward") and durations_ns(ring, "backward")


@pytest.mark.parametrize("name", ["capture", "capture_of_another_stream"])
def test_what_a_capture_keeps_from_being_timed_is_counted(name):
    ring, _ = run(name)
    assert ring.fact("captures") == [{"boundaries": 60, "copies": 30}]


def ended(ring, name):
    return [p for p in ring.phases if not p.begin and p.phase == name]


def test_each_replay_of_a_graph_that_holds_an_update_is_one():
    ring, calls = run("whole_step_graph")
    assert calls["forbidden"] == 0
    assert len(ended(ring, "replay")) == 150
    updates = ended(ring, "optimizer")
    assert [bool(p.flags & CAPTURED) for p in updates] == [False, False, False, True]
    assert durations_ns(ring, "replay") == pytest.approx([9e6] * 149, rel=1e-6)


def test_steps_of_replays_close_without_a_loader():
    done = subprocess.run([sys.executable, str(PROGRAM), "whole_step_graph"], capture_output=True, text=True, timeout=60)
    # The stand-in's forwards are marked as phases, which close nothing: three updates before
    # the first replay are one step, and the last replay's is open.
    assert int(done.stdout.splitlines()[0]) == 150


def test_replays_of_parts_of_a_step_are_no_updates():
    ring, _ = run("graphs_of_parts")
    assert not begun(ring, "replay")
    assert len(ended(ring, "optimizer")) == 10 and not any(p.flags & CAPTURED for p in ended(ring, "optimizer"))
    assert set(durations_ns(ring, "forward")) == {3_000_000}
    assert set(durations_ns(ring, "backward")) == {6_000_000}


def test_a_graph_that_is_captured_anew_is_what_it_holds_then():
    ring, _ = run("graph_captured_anew")
    assert len(begun(ring, "replay")) == 1


def test_without_a_capture_nothing_is_said_of_any():
    ring, _ = run("loop")
    assert ring.fact("captures") == []


def test_behind_a_capture_that_fails_the_device_is_asked_again():
    ring, calls = run("capture_that_fails")
    assert calls["forbidden"] == 0
    assert durations_ns(ring, "backward")
    assert ring.fact("captures") == [{"boundaries": 2, "copies": 0}]


def test_events_are_kept_for_each_device():
    ring, calls = run("two_devices")
    assert calls["made"] < 100
    assert not ring.fact("problem")
    assert len(durations_ns(ring, "forward")) > 1100


def test_a_hook_that_fails_says_so_once_and_is_off():
    ring, calls = run("fails")
    problems = [fact["problem"] for fact in ring.fact("problem")]
    assert sorted(problems) == [
        "the device time of copies is missing from here on: CUDA error 700: made up",
        "the device time of the phases is missing from here on: CUDA error 700: made up",
    ]
    assert calls["recorded"] == 2


def test_a_thread_that_has_given_no_device_anything_to_do_is_left_alone():
    done = subprocess.run([sys.executable, str(PROGRAM), "thread_without_a_device"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    meanwhile, folder, _ = done.stdout.splitlines()
    (ring,) = read_rings(folder)
    assert {name for name, count in json.loads(meanwhile).items() if count} == {"places"}
    assert not ring.fact("problem") and not durations_ns(ring, "forward")
    assert durations_ns(ring, "backward")


def test_a_forked_child_asks_nothing_of_the_device():
    done = subprocess.run([sys.executable, str(PROGRAM), "fork"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rings = read_rings(done.stdout.splitlines()[0])
    assert sorted(sorted({name for name, _, _ in ring.device}) for ring in rings) == [[], ["forward", "optimizer", "other"]]


def test_a_child_that_starts_cuda_itself_is_timed():
    done = subprocess.run([sys.executable, str(PROGRAM), "fork_before_cuda"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rings = read_rings(done.stdout.splitlines()[0])
    assert sorted(sorted({name for name, _, _ in ring.device}) for ring in rings) == [[], ["backward", "other"]]


NO_DRIVER = """
import json
import sys

sys.path.insert(0, sys.argv[1])
from native import NUMBER, load_with_ring

native, folder = load_with_ring()
said = []
native.device_time(lambda: True, lambda device: 0, type(None), lambda: None, lambda *words: said.append(words), lambda source: False)
for _ in range(3):
    native.begin(NUMBER["forward"])
    native.end(NUMBER["forward"])
print(json.dumps(said))
"""


def test_without_the_drivers_library_one_line_says_so():
    done = subprocess.run([sys.executable, "-c", NO_DRIVER, Path(__file__).parent], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["the device time of the phases", "libcuda.so.1 is not in this process"]]
