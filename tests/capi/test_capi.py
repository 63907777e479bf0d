"""C and C++ programs under `flatout run`: what they mark becomes the report."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inject"))
import build
import harness
import jsonschema
from ring import read_rings

HERE = Path(__file__).parent
EXAMPLES = build.ROOT / "examples"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """name -> program, built once."""
    folders = {}

    def program(source):
        if source not in folders:
            folders[source] = build.program(source, tmp_path_factory.mktemp("built"))
        return folders[source]

    return program


def found(seen, finding):
    """It is the verdict, unless other programs of this machine take its cores, which is then the larger one."""
    verdict = seen.report["verdict"]["finding"]
    assert verdict in (finding, "cpu_contention"), seen.said
    return finding in [one["id"] for one in seen.report["findings"]]


def test_the_example_in_c_waits_for_its_reader(made, tmp_path):
    program = made(EXAMPLES / "c/train.c")
    plain = harness.run_plain([program])
    seen = harness.run_observed([program], tmp_path)
    assert (seen.code, seen.out, seen.err) == (plain.code, plain.out, plain.err) == (0, plain.out, b"")
    steps = seen.report["steps"]
    assert steps["count"] == 200 and steps["batch_size"] == 32
    assert found(seen, "input_bound")
    assert steps["phases"]["data_wait"] > 0.5
    assert sum(steps["phases"].values()) == pytest.approx(1, abs=0.001)
    assert steps["phases_unavailable"]["comm"] == "not marked by the program"
    assert seen.report["overhead"]["dropped"] == 0
    loss = {value["name"]: value for value in seen.report["values"]}["loss"]
    assert loss["count"] == 200 and loss["last_step"] == 199
    assert f"loss {loss['last']:.3f}".encode() in plain.out.splitlines()[-1]
    jsonschema.validate(seen.report, json.loads((build.ROOT / "schema/report.schema.json").read_text()))


def test_the_examples_fix_is_seen_as_one(made, tmp_path):
    seen = harness.run_observed([made(EXAMPLES / "c/train.c"), "--binary", "--steps", 400], tmp_path)
    assert seen.report["steps"]["phases"]["data_wait"] < 0.3


def test_the_example_in_cpp(made, tmp_path):
    program = made(EXAMPLES / "cpp/train.cc")
    seen = harness.run_observed([program, "--steps", 120], tmp_path)
    assert seen.code == 0, seen.err
    assert seen.report["steps"]["count"] == 120
    assert found(seen, "input_bound")
    assert harness.run_plain([program, "--loader", "unheard_of"]).code == 1


def test_the_example_in_cpp_with_the_loading_engine(made, tmp_path):
    """Pictures whose brightness is their class: a linear classifier learns them."""
    program = made(EXAMPLES / "cpp/train.cc")
    for label in range(4):
        folder = tmp_path / "images" / str(label)
        folder.mkdir(parents=True)
        for number in range(12):
            Image.new("RGB", (120, 100), (40 + 60 * label + number,) * 3).save(folder / f"{number}.jpg")
    words = [program, "--loader", "native", "--images", tmp_path / "images", "--steps", 150]
    seen = harness.run_observed(words, tmp_path)
    assert seen.code == 0, seen.err
    assert seen.report["steps"]["count"] == 150 and "data_wait" in seen.report["steps"]["phases"]
    losses = [float(line.split()[-1]) for line in seen.out.decode().splitlines()]
    assert len(losses) == 3 and losses[-1] < losses[0]
    loader = seen.report["loader"]
    assert loader["engine"] == "native" and list(loader["engine_stages"]) == ["read", "decode", "transform"]
    assert min(stage["busy_s"] for stage in loader["engine_stages"].values()) > 0 and seen.report["overhead"]["dropped"] == 0
    assert harness.run_plain([program, "--loader", "native"]).code == 1
    missing = harness.run_plain([program, "--loader", "native", "--images", tmp_path / "none"])
    assert missing.code == 1 and b"none: No such file" in missing.err


def test_a_program_packs_its_pictures(made, tmp_path):
    for number in range(5):
        folder = tmp_path / "images" / "ab"[number % 2]
        folder.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (60, 50), (40 * number,) * 3).save(folder / f"{number}.jpg")
    spec = json.dumps({"images": str(tmp_path / "images"), "to": str(tmp_path / "packed"), "kind": "raw", "size": 32})
    loader = json.dumps({"packed": str(tmp_path / "packed"), "steps": [{"resize": [16, 16]}], "batch_size": 2})

    def said(until, what=spec):
        done = harness.run_plain([made(HERE / "programs/pack.cc"), what, loader, until])
        assert done.code == 0, done.err
        return done.out.decode().splitlines()

    assert said(-1) == ["thrown: no more of 5"]
    assert said(2)[0].startswith("refused: ")
    report, samples = said(0)
    assert (json.loads(report)["samples"], json.loads(report)["left_out"], samples) == (5, 0, "5")
    assert said(0, '{"images": "none"}') == ['refused: "to" is missing: the folder that is written']


def truth(out, steps):
    """Shares by the program's own clock over its last `steps` steps."""
    rows = [[int(word) for word in line.split()] for line in out.splitlines()][-steps:]
    sums = [sum(column) for column in zip(*rows)]
    return {name: part / sum(sums) for name, part in zip(("data_wait", "forward", "backward", "optimizer"), sums)}


