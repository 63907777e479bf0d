"""precision.bf16 and precision.fp16: on real programs, and set and undone by hand."""

import importlib
import json
import socket
from pathlib import Path

import pytest
import torch
from hooked import main_ring, run
from planned import train
from scoped import Native, forward

ZOO = Path(__file__).resolve().parents[1] / "zoo/programs"
BF16, FP16 = "precision.bf16", "precision.fp16"
OWN = "the program uses autocast itself"
HALF = {"float32": "torch.float32", "bf16": "torch.bfloat16"}


def rounded(folder, plan=None, **choices):
    return train(folder, plan, program="rounded.py", **choices)


def test_bf16_holds_inside_training_forwards_and_nowhere_else(tmp_path):
    plain = rounded(tmp_path / "plain", breaks=1)
    seen = rounded(tmp_path / "bf16", {BF16: True}, breaks=1)
    assert seen.words[0] == {"knob": BF16, "value": True, "from": False, "applied": True}
    # In the end the program computes what it had under autocast of its own.
    assert [word["applied"] for word in seen.words] == [True, False]
    assert seen.saw["inside"] == [[HALF["bf16"], True, "first"]]
    assert plain.saw["inside"] == [[HALF["float32"], False, "first"]]
    assert seen.saw["outputs"] == [HALF["float32"]] and seen.saw["types"] == [HALF["float32"]]
    assert seen.saw["evaluated"] == plain.saw["evaluated"], "evaluation is the program's own"
    assert seen.saw["fresh"], "the forward works with stale weights"
    assert seen.saw["off"] and seen.saw["random"] == plain.saw["random"] and seen.saw["names"]
    for one, other in zip(plain.saw["losses"], seen.saw["losses"], strict=True):
        assert other == pytest.approx(one, rel=0.05)
    assert plain.saw["losses"] != seen.saw["losses"]
    assert seen.saw["losses"][-1] < seen.saw["losses"][0] / 2
    # What the program itself does stays in the facts: no autocast.
    assert {fact["autocast"] for fact in seen.ring.fact("precision")} == {"off"}
    assert seen.stderr == ""
    # What the model raises goes through, and no frame of ours stands in it.
    assert "of the program" in seen.saw["traceback"] and seen.saw["traceback"] == plain.saw["traceback"]


def test_bf16_leaves_a_model_that_enters_autocast_itself_alone(tmp_path):
    seen = rounded(tmp_path, {BF16: True}, steps=6, autocast="inside")
    assert (seen.knobs[BF16]["applied"], seen.knobs[BF16]["reason"]) == (False, OWN)
    assert seen.ring.fact("precision")[-1]["autocast"] == "bfloat16", "the program's own is a fact"


