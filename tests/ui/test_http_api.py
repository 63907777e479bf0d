"""The HTTP API of `flatout ui`, over runs that were made up and one that goes on."""

import fcntl
import json
import shutil
import struct
import subprocess
import sys

import harness
import jsonschema
import pytest

import make_store
from harness import wait_for

OPENAPI = json.loads((harness.ROOT / "schema/openapi.json").read_text())


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("ui") / "home"
    make_store.made_up("small", home, 40)
    make_store.made_up("values", home, 400_000, 4, "long")
    return home


def long_run(server):
    return server.get("/runs", query="long")["runs"][0]["id"]


def held_to(schema, value):
    """`value` is what the description says."""
    whole = {**OPENAPI["components"]["schemas"][schema], "components": OPENAPI["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


def test_list_is_found_sorted_and_cut(server):
    everything = server.get("/runs", limit=5000)
    held_to("RunList", everything)
    assert everything["total"] == 41 == len(everything["runs"])
    even = server.get("/runs", query='tag("even") and state == finished', sort="median_ms", order="desc", limit=3, offset=1)
    assert even["matched"] > 10 and len(even["runs"]) == 3
    medians = [run["median_ms"] for run in even["runs"]]
    assert medians == sorted(medians, reverse=True)
    status, _, body = server.ask("/api/v1/runs?query=state+%3D%3D")
    assert status == 400 and b"column 9" in body
    for wrong in ("limit=-1", "limit=5001", "offset=x", "order=up"):
        assert server.ask(f"/api/v1/runs?{wrong}")[0] == 400


def test_a_run_says_what_it_was(server):
    run = server.get(f"/runs/{long_run(server)}")
    held_to("Run", run)
    assert run["row"]["name"] == "long" and not run["live"]
    by_key = {one["key"]: one for one in run["series"]}
    loss = by_key["v:4000:0:train/loss"]
    assert loss["count"] == 100_000 and loss["last_step"] == 99_999
    assert by_key["m:device.utilization:-1"]["label"] == "GPU 0"
    assert server.ask("/api/v1/runs/aaaa")[0] == 404


@pytest.mark.parametrize("axis", ["time", "step"])
def test_no_zoom_sends_more_than_two_points_a_pixel(server, axis):
    run = long_run(server)
    for first, last in ((0, 99_999), (5_000, 45_000), (70_000, 70_100), (99_990, 99_999)):
        answer = server.get(f"/runs/{run}/series", key="v:4000:0:train/loss", x=axis, width=200, **{"from": first, "to": last})
        held_to("Series", answer)
        curve = answer["series"][0]
        points = len(curve["x"]) if curve["raw"] else 2 * len(curve["x"])
        assert 0 < points <= 2 * 202
        column = (last - first) / 200 + 1
        assert curve["x"] == sorted(curve["x"]) and curve["x"][0] <= first + column and curve["x"][-1] >= last - column
        if not curve["raw"]:
            assert all(low <= value <= high for low, value, high in zip(curve["min"], curve["last"], curve["max"]))


def test_columns_are_the_same_as_json(server):
    path = f"/runs/{long_run(server)}/series"
    keys = ["v:4000:0:train/loss", "m:device.power:-1"]
    as_json = server.get(path, key=keys, width=50)["series"]
    status, headers, body = server.ask(f"/api/v1{path}?key={keys[0]}&key={keys[1]}&width=50",
                                       headers={"Accept": "application/vnd.flatout.columns"})
    assert status == 200 and headers["content-type"] == "application/vnd.flatout.columns"
    assert body[:8] == b"FLCOLS1\0"
    (count,), at = struct.unpack_from("<I", body, 8), 12
    assert count == 2
    for curve in as_json:
        (length,) = struct.unpack_from("<I", body, at)
        assert body[at + 4:at + 4 + length].decode() == curve["key"]
        at += 4 + length + (8 - length % 8) % 8
        size, flags = struct.unpack_from("<II", body, at)  # 1: raw, 2: with means
        at += 8
        assert size == len(curve["x"]) and bool(flags & 1) == curve["raw"]
        for name in ("x", "last") if curve["raw"] else ("x", "min", "max", "mean", "last"):
            assert list(struct.unpack_from(f"<{size}d", body, at)) == curve[name]
            at += 8 * size
    assert at == len(body)


def test_steps_ranks_and_events(server):
    run = long_run(server)
    steps = server.get(f"/runs/{run}/steps", width=100)
    held_to("Steps", steps)
    assert steps["pids"] == [4000] and 90 <= len(steps["buckets"]) <= 100
    for bucket in steps["buckets"]:
        assert sum(bucket["phase_ms"]) == pytest.approx(bucket["mean_ms"], rel=1e-3)
        assert bucket["device_busy"] is None or 0.39 < bucket["device_busy"] <= 1
    assert any(bucket["device_busy"] is not None for bucket in steps["buckets"])
    assert sum(steps["histogram"]["counts"]) == steps["buckets"][-1]["last_step"] + 1 - steps["warmup_steps"]
    assert server.ask(f"/api/v1/runs/{run}/steps?pid=1")[0] == 404
    axis = server.get(f"/runs/{run}/step-axis", points=51)
    held_to("StepAxis", axis)
    assert axis["step"][0] == 0 and axis["step"][-1] == steps["buckets"][-1]["last_step"] + 1
    assert len(axis["step"]) == len(axis["ms"]) == 51 and axis["ms"] == sorted(axis["ms"])
    assert axis["ms"][0] == pytest.approx(steps["buckets"][0]["from_ms"], abs=1e-3)
    assert axis["ms"][-1] == pytest.approx(steps["buckets"][-1]["to_ms"], abs=1e-3)
    ranks = server.get(f"/runs/{run}/ranks", width=20)
    held_to("Ranks", ranks)
    assert len(ranks["step_ms"]) == 1 and len(ranks["edges_ms"]) == 21
    events = server.get(f"/runs/{run}/events")
    held_to("Events", events)
    assert [event["kind"] for event in events["events"]] == ["start", "end"]


def test_the_loader_lanes_and_idle_causes(server):
    """Of a run without a loader and without a trace: what is not known is not there."""
    run = long_run(server)
    idle = server.get(f"/runs/{run}/idle")
    held_to("Idle", idle)
    assert idle["devices"] == [] == idle["buckets"] and "data" in idle["causes"]
    assert server.ask(f"/api/v1/runs/{run}/idle?number=1")[0] == 404
    loader = server.get(f"/runs/{run}/loader", width=50)
    held_to("Loader", loader)
    assert loader["workers"] == [] and len(loader["buckets"]) <= 50
    assert all(bucket["ready_mean"] is None and bucket["wait_mean_ms"] != 0 for bucket in loader["buckets"])
    usual = server.get(f"/runs/{run}/lanes")
    held_to("Lanes", usual)
    assert [lane["kind"] for lane in usual["lanes"]] == ["phases"] and len(usual["steps"]) == 6
    whole = server.get(f"/runs/{run}/lanes", **{"from": 0}, width=4096)
    held_to("Lanes", whole)
    assert usual["to_ms"] < whole["to_ms"] and 100 < sum(len(lane["spans"]) for lane in whole["lanes"]) <= 6000
    for begin, end, filled, name, count in whole["lanes"][0]["spans"]:
        assert begin < end and 0 < filled <= end - begin + 1e-6 and name < len(whole["names"]) and count >= 1
    assert server.get(f"/runs/{run}/lanes", **{"from": 1e12, "to": -5})["lanes"] == []
    for wrong in ("lanes?width=0", "loader?from=x", "idle?number=-1"):
        assert server.ask(f"/api/v1/runs/{run}/{wrong}")[0] == 400


def test_documents_are_those_of_the_command_line(server, home):
    run = long_run(server)
    printed = subprocess.run([harness.flatout_bin(), "report", "--home", home, run, "--format", "json"],
                             capture_output=True, check=True, env=harness.environment()).stdout
    assert server.get(f"/runs/{run}/report") == json.loads(printed)
    status, headers, body = server.ask(f"/api/v1/runs/{run}/page")
    assert status == 200 and headers["content-type"].startswith("text/html") and b"<html" in body
    assert server.ask(f"/api/v1/runs/{run}/tune")[0] == 404
    small = server.get("/runs", query="tag(odd)", limit=2)["runs"]
    assert server.get("/compare", a=small[0]["id"], b=small[1]["id"])["schema"] == "flatout.compare/1"
    diff = server.get("/config-diff", id=[small[0]["id"], run])
    held_to("ConfigDiff", diff)
    assert all(len(one["values"]) == 2 for one in diff["keys"])
    assert server.get("/openapi.json") == OPENAPI


def test_a_tune_is_the_document_that_it_left(server, home):
    run = server.get("/runs", query="run-7")["runs"][0]["id"]
    tuned = {"schema": "flatout.tune/1", "id": run, "ended_ns": 17, "steps": 9, "baseline": {"runs": [run]}, "notes": [], "skipped": [], "knobs": {}, "trials": [
        {"knob": "a", "predicted_speedup": 2.5, "predicted_interval": [2.25, 2.75], "speedup": 2.0, "interval": [1.9, 2.1]}]}
    (home / "runs" / run / "tune.json").write_text(json.dumps(tuned))
    try:
        assert server.get(f"/runs/{run}/tune") == tuned
        (home / "runs" / run / "tune.json").write_text("{}")
        assert server.ask(f"/api/v1/runs/{run}/tune")[0] == 500
    finally:
        (home / "runs" / run / "tune.json").unlink()


def test_a_tune_in_the_list_is_all_of_it(server, home):
    """As `flatout ls` has it: running while its journal is held, though its first run has ended."""
    first, trial = (server.get("/runs", query=name)["runs"][0] for name in ("run-8", "run-9"))

    def listed():
        return next(row for row in server.get("/runs", limit=5000)["runs"] if row["id"] == first["id"])

    journal = home / "runs" / first["id"] / "tune.journal"
    with journal.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        row = wait_for(lambda: [listed()] if listed()["kind"] == "tune" else None)[0]
        held_to("RunRow", row)
        assert (row["state"], row["trials"]) == ("running", 0) and trial["kind"] == "run"
        assert server.get(f"/runs/{first['id']}")["row"]["state"] == first["state"]  # of the run itself
        assert first["id"] in [row["id"] for row in server.get("/runs", query="state == running")["runs"]]
    wait_for(lambda: listed()["state"] == first["state"], 20)
    journal.unlink()
    wait_for(lambda: listed()["kind"] == "run", 20)


def test_fields_that_no_run_has_are_said(server):
    answer = server.get("/runs", query="bogus == 3")
    held_to("RunList", answer)
    assert answer["matched"] == 0 and answer["notes"] == ["no run has bogus"]
    assert server.get("/runs", query="medain_ms < 3")["notes"] == ["no run has medain_ms; did you mean median_ms?"]
    known = server.get("/runs", query="verdict == input_bound or finding == input_bound")
    assert known["notes"] == [] and known["matched"] == server.get("/runs", query="verdict == input_bound")["matched"] > 0


def test_tags_and_notes_are_written(server):
    run = server.get("/runs", query="run-3")["runs"][0]["id"]
    status, _, body = server.ask(f"/api/v1/runs/{run}", "PATCH", json.dumps({"tags": ["b", "a", "b"], "note": "<b>\u001b[31m"}))
    assert status == 200
    row = json.loads(body)
    assert row["tags"] == ["a", "b"] and row["note"] == "<b>\u001b[31m"
    assert server.get("/runs", query='tag("b")')["runs"][0]["id"] == run
    assert server.ask(f"/api/v1/runs/{run}", "PATCH", json.dumps({"tags": ["two words"]}))[0] == 200
    assert server.get("/runs", query='tag("two words")')["matched"] == 1
    for wrong in ("", "[]", '{"tags":[" a"]}', '{"tags":["a,b"]}', '{"tags":["a\\n"]}', '{"name":"x"}', '{"note":3}', "{" * 1000):
        assert server.ask(f"/api/v1/runs/{run}", "PATCH", wrong)[0] == 400
    assert server.ask("/api/v1/runs/aaaa", "PATCH", "{}")[0] == 404


def events_until(server, path, enough, most=60):
    """Data of the events of a stream, up to the one with which they are enough."""
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
    response = connection.getresponse()
    assert response.status == 200 and response.getheader("Content-Type") == "text/event-stream"
    found = []
    while not (found and enough(found)):
        assert len(found) < most, f"not seen in {most} events; the last: {found[-1]}"
        line = response.readline()
        assert line, f"the stream ended after {len(found)} events"
        if line.startswith(b"data: "):
            found.append(json.loads(line[6:]))
    connection.close()
    return found


def test_a_run_that_goes_on_is_seen_going_on(server, home):
    live = make_store.made_up_store("live", home, 30)
    try:
        run = live.stdout.readline().strip()
        wait_for(lambda: any(row["id"] == run for row in server.get("/runs", query="state == running")["runs"]))

        def counts(ticks):  # a run is listed before its first value is there
            loss = [tick["series"].get("v:4000:0:train/loss") for tick in ticks]
            return [seen["count"] for seen in loss if seen]

        ticks = events_until(server, f"/api/v1/runs/{run}/live", lambda ticks: len(counts(ticks)) == 3)
        assert counts(ticks) == sorted(set(counts(ticks))) and ticks[0]["state"] == "running"
        status, headers, body = server.ask("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
        assert status == 200 and headers["content-type"].startswith("application/openmetrics-text")
        assert f'hw_gpu_utilization_ratio{{run="{run}"'.encode() in body and b"DCGM_FI_DEV_GPU_UTIL{" in body
        assert body.endswith(b"# EOF\n") and b"flatout_runs_running 1\n" in body
        figures = wait_for(lambda: [row for row in server.get("/runs", query="state == running")["runs"] if row["steps"]], 20)[0]
        held_to("RunRow", figures)
        assert figures["id"] == run and figures["median_ms"] > 0
        live.kill()
        live.wait()
        events_until(server, f"/api/v1/runs/{run}/live", lambda ticks: ticks[-1]["state"] == "lost")
        assert server.get(f"/runs/{run}")["row"]["state"] == "lost"
    finally:
        live.kill()
        live.wait()


def test_the_description_is_up_to_date():
    subprocess.run([sys.executable, harness.ROOT / "tools/gen_openapi.py", "--check"], check=True)


def test_output_is_read_in_pages(home, server, tmp_path):
    """Of a program that was recorded: forwards, backwards, by stream and text; and nothing where nothing was."""
    program = "import sys\nfor i in range(300): print('line', i)\nsys.stderr.write('\\x1b[31m<b>bad</b>\\x1b[0m\\n')\nprint('open', end='')"
    subprocess.run([harness.flatout_bin(), "run", "-q", "--no-bench", "--record-output", "--home", home, "--name", "talks", "--", sys.executable, "-c", program],
                   env=harness.environment(), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=60)
    path = f"/runs/{wait_for(lambda: server.get('/runs', query='talks')['runs'])[0]['id']}/output"
    whole = server.get(path, limit=2000)
    held_to("Output", whole)
    assert [line["text"] for line in whole["lines"]] == [*(f"line {i}" for i in range(300)), "<b>bad</b>", "open"]
    assert whole["lines"][-1]["going_on"] and not whole["more"] and len(whole["processes"]) == 1
    times = [line["t_ns"] for line in whole["lines"]]
    assert times == sorted(set(times)) and times[-1] < 60e9
    page = server.get(path, from_ns=times[100], to_ns=times[200], limit=10)
    assert page["lines"] == whole["lines"][100:110] and page["more"]
    back = server.get(path, to_ns=times[200], limit=10, end="last")
    assert back["lines"] == whole["lines"][191:201] and back["more"]
    assert [line["text"] for line in server.get(path, stream="stderr")["lines"]] == ["<b>bad</b>"]
    assert [line["text"] for line in server.get(path, contains="LINE 29", limit=2)["lines"]] == ["line 29", "line 290"]
    assert server.get(path, pid=1)["lines"] == [] == server.get(f"/runs/{long_run(server)}/output")["processes"]
    for wrong in ("limit=2001", "from_ns=x", "end=middle", "stream=stdin", "pid=-2", "states=none", "contains=" + "x" * 2000):
        assert server.ask(f"/api/v1{path}?{wrong}")[0] == 400, wrong
    assert server.ask(f"/api/v1{path}", token=False)[0] == 401 and server.ask("/api/v1/runs/aaaa/output")[0] == 404


def test_a_recording_that_just_begins_is_not_damaged_for_long(server, home):
    """Its folder changes when its file comes, not when that can be read."""
    row = server.get("/runs", limit=1, sort="started_ms")["runs"][0]
    run = row["id"]
    file = max((home / "runs" / run).iterdir(), key=lambda one: one.stat().st_size)
    whole = file.read_bytes()

    def state():
        return server.get(f"/runs/{run}")["row"]["state"] if server.ask(f"/api/v1/runs/{run}")[0] == 200 else \
            [row for row in server.get("/runs", limit=5000)["runs"] if row["id"] == run][0]["state"]

    try:
        with open(file, "r+b") as handle:
            handle.truncate(10)
        (home / "runs" / run / "begun").touch()  # as the folder of a new one
        wait_for(lambda: state() == "damaged", 10)
    finally:
        with open(file, "r+b") as handle:
            handle.write(whole)
    wait_for(lambda: state() == row["state"], 10)


def test_a_recording_in_which_nothing_is_written_yet_is_not_listed(server, home):
    """Its folder and its file come first; then the folder does not change any more."""
    folder = home / "runs" / "zzzy"
    listed = lambda: any(row["id"] == "zzzy" for row in server.get("/runs", limit=5000)["runs"])  # noqa: E731
    try:
        folder.mkdir()
        (folder / "log.flo").touch()
        server.get("/runs")  # it is looked at while nothing is there
        assert not listed()
        (folder / "log.flo").write_bytes((harness.ROOT / "src" / "store" / "testdata" / "v1.log.flo").read_bytes())
        wait_for(listed, 10)
    finally:
        shutil.rmtree(folder)
    wait_for(lambda: not listed(), 10)