@pytest.mark.parametrize("what", ["dfbos", "dfbo", "dfbose", "ds"])
def test_phases_are_those_of_the_program(made, tmp_path, what):
    seen = harness.run_observed([made(HERE / "programs/known.c"), 60, what], tmp_path)
    steps = seen.report["steps"]
    assert steps["count"] == 60
    expected = truth(seen.out, steps["steady_count"])
    if what == "ds":
        expected = {"data_wait": expected["data_wait"], "other": 1 - expected["data_wait"]}
    for phase, share in expected.items():
        assert steps["phases"][phase] == pytest.approx(share, abs=0.02), (expected, steps)
    assert ("batch_size" in steps) == ("s" in what)
    assert found(seen, "input_bound")
    if "e" in what:
        # Six evaluations of 20 ms, but the last comes after the last step.
        assert steps["intervals"]["eval_s"] >= 0.1


def test_a_program_that_marks_nothing_has_no_steps(made, tmp_path):
    program = made(HERE / "programs/known.c")
    unmarked = harness.run_observed(["sleep", "0.3"], tmp_path / "plain")
    assert unmarked.report["verdict"]["finding"] == "no_steps"
    phases = harness.run_observed([program, 20, "df"], tmp_path / "phases")
    assert phases.report["verdict"]["finding"] == "no_steps"
    assert "flatout_step_end" in phases.report["verdict"]["summary"]


@pytest.mark.parametrize("what", ["dfbos", "dfbo"])
def test_stop_after_ends_it_at_the_close_of_that_step(made, tmp_path, what):
    seen = harness.run_observed([made(HERE / "programs/known.c"), 60, what], tmp_path, options=["--stop-after", 25])
    assert seen.code == -signal.SIGINT
    assert seen.report["steps"]["count"] == 25
    assert seen.report["run"]["signal"] == "SIGINT"


def test_a_killed_program_keeps_all_it_said(made, tmp_path):
    script = f"{made(HERE / 'programs/known.c')} 1000 dfbos | head -n 20; kill -9 $(pgrep -P $$ known) 2>/dev/null; true"
    seen = harness.run_observed(["sh", "-c", script], tmp_path)
    assert seen.report["steps"]["count"] >= 20


def test_without_hooks_the_program_is_off(made, tmp_path):
    seen = harness.run_observed([made(HERE / "programs/known.c"), 3, "dfbos"], tmp_path, options=["--no-hooks"])
    assert seen.code == 0 and seen.report["verdict"]["finding"] == "no_steps"


def test_beside_hooks_there_is_one_ring_and_no_step_twice(tmp_path):
    library = build.prefix() / "lib/libflatout.so.0"
    program = [sys.executable, HERE / "programs/beside_hooks.py", library, 40]
    with_marks = harness.run_observed([*program, "marks"], tmp_path / "marks")
    without = harness.run_observed([*program, "none"], tmp_path / "none")
    plain = harness.run_plain([*program, "marks"])
    assert with_marks.code == without.code == plain.code == 0, with_marks.err
    assert with_marks.out.startswith(b"[0] "), with_marks.out
    assert plain.out.split()[-1] == with_marks.out.split()[-1]
    assert plain.out.startswith(b"[1] ")
    for seen in (with_marks, without):
        assert seen.report["steps"]["count"] == 40
        assert seen.report["steps"]["batch_size"] == 4
        assert seen.report["overhead"]["dropped"] == 0
        assert "environment" not in seen.report["verdict"]["summary"]
        assert [value["count"] for value in seen.report["values"] if value["name"] == "beside"] == [2000]
    stopped = harness.run_observed([*program, "marks"], tmp_path / "stopped", options=["--stop-after", 15])
    assert stopped.report["run"]["signal"] == "SIGINT" and stopped.report["steps"]["count"] == 15


def test_one_ring_for_hooks_and_library(tmp_path):
    """The same seen in the ring itself: one file, a lane a thread."""
    hooks = build.prefix() / "lib/flatout/site"
    rings = tmp_path / "rings"
    rings.mkdir()
    env = harness.environment(FLATOUT_RING_DIR=rings, PYTHONPATH=hooks)
    library = build.prefix() / "lib/libflatout.so.0"
    command = [sys.executable, HERE / "programs/beside_hooks.py", library, "5", "marks"]
    done = subprocess.run([str(c) for c in command], env=env, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(list(rings.glob("ring.*"))) == 1
    (ring,) = read_rings(rings)
    assert {key for key, _ in ring.facts} >= {"marks", "environment"}
    sequence = ring.sequence()
    assert sequence.count("-step") == 5
    assert sequence.count("+data_wait") == 6 + 5 * 4, "6 draws by the hooks, 20 samples by the library"
