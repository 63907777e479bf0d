"""A loader of flatout.data under `flatout run`: its waits are the phase data_wait, and its engine's figures are in the report."""

import sys
from pathlib import Path

import numpy
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tests/inject"))
import harness  # noqa: E402
from hooked import run  # noqa: E402
from ring import EXHAUSTED  # noqa: E402

PROGRAM = Path(__file__).parent / "programs/train_flatout_data.py"
PICTURES, EPOCHS = 16, 4


def pictures(folder):
    noise = numpy.random.default_rng(1).integers(0, 256, (600, 900, 3), dtype=numpy.uint8)
    for number in range(PICTURES):
        place = folder / "ab"[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(numpy.roll(noise, number, 0)).save(place / f"{number}.jpg", quality=95)
    return folder


def test_a_loop_over_flatout_data_is_found_to_wait_for_it(tmp_path):
    words = [harness.PYTHON, PROGRAM, ROOT / "python", pictures(tmp_path / "pictures"), EPOCHS]
    seen = harness.run_observed(words, tmp_path / "run")
    assert (seen.code, seen.err) == (0, b""), seen.err
    assert seen.out.split() == [b"samples", *[b"%d" % (EPOCHS * PICTURES)] * 2]
    report, loader = seen.report, seen.report["loader"]
    assert report["steps"]["count"] == EPOCHS * PICTURES // 4 and report["steps"]["batch_size"] == 4
    assert report["steps"]["phases"]["data_wait"] > 0.5 and report["steps"]["intervals"]["eval_s"] > 0
    assert loader["engine"] == "native" and loader["threads"] == 1 and list(loader["engine_stages"]) == ["read", "decode", "transform"]
    found = {finding["id"]: finding for finding in report["findings"]}["input_bound"]
    assert found["cause"] == "native_loading" and "the native engine's threads cannot keep up" in found["summary"]


def test_what_is_told_without_torch(tmp_path):
    """No hooks: the library alone writes, once it is asked for batches."""
    numpy.arange(2000, dtype="<u2").tofile(tmp_path / "t.bin")
    program = tmp_path / "program.py"
    program.write_text(f"""
import sys
sys.path.insert(0, {str(ROOT / "python")!r})
import flatout.data as data
tokens = data.tokens({str(tmp_path / "t.bin")!r}, "uint16").window(16).batch(7)
never = data.tokens({str(tmp_path / "t.bin")!r}, "uint16").window(16).batch(7)
assert len([list(tokens), list(tokens)]) == 2
""")
    done, (ring,) = run(program, rings=tmp_path)
    assert done.returncode == 0, done.stderr
    (loader,), (iterator,) = ring.fact("loader"), ring.fact("iterator")
    assert (loader["batch_size"], loader["dataset_len"], loader["engine"], iterator["loader"]) == (7, 124, "native", loader["loader"])
    draws = [phase for phase in ring.phases if phase.phase == "data_wait" and not phase.begin]
    assert sum(phase.value for phase in draws) == 2 * 124 and {phase.id for phase in draws} == {iterator["iterator"]}
    assert [bool(phase.flags & EXHAUSTED) for phase in draws] == ([False] * 18 + [True]) * 2
    assert [fact["samples"] for fact in ring.fact("engine")][-2:] == [248, 248], "after the last epoch, and where it is closed"
    assert ring.fact("engine")[-1]["read_busy_ns"] > 0
