"""A tune that finds the loading engine for a program that decodes its pictures itself."""

import importlib.util
import random

import pytest
from PIL import Image

import harness

VISION = harness.ROOT / "tests/knobs/programs"


def write(folder, count=12):
    """Files of which each takes Pillow some milliseconds."""
    rng = random.Random(0)
    for number in range(count):
        coarse = Image.frombytes("RGB", (80, 60), rng.randbytes(80 * 60 * 3))
        path = folder / "ab"[number % 2] / ("%03d.jpg" % number)
        path.parent.mkdir(parents=True, exist_ok=True)
        coarse.resize((800, 600), Image.Resampling.BICUBIC).save(path, quality=92)
    return folder


def test_the_native_engine_is_tried_proved_and_kept(tune, tmp_path):
    if not (harness.ROOT / "build/torchvision").is_dir() and not importlib.util.find_spec("torchvision"):
        pytest.skip("torchvision is not in build/torchvision; `make test` fetches it")
    command = tune.command("pictures.py", VISION, write(tmp_path / "pictures"))
    document = tune(command, "--steps", 64, "--knobs", "engine")
    row = document["trials"][0]
    assert (row["knob"], row["from"], row["to"], row["kept"]) == ("dataloader.engine", "torch", "native", True), tune.out
    assert row["interval"][0] > 1.2
    assert row.get("predicted_speedup", 2) > 1.02, "from its speed on these files; absent where the steps are too uneven for that"
    assert row["loss_gate"] == "passed", "a different random stream, the same distribution"
    assert document["final"]["confirmed"] and document["final"]["interval"][0] > 1.2
    assert document["knobs"] == {"dataloader.engine": "native"} and 'dataloader.engine = "native"' in tune.plan.read_text()


def unseeded(tune, folder, *words):
    if not (harness.ROOT / "build/torchvision").is_dir() and not importlib.util.find_spec("torchvision"):
        pytest.skip("torchvision is not in build/torchvision; `make test` fetches it")
    command = tune.command("pictures_by_class.py", VISION, write(folder / "pictures", 160), *words)
    return tune(command, "--steps", 64, "--knobs", "engine")


@pytest.mark.parametrize("words", [[], ["--reseed"]], ids=["no seed", "random on purpose"])
@pytest.mark.slow
def test_the_engine_is_kept_in_a_program_that_shuffles_anew_each_time(tune, tmp_path, words):
    document = unseeded(tune, tmp_path, *words)
    row = document["trials"][0]
    assert (row["knob"], row["kept"], row["loss_gate"]) == ("dataloader.engine", True, "passed"), tune.out
    assert document["final"]["confirmed"] and document["final"]["loss_gate"] == "passed", tune.out


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["unshuffled", "again", "dropped"])
def test_a_knob_that_spoils_the_samples_is_not_kept(tune, tmp_path, harm):
    document = unseeded(tune, tmp_path, "--reseed", "--harm", harm)
    row = document["trials"][0]
    assert (row["kept"], row["loss_gate"]) == (False, "failed"), tune.out
    assert "sample" in row["reason"] and document["knobs"] == {}
