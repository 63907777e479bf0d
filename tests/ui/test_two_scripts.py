"""Two scripts log into one run at once, and the API is asked meanwhile: all of both is there."""

import json
import subprocess
import sys
import threading

import harness
from scripts import PROGRAMS, counts, ended_with, only_run, points, start, taken, wait_for
from ui_server import UiServer

# A launcher as one finds it: two stages side by side, each with names of its own.
LAUNCHER = """
import subprocess, sys
program, folder, kind = sys.argv[1:]
each = [subprocess.Popen([sys.executable, program, "both", f"{folder}/{name}", f"{folder}/stop", *([f"monitoring/{name}"] if kind == "neptune" else [])])
        for name in ("first", "second")]
sys.exit(max(one.wait() for one in each))
"""
AT_LEAST = 300


def listened(server, run):
    """Ticks of the run, as a page hears them, in a list that goes on growing."""
    ticks = []

    def listen():
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", f"/api/v1/runs/{run}/live", headers={"Authorization": f"Bearer {server.token}"})
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                ticks.append(json.loads(line[6:]))
                if ticks[-1]["state"] != "running":
                    return

    threading.Thread(target=listen, daemon=True).start()
    return ticks


def both_in_one(tmp_path, kind):
    """The run of two stages under one `flatout run`, looked at while it goes on; (run, its home)."""
    home = tmp_path / "home"
    process = subprocess.Popen(
        [harness.flatout_bin(), "run", "--quiet", "--home", home, "--", sys.executable, "-c", LAUNCHER, PROGRAMS / "logs.py", tmp_path, kind],
        env=harness.environment(PYTHONPATH=harness.ROOT / "python"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    with ended_with(process), UiServer(home) as server:
        said = [tmp_path / "first", tmp_path / "second"]
        wait_for(lambda: all(taken(one) >= AT_LEAST for one in said), 60)
        run = only_run(server)
        ticks = listened(server, run)
        wait_for(lambda: len(ticks) >= 2, 60)
        (tmp_path / "stop").touch()
        assert process.wait(timeout=30) == 0, process.stderr.read()
        wait_for(lambda: server.get(f"/runs/{run}")["row"]["state"] == "finished", 60)
        wait_for(lambda: ticks[-1]["state"] == "finished", 60)
        for one in said:
            name = f"{one.name}/value"
            assert points(server, run, name) == [(step, step) for step in range(taken(one))]
        assert not any(text["values"] or text["facts"] for text in lost(server, run))
        return server.get(f"/runs/{run}"), counts(server, run), [taken(one) for one in said]


def lost(server, run):
    return [{"values": one["lost_values"], "facts": one["lost_facts"]} for one in server.get(f"/runs/{run}")["tracked"]]


def test_of_wandbs_names(tmp_path):
    run, found, steps = both_in_one(tmp_path, "wandb")
    (tracked,) = run["tracked"]
    assert tracked["id"] == "both" and len(tracked["parts"]) == 2
    assert found["shared"] == sum(steps)
    assert tracked["exit_code"] == 0


def test_of_neptunes_stages(tmp_path):
    run, _, steps = both_in_one(tmp_path, "neptune")
    (tracked,) = run["tracked"]
    assert tracked["id"] == "both"
    assert {part["namespace"] for part in tracked["parts"]} == {"monitoring/first", "monitoring/second"}
    assert len({part["pid"] for part in tracked["parts"]}) == 2
    # Each is watched by itself.
    watched = {one["pid"] for one in run["series"] if one["name"] == "process.cpu.cores_used"}
    assert {part["pid"] for part in tracked["parts"]} <= watched


def test_each_with_a_recorder_of_its_own(tmp_path):
    """Without `flatout run`: two recordings that bear one id."""
    home, stop = tmp_path / "home", tmp_path / "stop"
    scripts = [start(home, "logs.py", "both", tmp_path / name, stop, under=False) for name in ("first", "second")]
    with ended_with(*scripts), UiServer(home) as server:
        wait_for(lambda: all(taken(tmp_path / name) >= AT_LEAST for name in ("first", "second")), 60)
        stop.touch()
        assert [script.wait(timeout=30) for script in scripts] == [0, 0]
        runs = wait_for(lambda: [rows for rows in [server.get("/runs")["runs"]] if len(rows) == 2 and all(one["state"] == "finished" and one["tracked"] for one in rows)])[0]
        assert {one["tracked"]["id"] for one in runs} == {"both"}
        for one in runs:
            (name,) = {key.split("/")[0] for key in counts(server, one["id"]) if "/" in key}
            assert points(server, one["id"], f"{name}/value") == [(step, step) for step in range(taken(tmp_path / name))]
