"""`--format perfetto`: what the file holds, held against the trace that it was made of and flatout's own report."""

import collections
import csv
import gzip
import json
import os
import pty
import subprocess
import sys

import harness
import jsonschema
import pytest
from analyzed import TRACES, span

SHARED = sorted(TRACES.glob("*.json.gz"))
LONGEST_NAME = 2048  # that flatout reads
LOOP = harness.ROOT / "tests/faults/programs/steps.py"
OVERLAPPED = 'a "quoted" \\ name\n\t\x1b[31m ä'


def kernel(begin, length, correlation, name="gemm", category="kernel", stream=7, **args):
    return span(category, name, begin, length, tid=stream) | {"pid": 0, "args": {"device": 0, "stream": stream, "correlation": correlation} | args}


def small_trace():
    """Three steps of a fetch, a launch, a copy and an update; a step's mark that crosses the end of a Python function."""
    events = []
    for step in range(3):
        t, number = 1000 * step, 10 * step
        events += [
            span("python_function", "torch/profiler/profiler.py(821): step", t, 20.5),
            span("user_annotation", f"ProfilerStep#{step}", t + 10.25, 980),
            span("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", t + 30, 300),
            span("cpu_op", OVERLAPPED, t + 350, 100),
            span("cuda_runtime", "cudaLaunchKernel", t + 360, 5, correlation=number + 1),
            span("cuda_runtime", "cudaMemcpyAsync", t + 370, 50, correlation=number + 2),
            span("user_annotation", "Optimizer.step#SGD.step", t + 500, 200),
            span("cuda_runtime", "cudaLaunchKernel", t + 600, 5, correlation=number + 3),
            kernel(t + 370.125, 40.001, number + 1),
            kernel(t + 400, 30, number + 2, "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 8, bytes=4096),
            kernel(t + 640, 100, number + 3, "adam"),
            kernel(t + 700, 100, 0, "Memset (Device)", "gpu_memset", bytes=16),  # overlaps the kernel of its stream
        ]
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 80 << 30, "computeMajor": 9, "computeMinor": 0}], "traceEvents": events}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.json"
    path.write_text(json.dumps(small_trace()))
    return path


def flatout(*args, **options):
    return subprocess.run([harness.flatout_bin(), *map(str, args)], capture_output=True, timeout=120, **options)


def report_of(path):
    done = flatout("analyze", path, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read(data):
    return json.loads(data, parse_constant=pytest.fail)


def written(path, folder):
    """The file for Perfetto, its place and its content."""
    out = folder / "perfetto.json"
    done = flatout("analyze", path, "--format", "perfetto", "-o", out)
    assert done.returncode == 0 and done.stdout == b"", done.stderr
    assert done.stderr.decode() == f"flatout: wrote {out}\n"
    return out, read(out.read_bytes())["traceEvents"]


def opened(path):
    data = path.read_bytes()
    events = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data, strict=False)
    return events if isinstance(events, list) else events["traceEvents"]


def ns(us):
    return round(us * 1000)


def spans(events):
    return [event for event in events if event["ph"] == "X"]


def kernels(events):
    """How many of each name, and how long they are together."""
    found = collections.defaultdict(lambda: [0, 0])
    for event in spans(events):
        if event.get("cat", "").lower() == "kernel":
            name = event["name"][:LONGEST_NAME]
            found[name][0] += 1
            found[name][1] += ns(event["dur"])
    return dict(found)


def lane_names(events):
    return {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}


def in_lane(events, name):
    lanes = {lane for lane, own in lane_names(events).items() if own == name}
    return [event for event in spans(events) if (event["pid"], event["tid"]) in lanes]


def check_drawable(events):
    """Spans of a lane lie within each other or follow each other; each lane and group has a name."""
    lanes = collections.defaultdict(list)
    for event in spans(events):
        lanes[event["pid"], event["tid"]].append((ns(event["ts"]), -ns(event["ts"] + event["dur"])))
    assert set(lanes) <= set(lane_names(events))
    assert {pid for pid, _ in lanes} <= {event["pid"] for event in events if event["name"] == "process_name"}
    for lane, found in lanes.items():
        ends = []
        for begin, end in sorted(found):
            while ends and ends[-1] <= begin + 1:  # a time since 1970 in a double is off by as much
                ends.pop()
            assert not ends or ends[-1] >= -end - 1, (lane, begin, -end, ends[-1])
            ends.append(-end)