def test_bf16_around_ddp(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    seen = rounded(tmp_path, {BF16: True}, ddp=port)
    assert seen.words[0]["applied"] and seen.saw["inside"] == [[HALF["bf16"], True, "first"]]
    assert seen.saw["outputs"] == [HALF["float32"]]


@pytest.mark.parametrize("program", ["hf_trainer", "lightning_trainer"])
@pytest.mark.every_change("hf_trainer")
def test_bf16_under_frameworks(tmp_path, program):
    done, rings = run(ZOO / f"{program}.py", rings=tmp_path, ZOO_SCALE=0.1, FLATOUT_PLAN=json.dumps({BF16: True}))
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    assert ring.fact("knob")[-1] == {"knob": BF16, "value": True, "from": False, "applied": True}
    assert {fact["autocast"] for fact in ring.fact("precision")} == {"off"} and not ring.fact("problem")


def setting_of(knobs, plan):
    """(native side, the knob) of a plan with one knob, in this process."""
    native = Native()
    precision = importlib.import_module("_flatout_hooks.torch.precision").Precision(native, torch)
    made = knobs.Knobs(native, torch, json.dumps(plan), precision)
    made.words.installed()
    return native, made.settings[0]


def test_bf16_is_refused_where_it_does_not_belong_and_can_be_taken_back(knobs):
    half = torch.nn.Linear(2, 2).bfloat16()
    native, _ = setting_of(knobs, {BF16: True})
    assert forward(native, half, torch.ones(1, 2, dtype=torch.bfloat16)).dtype is torch.bfloat16
    assert native.facts[-1]["reason"] == "the model holds parameters in bfloat16"
    native, _ = setting_of(knobs, {BF16: True})
    forward(native, torch.nn.DataParallel(torch.nn.Linear(2, 2)), torch.ones(1, 2))
    assert "DataParallel" in native.facts[-1]["reason"]
    native, _ = setting_of(knobs, {BF16: True})
    with torch.autocast("cpu", torch.bfloat16):
        assert forward(native, torch.nn.Linear(2, 2), torch.ones(1, 2)).dtype is torch.bfloat16
    assert native.facts[-1]["reason"] == OWN
    native, setting = setting_of(knobs, {BF16: True})
    scaler = torch.amp.GradScaler("cpu")
    setting.precision.scalers.set(scaler, True)
    setting.look(None, "cpu")
    assert forward(native, torch.nn.Linear(2, 2), torch.ones(1, 2)).dtype is torch.float32
    assert native.facts[-1]["reason"] == "the program scales its losses with a GradScaler"
    native, setting = setting_of(knobs, {BF16: True})
    inside = []
    model = torch.nn.Linear(2, 2)
    model.register_forward_pre_hook(lambda *_: inside.append(torch.is_autocast_enabled("cpu")))
    forward(native, model, torch.ones(1, 2))
    loss = torch.nn.MSELoss()
    loss.register_forward_pre_hook(lambda *_: inside.append(torch.is_autocast_enabled("cpu")))
    forward(native, loss, torch.ones(1, 2), torch.ones(1, 2))
    setting.undo()
    forward(native, model, torch.ones(1, 2))
    assert inside == [True, False, False], "a loss module and what comes after undo() are left alone"
    assert not native.facts[-1]["applied"]
    compiled = torch.compile(model, backend="eager")
    native, _ = setting_of(knobs, {BF16: True})
    assert forward(native, compiled, torch.ones(1, 2)).dtype is torch.float32 and inside[-1]
    assert native.facts[-1]["applied"]


def test_results_of_every_kind_come_back_in_float32(knobs):
    from transformers.modeling_outputs import CausalLMOutput

    scope = importlib.import_module("_flatout_hooks.knobs.scope")
    half = torch.ones(2, dtype=torch.bfloat16)
    whole = torch.ones(2)

    def change(tensor):
        return tensor.float()

    output = scope.mapped(change, CausalLMOutput(logits=half, hidden_states=(half, whole)))
    assert type(output) is CausalLMOutput and output.logits.dtype is torch.float32
    assert output["hidden_states"][0].dtype is torch.float32 and output.hidden_states[1] is whole
    named = torch.return_types.max((half, torch.tensor([0, 1])))
    for value in ([half], (half, None), {"a": [half]}, named):
        changed = scope.mapped(lambda t: t.float() if t.is_floating_point() else t, value)
        assert type(changed) is type(value) and "bfloat16" not in str(changed)
    for same in ([whole], {"a": whole, "b": 3}, "text", None, (whole, [1])):
        assert scope.mapped(change, same) is same


# precision.fp16: no GPU is needed to see that scaling and skipping are right.


class Scaled:
    """A training in this process with the knob's calls made around it by hand."""

    def __init__(self, knobs, monkeypatch, lr=0.1):
        torch.manual_seed(0)
        self.native, self.knob = setting_of(knobs, {FP16: True})
        monkeypatch.setattr(self.knob, "devices", ("cpu",))
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        self.optimizers = [torch.optim.SGD(layer.parameters(), lr=lr, momentum=0.9) for layer in (self.model[0], self.model[2])]
        for optimizer in self.optimizers:
            self.knob.optimizer_built(optimizer)
        self.x, self.y = torch.randn(8, 4), torch.randn(8, 1)

    def backward(self, factor=1.0, **more):
        out = forward(self.native, self.model, self.x)
        assert out.dtype is torch.float32
        loss = torch.nn.functional.mse_loss(out, self.y) * factor
        loss.backward(**more)
        return loss

    def by_hand(self, factor=1.0):
        with torch.autocast("cpu", torch.float16):
            out = self.model(self.x)
        return torch.autograd.grad(torch.nn.functional.mse_loss(out.float(), self.y) * factor, list(self.model.parameters()))


@pytest.fixture
def scaled(knobs, monkeypatch):
    monkeypatch.setattr(torch.autograd, "_engine_run_backward", torch.autograd._engine_run_backward)
    from torch.optim import optimizer as optim

    before = dict(optim._global_optimizer_pre_hooks), dict(optim._global_optimizer_post_hooks)
    yield Scaled(knobs, monkeypatch)
    optim._global_optimizer_pre_hooks.clear(), optim._global_optimizer_post_hooks.clear()
    optim._global_optimizer_pre_hooks.update(before[0]), optim._global_optimizer_post_hooks.update(before[1])


def gradients(model):
    return [parameter.grad.clone() for parameter in model.parameters()]


def test_fp16_gradients_are_true_ones_after_each_backward_also_accumulated(scaled):
    expected = scaled.by_hand()
    scaled.backward()
    for one, other in zip(gradients(scaled.model), expected, strict=True):
        assert torch.allclose(one, other, rtol=1e-2, atol=1e-5)
    scaled.backward()
    for one, other in zip(gradients(scaled.model), expected, strict=True):
        assert torch.allclose(one, 2 * other, rtol=1e-2, atol=1e-5)
    assert scaled.native.facts[-1]["applied"]
    # What float16 cannot hold without a scale is there.
    for parameter in scaled.model.parameters():
        parameter.grad = None
    scaled.backward(factor=1e-6)
    assert all(gradient.abs().max() > 0 for gradient in gradients(scaled.model))
    for one, other in zip(gradients(scaled.model), expected, strict=True):
        assert torch.allclose(one, 1e-6 * other, rtol=1e-2, atol=1e-11)


def test_fp16_skips_the_step_of_the_optimizer_that_overflowed(scaled):
    scaled.backward()
    for optimizer in scaled.optimizers:
        optimizer.step()
        optimizer.zero_grad()
    before = [parameter.detach().clone() for parameter in scaled.model.parameters()]
    states = [{k: v.clone() for k, v in o.state[p].items() if v is not None} for o in scaled.optimizers for g in o.param_groups for p in g["params"]]
    scale = scaled.knob.scale
    scaled.backward(factor=1e6)  # overflows in float16
    assert not all(torch.isfinite(gradient).all() for gradient in gradients(scaled.model))
    for optimizer in scaled.optimizers:
        optimizer.step()
    hit = [not torch.isfinite(p.grad).all() for p in scaled.model.parameters()]
    for parameter, value, was_hit in zip(scaled.model.parameters(), before, hit, strict=True):
        assert torch.isfinite(parameter).all()
        if was_hit:
            assert torch.equal(parameter, value)
    assert any(hit) and states and scaled.knob.scale < scale
    assert all(p.grad is not None for p in scaled.model.parameters()), "the program finds its gradients again"
    for optimizer in scaled.optimizers:
        optimizer.zero_grad()
    scaled.backward()
    assert all(torch.isfinite(g).all() for g in gradients(scaled.model))


def test_fp16_is_given_up_under_a_closure_and_where_gradients_are_differentiated(scaled):
    optimizer = scaled.optimizers[0]
    optimizer.step(lambda: scaled.backward())
    assert "closure" in scaled.native.facts[-1]["reason"]
    inside = []
    scaled.model.register_forward_pre_hook(lambda *_: inside.append(torch.is_autocast_enabled("cpu")))
    scaled.backward()
    assert inside == [False]


def test_fp16_says_why_not_on_this_machine(knobs):
    native, setting = setting_of(knobs, {FP16: True})
    setting.optimizer_built(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))]))
    assert forward(native, torch.nn.Linear(2, 2), torch.ones(1, 2)).dtype is torch.float32
    assert native.facts[-1]["reason"] == "it is for CUDA devices without bfloat16"
