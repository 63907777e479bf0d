"""A tune that finds the loading engine for a program that decodes its pictures itself."""

import importlib.util
import random

import pytest
from PIL import Image

import harness

VISION = harness.ROOT / "tests/knobs/programs"


def write(folder):
    """Twelve files, each of which takes Pillow some milliseconds."""
    rng = random.Random(0)
    for number in range(12):
        coarse = Image.frombytes("RGB", (80, 60), rng.randbytes(80 * 60 * 3))
        path = folder / "ab"[number % 2] / ("%02d.jpg" % number)
        path.parent.mkdir(parents=True, exist_ok=True)
        coarse.resize((800, 600), Image.Resampling.BICUBIC).save(path, quality=92)
    return folder


def test_the_native_engine_is_tried_proved_and_kept(tune, tmp_path):
    if not (harness.ROOT / "build/torchvision").is_dir() and not importlib.util.find_spec("torchvision"):
        pytest.skip("torchvision is not installed here")
    command = tune.command("pictures.py", VISION, write(tmp_path / "pictures"))
    document = tune(command, "--steps", 64, "--knobs", "engine")
    row = document["trials"][0]
    assert (row["knob"], row["from"], row["to"], row["kept"]) == ("dataloader.engine", "torch", "native", True), tune.out
    assert row["interval"][0] > 1.2 and "predicted_speedup" not in row, "nobody knows before it is tried"
    assert row["loss_gate"] == "passed", "other draws of the same distribution"
    assert document["final"]["confirmed"] and document["final"]["interval"][0] > 1.2
    assert document["knobs"] == {"dataloader.engine": "native"} and 'dataloader.engine = "native"' in tune.plan.read_text()