def check_arrows(events):
    """Each begins in a call and ends at an activity of its number."""
    begins = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert begins.keys() == ends.keys()
    assert len(begins) == sum(event["ph"] == "s" for event in events)
    at = {(event["pid"], event["tid"], event["ts"], event["args"].get("correlation")) for event in spans(events) if "args" in event}
    for number, begin in begins.items():
        assert (begin["pid"], begin["tid"], begin["ts"], number) in at
        end = ends[number]
        assert end["bp"] == "e" and (end["pid"], end["tid"], end["ts"], number) in at
        assert begin["ts"] <= end["ts"]
    return len(begins)


def check_idle(events, report):
    for device in report["devices"]:
        sums = collections.Counter()
        for piece in in_lane(events, f"GPU {device['index']} idle"):
            assert piece["name"] == f"idle: {piece['args']['cause']}"
            sums[piece["args"]["cause"]] += ns(piece["dur"])
        assert set(sums) <= set(device["idle_account"])
        for cause, share in device["idle_account"].items():
            assert sums[cause] / 1000 == pytest.approx(share * device["window_ms"] * 1000, abs=1), cause


def without_name(report):
    """What does not follow from the file's own name, nor from shapes of ops and events of the allocator, which an export does not have."""
    report["run"] = {key: value for key, value in report["run"].items() if key not in ("command", "trace_file")}
    for device in report["devices"]:
        device.pop("roofline", None)
        device.pop("allocator", None)
    for finding in report["findings"]:
        finding["evidence"] = [evidence for evidence in finding["evidence"] if not evidence["metric"].startswith("device.roofline.")]
    for judged in (report["verdict"], *report["findings"]):
        judged["summary"] = judged["summary"].split(" Elementwise ones reach")[0]
    return report


def check_all(path, folder):
    out, events = written(path, folder)
    report = report_of(path)
    assert kernels(events) == kernels(opened(path))
    check_drawable(events)
    check_idle(events, report)
    again = report_of(out)
    assert [device["busy"] for device in again["devices"]] == [device["busy"] for device in report["devices"]]
    assert without_name(again) == without_name(report)
    if "steps" in report and report["steps"]["count"]:
        assert len(in_lane(events, "steps")) == report["steps"]["count"]
    return events


def test_a_small_trace(small, tmp_path):
    events = check_all(small, tmp_path)
    assert check_arrows(events) == 9
    steps = in_lane(events, "steps")
    assert [step["name"] for step in steps] == ["step 1 (warm-up)", "step 2", "step 3"]
    assert "data_wait" in {phase["name"] for phase in in_lane(events, "phases")}
    (copy, *_) = in_lane(events, "GPU 0 stream 8")
    assert copy["cat"] == "gpu_memcpy" and copy["args"] == {"device": 0, "stream": 8, "correlation": 2, "bytes": 4096}
    assert [event["name"] for event in in_lane(events, "GPU 0 stream 7 (2)")] == ["Memset (Device)"] * 3
    assert OVERLAPPED in {event["name"] for event in in_lane(events, "step thread")}
    assert {event["name"] for event in in_lane(events, "step thread (2)")} == {f"ProfilerStep#{n}" for n in range(3)}


def test_times_are_exact(small, tmp_path):
    out, _ = written(small, tmp_path)
    text = out.read_text()
    assert '"ts":370.125,"dur":40.001,' in text and '"ts":10.250,"dur":980.000' in text


@pytest.mark.skipif(not SHARED, reason=f"no real traces at {TRACES}")
@pytest.mark.parametrize("path", SHARED, ids=lambda path: path.name.split(".")[0])
def test_real_traces(path, tmp_path):
    events = check_all(path, tmp_path)
    assert check_arrows(events) > 0


