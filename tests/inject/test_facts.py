"""Facts that are looked at while the program trains, and the frameworks' own."""

from pathlib import Path

import pytest
from hooked import main_ring, run

PROGRAMS = Path(__file__).parent / "programs"
ZOO = Path(__file__).resolve().parents[1] / "zoo/programs"
PAUSED = 64


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    done, rings = run(PROGRAMS / "facts.py", folder, rings=tmp_path_factory.mktemp("rings"))
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert not ring.fact("problem")
    return ring


def test_precision_is_said_when_it_changes_and_only_then(seen):
    said = seen.fact("precision")
    first, inside, around, high, scaled, mixed = said
    assert [p["autocast"] for p in said] == ["off", "bfloat16", "float16", "off", "off", "off"]
    assert [p["scaler"] for p in said] == [False, False, False, False, True, False]
    assert first == {
        "autocast": "off",
        "scaler": False,
        "tf32_matmul": False,
        "tf32_cudnn": True,
        "float32_matmul_precision": "highest",
        "cudnn_benchmark": False,
        "cudnn_deterministic": False,
    }
    assert (high["tf32_matmul"], high["float32_matmul_precision"]) == (True, "high")
    assert mixed["tf32_matmul"] is True and mixed["cudnn_benchmark"] is True
    assert "float32_matmul_precision" not in mixed, "torch refuses to answer: absent, not wrong"


def test_optimizers_state_their_kernels(seen):
    by_class = {o["class"]: o for o in seen.fact("optimizer")}
    kernels = {name: [o.get(k) for k in ("fused", "foreach", "capturable", "tensors")] for name, o in by_class.items()}
    assert kernels == {
        "SGD": [False, False, None, 4],  # on a CPU torch's own choice is neither
        "Adam": [False, True, False, 4],
        "AdamW": [True, False, False, 4],
        "LBFGS": [None, None, None, 4],
    }
    assert len(seen.fact("optimizer")) == 4
    source = (PROGRAMS / "facts.py").read_text().splitlines()
    line = 1 + next(i for i, row in enumerate(source) if "torch.optim.SGD" in row)
    assert by_class["SGD"]["built_at"] == f"{PROGRAMS / 'facts.py'}:{line}"


def test_models_say_what_is_trained_and_compiled(seen):
    net, other = (m for m in seen.fact("model") if m["class"] in ("Net", "Other"))
    assert (net["parameters"], net["trainable"], net["compiled"]) == (25, 21, False)
    assert (other["class"], other["compiled"]) == ("Other", True)


def test_the_rank_is_said_once_the_group_stands(seen):
    assert seen.fact("rank") == [{"rank": 0, "world_size": 1, "backend": "gloo"}]


def test_a_closure_is_no_part_of_the_update(seen):
    called = ["+optimizer", "-optimizer", "+forward", "-forward", "+forward", "-forward", "+backward", "-backward",
              "+optimizer", "-optimizer"]  # fmt: skip
    text = " ".join(seen.sequence())
    assert text.count(" ".join(called)) == 2
    paused = [p for p in seen.phases if p.phase == "optimizer" and p.flags & PAUSED]
    assert len(paused) == 2


@pytest.mark.parametrize(
    ("program", "name", "some"),
    [
        ("hf_trainer", "transformers.Trainer",
         {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "bf16": False, "torch_compile": False}),
        ("lightning_trainer", "lightning.Trainer",
         {"precision": "32-true", "accumulate_grad_batches": 2, "num_devices": 1}),
    ],
)  # fmt: skip
@pytest.mark.every_change("hf_trainer-transformers.Trainer-some0")
def test_frameworks_say_what_they_were_told(tmp_path, program, name, some):
    done, rings = run(ZOO / f"{program}.py", rings=tmp_path, ZOO_SCALE=0.1)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    (framework,) = ring.fact("framework")
    assert framework["name"] == name and framework["version"][0].isdigit()
    assert some.items() <= framework["args"].items()
    updates = [p for p in ring.phases if p.phase == "optimizer" and p.begin]
    paused = [p for p in ring.phases if p.phase == "optimizer" and p.flags & PAUSED]  # for a closure
    assert framework["steps"] == len(updates) - len(paused), "so many updates it was to have, and had"
    names = ring.sequence()
    assert names.count("+checkpoint") == names.count("-checkpoint") == 2, "one an epoch, whatever is saved inside"
    assert not ring.fact("problem")


def test_who_builds_a_loader_is_said_where_it_is_not_the_program(tmp_path):
    """Lines such as num_workers=4 are printed for a call of the program's own."""
    done, rings = run(PROGRAMS / "built_by.py", rings=tmp_path)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert not ring.fact("problem")
    last = {fact["loader"]: fact for fact in ring.fact("loader")}
    assert [(last[number].get("built_by"), last[number].get("batch_sampler")) for number in sorted(last)] == [
        (None, None), (None, True), ("Endless", None), ("fastai", None)]  # fmt: skip


def test_a_sampler_says_how_long_an_epoch_is_where_it_is_of_torch(tmp_path):
    done, rings = run(PROGRAMS / "samplers.py", rings=tmp_path)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert not ring.fact("problem")
    last = {fact["loader"]: fact.get("epoch_samples") for fact in ring.fact("loader")}
    assert [last[number] for number in sorted(last)] == [None, 12, 30, 20, 100, 10, None, None, 3]
