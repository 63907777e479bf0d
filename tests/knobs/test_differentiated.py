"""precision.bf16 and compile.mode in programs that recompute in backward, or differentiate their gradients."""

import importlib

import pytest
import torch
import torch._dynamo
from planned import train
from scoped import Native, forward
from torch.utils.checkpoint import checkpoint

BF16, FP16, COMPILE = "precision.bf16", "precision.fp16", "compile.mode"
PLANS = [{BF16: True}, {COMPILE: "default"}]
AGAIN = "the program recomputes it in backward"
TWICE = "the program differentiates its gradients (create_graph)"


def both(folder, how, plan):
    return [train(folder / name, chosen, program="differentiated.py", how=how) for name, chosen in (("bare", None), ("knob", plan))]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: next(iter(plan)))
@pytest.mark.parametrize("how", ["root", "twice", "inside a function"])
@pytest.mark.every_change("root-precision.bf16", "twice-compile.mode")
def test_a_root_inside_a_checkpoint_goes_on_as_without_the_knob(tmp_path, how, plan):
    bare, seen = both(tmp_path, how, plan)
    (word,) = seen.words
    assert word["applied"] is False and word["reason"].startswith(AGAIN)
    assert seen.saw == bare.saw


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: next(iter(plan)))
@pytest.mark.every_change("compile.mode")
def test_a_reentrant_checkpoint_of_the_root_is_left_alone(tmp_path, plan):
    bare, seen = both(tmp_path, "reentrant", plan)
    assert seen.saw == bare.saw and not any(word["applied"] for word in seen.words)


def test_bf16_holds_around_a_root_that_checkpoints_its_blocks(tmp_path):
    bare, seen = both(tmp_path, "inner", {BF16: True})
    assert [word["applied"] for word in seen.words] == [True]
    assert (bare.saw["inside"], seen.saw["inside"]) == (["torch.float32"], ["torch.bfloat16"])
    assert seen.saw["losses"] == pytest.approx(bare.saw["losses"], rel=0.05)


@pytest.mark.parametrize("how", ["penalty", "lazy penalty"])
@pytest.mark.every_change("penalty")
def test_compile_leaves_a_program_alone_that_differentiates_its_gradients(tmp_path, how):
    bare, seen = both(tmp_path, how, {COMPILE: "default"})
    (word,) = seen.words
    assert word["applied"] is False and word["reason"].startswith(TWICE)
    assert seen.saw == bare.saw


@pytest.fixture
def setting(knobs, monkeypatch):
    compiled = importlib.import_module("_flatout_hooks.knobs.compiled")
    monkeypatch.setattr(compiled.CompileMode, "backend", "aot_eager")
    monkeypatch.setattr(torch.autograd, "_engine_run_backward", torch.autograd._engine_run_backward)
    torch._dynamo.reset()
    native = Native()
    made = knobs.Knobs(native, torch, '{"compile.mode": "default"}')
    made.words.installed()
    yield native, made
    made.settings[0].undo()
    torch._dynamo.reset()


def test_compiling_begins_once_the_first_update_is_made(setting):
    native, made = setting
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    made.optimizer_built(optimizer := torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(2):
        forward(native, model, torch.randn(3, 4)).sum().backward()
    assert not native.facts
    optimizer.step()
    forward(native, model, torch.randn(3, 4)).sum().backward()
    assert native.facts[-1]["applied"]


def test_a_model_that_no_optimizer_updates_is_compiled_after_some_forwards(setting):
    native, made = setting
    made.optimizer_built(None)
    frozen = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())
    for _ in range(9):
        forward(native, frozen, torch.randn(3, 4))
    assert native.facts[-1]["applied"]


def test_nothing_is_held_in_what_backward_calls(setting):
    native, _ = setting
    model, held = torch.nn.Linear(4, 1), []
    out = checkpoint(lambda x: (held.append(native.enter((model, x), None)), model(x).tanh())[1], torch.randn(3, 4), use_reentrant=False)
    out.sum().backward()
    assert held == [None, None] and native.facts[-1]["reason"].startswith(AGAIN)