def test_stdout_is_the_same_file(small, tmp_path):
    out, _ = written(small, tmp_path)
    for options in ([], ["-o", "-"]):
        done = flatout("analyze", small, "-f", "perfetto", *options)
        assert (done.returncode, done.stderr) == (0, b"") and done.stdout == out.read_bytes()


def test_on_a_terminal_it_goes_to_a_file(small, tmp_path):
    out, _ = written(small, tmp_path)
    master, slave = pty.openpty()
    done = subprocess.run([harness.flatout_bin(), "analyze", small, "-f", "perfetto"], stdout=slave, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60)
    os.close(slave)
    os.close(master)
    assert done.returncode == 0 and done.stderr == b"flatout: wrote flatout-trace.perfetto.json\n"
    assert (tmp_path / "flatout-trace.perfetto.json").read_bytes() == out.read_bytes()


def test_what_cannot_be_written_leaves_what_was_there(small, tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_text("mine")
    assert flatout("analyze", tmp_path / "none.json", "-f", "perfetto", "-o", kept).returncode == 1
    assert kept.read_text() == "mine"
    done = flatout("analyze", small, "-f", "perfetto", "-o", tmp_path / "none/t.json")
    assert done.returncode == 2 and b"mkdir -p" in done.stderr
    done = flatout("analyze", small, "-f", "perfetto", "-o", "/dev/full")
    assert done.returncode == 1 and b"/dev/full" in done.stderr and done.stderr.count(b"\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.json", "small.json"]


def test_it_is_not_held_in_memory(tmp_path):
    """The file is several times as large as what the process may have beyond the trace's own records."""
    events = [kernel(2 * n, 1, 0, f"a name that takes room in the file but is one in memory {'x' * 900}") for n in range(60_000)]
    path = tmp_path / "large.json"
    path.write_text(json.dumps(events))
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", script, harness.flatout_bin(), "analyze", path, "-f", "perfetto"], capture_output=True, check=True, timeout=120)
    size = len(flatout("analyze", path, "-f", "perfetto").stdout)
    assert size > 60_000_000 and int(done.stdout) * 1024 < size / 2


def test_a_recorded_run(tmp_path):
    environment = harness.environment(FLATOUT_HOME=tmp_path / "home")

    def run(*args):
        done = flatout(*args, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    run("run", "--quiet", "--name", "loop", "--no-bench", "--", sys.executable, LOOP, "--steps", "40")
    assert run("export", "loop", "--format", "perfetto", "--out", "seen") == "seen/trace.perfetto.json\n"
    events = read((tmp_path / "seen/trace.perfetto.json").read_bytes())["traceEvents"]
    check_drawable(events)
    run("export", "loop", "--out", "tables")
    with open(tmp_path / "tables/steps.csv", newline="") as file:
        steps = list(csv.DictReader(file))
    seen = in_lane(events, "steps")
    assert steps and len(seen) == len(steps)
    for row, event in zip(steps, seen):
        assert event["ts"] == pytest.approx(float(row["start_s"]) * 1e6, abs=0.001)
        assert event["args"]["warm_up"] == (row["warm_up"] == "1")
    assert in_lane(events, "phases")
    with open(tmp_path / "tables/series.csv", newline="") as file:
        readings = collections.Counter(row["metric"] for row in csv.DictReader(file) if row["value"] not in ("NaN", "inf", "-inf"))
    assert collections.Counter(event["name"] for event in events if event["ph"] == "C") == readings
    with open(tmp_path / "tables/batches.csv", newline="") as file:
        assert sum(event.get("cat") == "flatout_batch" for event in events) == len(list(csv.DictReader(file)))

    refused = flatout("export", "loop", "--format", "perfetto", "--out", "seen", cwd=tmp_path, env=environment)
    assert refused.returncode == 1 and b"--force" in refused.stderr
    named = json.loads(run("export", "loop", "-f", "perfetto", "--out", "seen", "--force", "--json"))
    jsonschema.validate(named, json.loads((harness.ROOT / "schema/export.schema.json").read_text()))
    assert named["format"] == "perfetto" and [file["table"] for file in named["files"]] == ["trace"]
