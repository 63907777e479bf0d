"""Knobs of the whole process, plans that cannot be read, and frameworks' loaders."""

import json
from pathlib import Path

import pytest
from hooked import main_ring, run
from planned import PROGRAMS, train

ZOO = Path(__file__).resolve().parents[1] / "zoo/programs"
THREADS, BENCHMARK, TF32 = "env.intraop_threads", "cuda.cudnn_benchmark", "precision.tf32"
FUSED = "optimizer.fused"
WORKERS = "dataloader.num_workers"


def test_threads_that_the_environment_sets_are_confirmed(tmp_path):
    seen = train(tmp_path, {THREADS: 1}, environment={"OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1})
    assert seen.words == [{"knob": THREADS, "value": 1, "applied": True}] and seen.saw["threads"] == 1


def test_threads_that_the_program_sets_are_the_programs(tmp_path):
    environment = {"OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1}
    seen = train(tmp_path, {THREADS: 1}, environment=environment, threads=2)
    (word,) = seen.words
    assert (word["applied"], word["reason"]) == (False, "the program sets 2 threads itself")
    assert seen.saw["threads"] == 2


def test_threads_without_the_environment_say_so(tmp_path):
    seen = train(tmp_path, {THREADS: 3}, environment={"OMP_NUM_THREADS": 2})
    assert not seen.words[0]["applied"] and "did not reach" in seen.words[0]["reason"]


def test_flags_of_cuda_are_put_back_where_the_model_runs_on_the_cpu(tmp_path):
    seen = train(tmp_path, {BENCHMARK: True, TF32: True})
    for knob in (BENCHMARK, TF32):
        assert seen.knobs[knob] == {
            "knob": knob, "value": True, "from": False, "applied": False,
            "reason": "the model does not run on a CUDA device",
        }  # fmt: skip
    assert (seen.saw["precision"], seen.saw["benchmark"]) == ("highest", False)


class Said:
    """In the place of the native module: takes facts."""

    def __init__(self):
        self.facts = []

    def fact(self, key, text):
        assert key == "knob"
        self.facts.append(json.loads(text))


@pytest.mark.parametrize(
    ("knob", "on", "off", "read"),
    [
        (BENCHMARK, True, False, lambda torch: torch.backends.cudnn.benchmark),
        (TF32, "high", "highest", lambda torch: torch.get_float32_matmul_precision()),
    ],
)
def test_a_flag_is_set_at_import_and_confirmed_on_a_cuda_device(knobs, knob, on, off, read):
    import torch

    said = Said()
    plan = knobs.Knobs(said, torch, json.dumps({knob: True}))
    plan.words.installed()
    (setting,) = plan.settings
    try:
        assert read(torch) == on
        setting.look(None, "cuda")
        setting.look(None, "cuda")
        assert said.facts == [{"knob": knob, "value": True, "from": False, "applied": True}], "said once"
        setting.put(off)  # as the program would
        setting.look(None, "cuda")
        assert not said.facts[-1]["applied"] and "program" in said.facts[-1]["reason"]
        assert read(torch) == off
    finally:
        setting.put(off)


def test_an_unknown_knob_is_said_and_the_others_are_set(tmp_path):
    seen = train(tmp_path, {"no.such": [1], WORKERS: 1})
    assert seen.knobs["no.such"] == {
        "knob": "no.such", "value": [1], "applied": False, "reason": "this version knows no such knob",
    }  # fmt: skip
    assert seen.knobs[WORKERS]["applied"]


@pytest.mark.parametrize("text", ["{", "[1]", "null", '{"dataloader.num_workers":}', "\ud83d"])
@pytest.mark.every_change("{", "null")
def test_a_plan_that_cannot_be_read_is_one_problem_and_no_harm(tmp_path, text):
    seen = train(tmp_path, text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    (problem,) = seen.ring.fact("problem")
    assert problem["problem"].startswith("the plan cannot be read, no knob is set: ")
    assert "\n" not in problem["problem"]
    assert seen.words == [] and seen.saw["loader"] == [0, None, False, False]


def test_a_process_that_only_imports_torch_gets_no_ring(tmp_path):
    program = tmp_path / "imports.py"
    program.write_text("import torch\n")
    rings = tmp_path / "rings"
    rings.mkdir()
    done, seen = run(program, rings=rings, FLATOUT_PLAN=json.dumps({"no.such": 1, TF32: True}))
    assert (done.returncode, done.stderr, seen) == (0, "", [])


def test_optimizers_update_in_one_kernel_where_they_can(tmp_path):
    seen = train(tmp_path, {FUSED: True}, program="optimizers.py")
    assert seen.saw["fused"] == {
        "Adam": [True, True], "AdamW": [True], "SGD": [True], "Mine": [True],
        "SGD, foreach": [None], "Adam, fused=False": [False], "Adam, capturable": [None],
        "Own": [None], "RMSprop": [], "SGD, complex": [None],
    }  # fmt: skip
    assert seen.knobs[FUSED] == {
        "knob": FUSED, "value": True, "from": False, "applied": True, "optimizers_left_out": 6,
    }  # fmt: skip
    facts = {fact["class"]: fact.get("fused") for fact in seen.ring.fact("optimizer")}
    assert facts["AdamW"] is True


def test_a_fused_update_trains_the_same_model_within_rounding(tmp_path):
    plain = train(tmp_path / "plain")
    seen = train(tmp_path / "fused", {FUSED: True})
    assert seen.knobs[FUSED]["applied"]
    assert seen.ring.fact("optimizer")[-1]["fused"] is True and plain.ring.fact("optimizer")[-1]["fused"] is False
    losses = [[float.fromhex(loss) for loss in run.saw["losses"]] for run in (plain, seen)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    assert seen.saw["random"] == plain.saw["random"] and seen.stderr == ""


def test_sparse_gradients_undo_a_fused_update(tmp_path):
    seen = train(tmp_path, {FUSED: True}, program="sparse.py")
    first, last = seen.words
    assert first["applied"] and not last["applied"] and "sparse" in last["reason"]
    assert seen.saw == {"fused": None}


def test_a_process_made_by_fork_says_it_again_in_its_own_ring(tmp_path):
    plan = json.dumps({"no.such": 1, WORKERS: 1})
    done, rings = run(PROGRAMS / "forked.py", rings=tmp_path, FLATOUT_PLAN=plan)
    assert done.returncode == 0, done.stderr
    parent, child = (ring.fact("knob") for ring in rings if ring.role == 0)
    assert parent == child and [word["applied"] for word in parent] == [False, True]


@pytest.mark.parametrize("program", ["hf_trainer", "lightning_trainer"])
@pytest.mark.every_change("lightning_trainer")
def test_frameworks_loaders_take_workers_for_training_alone(tmp_path, program):
    done, rings = run(ZOO / f"{program}.py", rings=tmp_path, ZOO_SCALE=0.1, FLATOUT_PLAN=json.dumps({WORKERS: 2}))
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert ring.fact("knob") == [{"knob": WORKERS, "value": 2, "from": 0, "applied": True}]
    loaders = {}
    for fact in ring.fact("loader"):
        loaders.setdefault(fact["loader"], []).append(fact["workers"])
    assert all(workers in ([0], [2]) for workers in loaders.values())
    assert list(loaders.values()).count([2]) == 1 and len(loaders) > 1, "one trains, the others evaluate"
    training = next(number for number, workers in loaders.items() if workers == [2])
    for fact in ring.fact("iterator"):
        assert len(fact["worker_pids"]) == (2 if fact["loader"] == training else 0)
    assert not ring.fact("problem")
