"""Programs of the zoo under `flatout run --trace`: what the report says of the device, held to what the simulated device did.

A few of them in every change, one for each cause that they show; all of them by `make test-slow`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]
import harness  # noqa: E402
import machine  # noqa: E402
import observe  # noqa: E402
import traced  # noqa: E402
import true_idle  # noqa: E402

SCALE = 0.3
# (finding, cause of the idle account that holds most of what the device idles in the steps)
WHOLE = {
    "launch_bound": ("launch_bound", "launch"),
    "starved_0w": ("input_bound", "data"),
    "pageable_copies": ("copy_bound", "copy"),
    "checkpoints": ("checkpoint_stall", "checkpoint"),
}
WINDOWS = {"gradient_norms": ("sync_bound", "sync"), "starved_0w": ("input_bound", "data")}


def cases(in_ci):
    return [pytest.param(name, marks=() if name in in_ci else pytest.mark.slow) for name in traced.PROGRAMS]


def seen_of(name, folder, mode):
    if missing := observe.lacks(name):
        pytest.skip(missing)
    seen = traced.run(name, folder, mode, SCALE)
    assert not seen.problems, f"{name}: {'; '.join(seen.problems)}"
    return seen


def check_verdict(seen, finding, cause):
    """The largest cause of the steps is known by construction."""
    assert seen.report["verdict"]["finding"] == finding
    true = seen.devices[0].true
    in_steps = {one: true[f"steps.idle.{one}"] for one in true_idle.CAUSES}
    assert max(in_steps, key=in_steps.get) == cause


@pytest.mark.parametrize("name", cases(WHOLE))
def test_whole_run(flatout, simgpu, name, tmp_path):
    seen = seen_of(name, tmp_path, "kernels")
    # A program that ends by os._exit leaves its last records behind, and the report says so.
    why = seen.report["trace"].get("why")
    assert not why or "before its last records had come" in why
    if name in WHOLE:
        check_verdict(seen, *WHOLE[name])
        the_same_again(seen.report, seen.env, tmp_path)


@pytest.mark.parametrize("name", cases(WINDOWS))
def test_windows(flatout, simgpu, name, tmp_path):
    seen = seen_of(name, tmp_path, "windows")
    trace, device = seen.report["trace"], seen.report["devices"][0]
    # Steps of a second or two have one.
    assert trace["windows"] >= (2 if name in WINDOWS else 1) and trace["share"] < 0.6
    assert device["window_ms"] <= trace["traced_s"] * 1e3 * 1.001
    if name in WINDOWS:
        check_verdict(seen, *WINDOWS[name])


def the_same_again(report, env, folder):
    """From the sealed run, by `report` and `analyze`, and Perfetto's file sums to the account."""
    run = report["run"]["id"]

    def asked(*words):
        done = subprocess.run([harness.flatout_bin(), *words], env=env, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    for verb in ("report", "analyze"):
        later = asked(verb, run, "--format", "json")
        assert later["devices"][0]["idle_account"] == report["devices"][0]["idle_account"]
        assert later["verdict"]["finding"] == report["verdict"]["finding"]
    (file,) = (folder / "exported").glob("*.json")
    idle = [one for one in json.loads(file.read_text())["traceEvents"] if one.get("cat") == "flatout_idle"]
    device = report["devices"][0]
    for cause, share in device["idle_account"].items():
        shown_ms = sum(one["dur"] for one in idle if one["args"]["cause"] == cause) / 1e3
        assert shown_ms == pytest.approx(share * device["window_ms"], rel=0.01, abs=1), cause


# What the device idles with it and not without: then that is what it idles of, whoever defines causes.
ADDED = {"item": "sync", "synchronize": "sync", "pageable": "copy"}
COSTS_NOTHING = 0.02  # of the device's time that it idles without; here the host had the machine for itself


def loop(folder, added):
    """(what the device idled in the steps in truth, by cause; what the report says)."""
    folder.mkdir(parents=True)
    wanted = {"ZOO_MARKS": folder / "marks.json", "ZOO_WITH": added, "SIMGPU_TRUTH_CALLS": 1, "FLATOUT_HOME": folder / "home"}
    env = machine.Machine(folder).environment(folder, env=wanted)
    command = [harness.PYTHON, HERE / "interventions" / "loop.py"]
    outcome = harness.run_observed(command, folder, env=env, options=["--trace", "kernels"])
    assert outcome.code == 0, outcome.err.decode(errors="replace")[-2000:]
    seen = traced.Traced("loop", "kernels", outcome.report, env)
    traced.compare(seen, folder, skip_steps=10)  # it has no modules, so that flatout sees no first step: only the steps count
    return seen.devices[0]


@pytest.mark.slow
def test_what_a_wait_costs_is_what_the_device_idles_with_it_alone(flatout, simgpu, tmp_path):
    without = loop(tmp_path / "nothing", "")
    assert 1 - without.true["steps.busy"] < COSTS_NOTHING
    for added, cause in ADDED.items():
        device = loop(tmp_path / added, added)
        idle = 1 - device.true["steps.busy"]
        assert idle > 2 * COSTS_NOTHING
        assert device.said[f"steps.idle.{cause}"] == pytest.approx(idle, abs=COSTS_NOTHING), added
