"""No id, name or path that the HTTP API is asked for, and none that a store holds, leads to a file of the user's: to read it, or to change it."""

import json
import subprocess
import sys
import urllib.parse

import pytest

import harness
from ui_server import UiServer

sys.path.insert(0, str(harness.ROOT / "tests/track_api"))
import canaries  # noqa: E402

sys.path.pop(0)

SCRIPT = """
import json, sys
import flatout.track as track
names = json.loads(sys.argv[1])
with track.init(project="p", name="hand-made") as run:
    run.log({"loss": 1.0, "said": track.Html("<p>of the run")})
    for name in names:
        for kind in ("file", "artifact", "media"):
            about = {"name": name, "type": name, "version": name, "aliases": [name]}
            run._channel.fact("track_file", {"path": name, "file": name, "bytes": 1, "kind": kind, "artifact": about})
        run._channel.fact("track_row", {"step": 1, "data": {name: {"_type": "image", "file": name}, "t": {"_type": "table-file", "file": name}}})
        run._channel.fact("track_config", {"in_file": name})
    run._channel.fact("track_file", {"path": "link.txt", "file": "link.txt", "bytes": 1, "kind": "file"})
    run._channel.fact("track_row", {"step": 2, "data": {"t": {"_type": "table-file", "file": "table.json"}}})
print(run.flatout_run)
"""
BELOW = ["", "/series", "/steps", "/step-axis", "/ranks", "/idle", "/loader", "/lanes", "/events", "/output", "/report", "/page", "/tune"]  # and /live, which ends where there is no such run
ELSEWHERE = ["/runs?limit=", "/compare?a=", "/compare?runs=", "/config-diff?runs=", "/config-diff?a="]
SECRET = b"the user's"


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    root = tmp_path_factory.mktemp("paths")
    files = canaries.plant(root / "user")
    names = [name for name in canaries.hostile_names(files[:2], root / "home/runs") if "\udcff" not in name]
    env = harness.environment(FLATOUT_HOME=root / "home", FLATOUT_BIN=harness.flatout_bin(), PYTHONPATH=harness.ROOT / "python", WANDB_QUIET="1")
    done = subprocess.run([sys.executable, "-c", SCRIPT, json.dumps(names)], env=env, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    run = done.stdout.strip()
    folder = root / "home/runs" / run
    harness.wait_for(lambda: "outcome" in (folder / "meta.json").read_text() if (folder / "meta.json").exists() else False)
    # As of a store that somebody else has made: links where files of a run lie.
    (folder / "files/link.txt").symlink_to(files[0])
    (folder / "files/table.json").symlink_to(files[4])
    (root / "home/runs/linked").symlink_to(root / "user")
    return root, run, names


def test_whatever_is_asked_for_nothing_of_the_users_is_given_or_changed(scene):
    root, run, names = scene
    before = canaries.seen(root / "user")
    answers = []
    with UiServer(root / "home") as server:
        def ask(path, method="GET", body=None):
            status, _, got = server.ask("/api/v1" + path, method, body)
            assert SECRET not in got, (method, path)
            answers.append(status)
            return status

        for name in [*names, "linked", "link.txt", "table.json"]:
            quoted = urllib.parse.quote(name, safe="")
            for below in [*BELOW, "/live"]:
                assert name == "" or ask(f"/runs/{quoted}{below}") in (400, 404), name
            assert ask(f"/runs/{run}/files/{quoted}") in (400, 404), name
            for path in (f"/runs/{quoted}/files/{quoted}", f"/runs/{run}/series?key={quoted}", f"/runs/{run}/output?stream={quoted}",
                         f"/runs/{run}/events?kind={quoted}", *(f"{one}{quoted}" for one in ELSEWHERE)):
                ask(path)
            for method in ("PATCH", "POST", "PUT", "DELETE"):
                assert name == "" or ask(f"/runs/{quoted}", method, json.dumps({"note": name, "tags": [name]})) in (400, 404, 405), name
                assert ask(f"/runs/{run}/files/{quoted}", method, b"{}") in (400, 404, 405), name
            ask(f"/runs/{run}", "PATCH", json.dumps({"note": name, "tags": [name]}))
            if "%" not in quoted and name:
                server.ask(f"/{name}")
        for below in BELOW:
            ask(f"/runs/{run}{below}")
        (root / "home/runs" / run / "meta.json").unlink()
        (root / "home/runs" / run / "meta.json").symlink_to(root / "user/x.json")
        ask(f"/runs/{run}", "PATCH", json.dumps({"note": "a note", "tags": ["t"]}))
    assert canaries.seen(root / "user") == before
    assert answers.count(200) > len(names) and answers.count(404) > len(names)
