"""After a program that waits for its pictures: what flatout's loading engine makes of them is measured once, and predicted with."""

import importlib.util
import json
import os
import pathlib
import random
import shutil

import jsonschema
import pytest
from PIL import Image

import harness

PROGRAM = pathlib.Path(__file__).parent / "programs/waits_for_pictures.py"
VISION = harness.ROOT / "tests/knobs/programs"
SCHEMA = json.loads((harness.ROOT / "schema/report.schema.json").read_text())


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Files of which each takes Pillow some milliseconds."""
    rng = random.Random(0)
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(16):
        coarse = Image.frombytes("RGB", (80, 60), rng.randbytes(80 * 60 * 3))
        path = folder / "ab"[number % 2] / ("%03d.jpg" % number)
        path.parent.mkdir(exist_ok=True)
        coarse.resize((800, 600), Image.Resampling.BICUBIC).save(path, quality=92)
    return folder


def command(folder, **choices):
    if "own" not in choices and not (harness.ROOT / "build/torchvision").is_dir() and not importlib.util.find_spec("torchvision"):
        pytest.skip("torchvision is not in build/torchvision; `make test` fetches it")
    return [harness.PYTHON, PROGRAM, json.dumps({"folder": str(folder), "vision": str(VISION), **choices})]


def observed(folder, tmp_path, *options, env=None, **choices):
    outcome = harness.run_observed(command(folder, **choices), tmp_path / "seen", options=options,
                                   env=harness.environment(**(env or {})))  # fmt: skip
    jsonschema.validate(outcome.report, SCHEMA)
    return outcome


def fixes(report):
    (finding,) = (finding for finding in report["findings"] if finding["id"] == "input_bound")
    return finding["advice"]


def gain_of(fix):
    """How large it is depends on the machine, and is what the tests of the model are for; on a loaded one there may be none to tell."""
    if "predicted_speedup" not in fix:
        assert "not sure how much it gains" in fix["how"], fix
        return
    assert fix["predicted_speedup"] > 1 and fix["interval"][0] <= fix["predicted_speedup"] <= fix["interval"][1], fix


def test_the_engine_comes_first_with_what_it_gains(tmp_path, pictures):
    plain = harness.run_plain(command(pictures, status=3))
    seen = observed(pictures, tmp_path, status=3)
    assert (seen.code, seen.out, seen.err) == (plain.code, plain.out, plain.err) and plain.code == 3
    # It failed: its failure comes first, and nothing is measured.
    assert "engine_measured" not in seen.report["loader"]

    seen = observed(pictures, tmp_path)
    assert seen.code == 0 and seen.out == plain.out and seen.err == plain.err
    measured = seen.report["loader"]["engine_measured"]
    assert measured["samples_per_s"] > 0 and measured["cpu_ms"] > 0 and measured["files"] == 16 and "size" not in measured
    first = fixes(seen.report)[0]
    assert (first["knob"], first["from"], first["to"]) == ("dataloader.engine", "torch", "native"), fixes(seen.report)
    gain_of(first)
    assert "flatout.torch" in first["how"] and all("cannot help" not in fix["how"] for fix in fixes(seen.report))
    assert "measuring flatout's loading engine" in seen.said and "Fix 1" in seen.said and 'engine="native"' in seen.said
    assert "flatout tune -- " in seen.said

    later = harness.report_of(tmp_path / "seen/home")
    assert later["loader"]["engine_measured"] == measured, "measured once"
    assert fixes(later) == fixes(seen.report)
    assert later["run"]["state"] == "finished" and later["run"]["duration_s"] == seen.report["run"]["duration_s"]


def test_a_dataset_of_the_program_itself_is_measured_by_its_files(tmp_path, pictures):
    """Its model is given pictures of 32 x 32, to which the engine crops."""
    seen = observed(pictures, tmp_path, own=True, loader={"num_workers": 1})
    assert seen.report["loader"]["engine_measured"]["size"] == [32, 32]
    engines = [fix for fix in fixes(seen.report) if fix["knob"] == "dataset.engine"]
    assert engines or not any("predicted_speedup" in fix for fix in fixes(seen.report)), "a machine too loaded to predict anything"
    for engine in engines:
        assert engine["how"].startswith("an estimate, not a line to paste: ") and "to" not in engine
        assert engine is fixes(seen.report)[-1], "behind what can be done"
        gain_of(engine)


@pytest.mark.parametrize(
    ("options", "choices", "why"),
    [
        (["--no-bench"], {}, "--no-bench was given"),
        (["--no-argv"], {}, "--no-argv was given"),
        (["--quiet"], {}, "--quiet was given"),
        ([], {"remove": True}, "its files are gone"),
    ],
    ids=["option", "no names", "quiet", "gone"],
)
@pytest.mark.every_change("option", "gone")
def test_what_was_not_measured_is_said(tmp_path, pictures, options, choices, why):
    folder = shutil.copytree(pictures, tmp_path / "copy")
    seen = observed(folder, tmp_path, *options, **choices)
    assert seen.code == 0 and seen.report["loader"]["engine_measured"] == {"skipped": why}
    (engine,) = (fix for fix in fixes(seen.report) if fix["knob"] == "dataloader.engine")
    assert "predicted_speedup" not in engine and why in engine["how"]


def test_a_loader_that_the_engine_refuses_is_not_measured(tmp_path, pictures):
    seen = observed(pictures, tmp_path, refused=True)
    assert "Lambda" in seen.report["loader"]["native_refusal"] and "engine_measured" not in seen.report["loader"]
    assert all("engine" not in fix["knob"] for fix in fixes(seen.report)) and "measuring" not in seen.said


def test_what_takes_too_long_is_ended(tmp_path, pictures):
    """The library is a pipe that nobody writes: opening it does not come back."""
    pipe = tmp_path / "library"
    os.mkfifo(pipe)
    seen = observed(pictures, tmp_path, own=True, env={"FLATOUT_DATA_LIBRARY": pipe})
    assert seen.code == 0 and "slow to read" in seen.report["loader"]["engine_measured"]["skipped"]


def test_the_hidden_verb_answers_any_job(cli, tmp_path):
    def answer(job):
        done = cli("bench-engine", stdin=job if isinstance(job, bytes) else json.dumps(job).encode())
        assert done.returncode == 0 and done.stderr == b"", done
        return json.loads(done.stdout)

    path = tmp_path / "no.jpg"
    path.write_bytes(b"no picture")
    for job in (b"", b"[", b"[]", {}, {"files": []}, {"files": 3}, {"files": ["/none"], "size": [8, 8]}, {"files": [str(path)]},
                {"files": [str(path)], "size": [8, 8]}, {"files": [str(path)], "spec": {"no": 1}}, {"files": [str(path)], "spec": 3},
                {"files": [str(path)], "size": [8, 8], "places": [[3, 0, 5]]},
                {"files": [str(path)], "size": [8, 8], "places": [[0, 0, 9999]]}):  # fmt: skip
        assert set(answer(job)) == {"skipped"}, job
