"""An unmodified program that waits for its pictures (examples/train_image_folder.py), and waits less with the native engine."""

import sys
from pathlib import Path

import numpy
import pytest
from PIL import Image
from pictures import torchvision

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import harness  # noqa: E402

PLAN = "[knobs]\ndataloader.engine = \"native\"\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files whose decoding costs ten times what the steps of a small model on a small crop do."""
    out = tmp_path_factory.mktemp("pictures")
    rng = numpy.random.default_rng(0)
    for number in range(12):
        coarse = rng.integers(0, 256, (120, 160, 3), dtype=numpy.uint8)
        path = out / "ab"[number % 2] / ("%02d.jpg" % number)
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(coarse).resize((1280, 960), Image.Resampling.BICUBIC).save(path, quality=90)
    return out


def report_of(tmp_path, folder, *options):
    program = [ROOT / "tests/knobs/programs/with_torchvision.py", ROOT / "examples/train_image_folder.py", folder]
    done = harness.run_observed(
        [harness.PYTHON, *program, "--steps", "24", "--batch-size", "8", "--size", "64"], tmp_path, options=options)  # fmt: skip
    assert done.code == 0, done.err
    return done.report, done.said


@pytest.mark.slow  # it measures, and the fast suite has both cores at work
def test_the_share_of_waiting_falls(flatout, tmp_path, folder):
    torchvision()
    (tmp_path / "plan.toml").write_text(PLAN)
    before, _ = report_of(tmp_path / "torch", folder)
    after, said = report_of(tmp_path / "native", folder, "--plan", tmp_path / "plan.toml")
    # On a machine that is full of other tests the verdict may be cpu_contention.
    assert before["steps"]["phases"]["data_wait"] > 0.3 and "engine" not in before["loader"]
    assert "fetched_batches" not in before["loader"]
    assert after["loader"]["engine"] == "native" and after["loader"]["fetched_batches"] == 0
    assert "\nEngine   2 threads: " in said and 'dataloader.engine="native" (was "torch")' in said
    assert "\nSample " not in said, "the line of samples that Python makes"
    shares = [report["steps"]["phases"].get("data_wait", 0) for report in (before, after)]
    print("data_wait, share of a step:", shares)
    waits = [report["steps"]["phases"].get("data_wait", 0) * report["steps"]["median_ms"] for report in (before, after)]
    assert waits[1] < waits[0] / 2, "milliseconds a step: %s" % (waits,)
