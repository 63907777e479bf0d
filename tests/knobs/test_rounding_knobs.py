"""layout.channels_last, compile.mode, attention.sdpa, kernels.liger, alloc.expandable_segments
and dataloader.non_blocking: set, refused and undone on real PyTorch."""

import importlib
import json
import pickle
import sys
import types

import pytest
import torch
from planned import train
from scoped import Native, forward

LAYOUT, COMPILE, SDPA, LIGER = "layout.channels_last", "compile.mode", "attention.sdpa", "kernels.liger"
SEGMENTS, NON_BLOCKING = "alloc.expandable_segments", "dataloader.non_blocking"
LAST = torch.channels_last


def setting_of(knobs, plan, native=None):
    native = native or Native()
    precision = importlib.import_module("_flatout_hooks.torch.precision").Precision(native, torch)
    made = knobs.Knobs(native, torch, json.dumps(plan), precision)
    made.words.installed()
    return native, made.settings[0]


@pytest.fixture(autouse=True)
def parallel_as_it_was(monkeypatch):
    parallel = torch.nn.parallel.DistributedDataParallel
    monkeypatch.setattr(parallel, "__init__", parallel.__init__)


class Sees(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.was_last = []

    def forward(self, x):
        self.was_last.append(x.is_contiguous(memory_format=LAST))
        return x


def images():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), Sees(), torch.nn.ConvTranspose2d(8, 4, 3), torch.nn.BatchNorm2d(4))


def test_channels_last_changes_where_things_lie_and_nothing_else(knobs):
    native, setting = setting_of(knobs, {LAYOUT: True})
    model, x = images(), torch.randn(2, 3, 8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    expected = model(x)
    state = {name: value.clone() for name, value in model.state_dict().items() if "num" not in name and "running" not in name}
    identities = [id(parameter) for parameter in model.parameters()]
    setting.look(model, "cpu")
    out = forward(native, model, x)
    assert torch.allclose(out, expected, atol=1e-5)
    assert out.is_contiguous() and out.view(2, -1).shape == (2, 256), "results lie as without it"
    assert model[1].was_last == [False, True]
    assert model[0].weight.is_contiguous(memory_format=LAST) and model[2].weight.is_contiguous(memory_format=LAST)
    assert [id(parameter) for parameter in model.parameters()] == identities
    for name, value in state.items():
        assert torch.equal(model.state_dict()[name], value), name
    assert native.facts == [{"knob": LAYOUT, "value": True, "from": False, "applied": True}]
    out.sum().backward()
    optimizer.step()
    trained = model[0].weight.detach().clone()
    setting.undo()
    assert model[0].weight.is_contiguous() and torch.equal(model[0].weight, trained)
    forward(native, model, x)
    assert model[1].was_last == [False, True, False] and not native.facts[-1]["applied"]


def test_channels_last_needs_convolutions_and_comes_before_ddp(knobs):
    native, setting = setting_of(knobs, {LAYOUT: True})
    linear = torch.nn.Linear(2, 2)
    setting.look(linear, "cpu")
    forward(native, linear, torch.ones(1, 2))
    assert native.facts[-1]["reason"] == "the model has no Conv2d"
    model = images()
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        torch.nn.parallel.DistributedDataParallel(model)
    finally:
        torch.distributed.destroy_process_group()
    assert model[0].weight.is_contiguous(memory_format=LAST), "before the buckets take their strides"


@pytest.fixture
def compile_cheaply(knobs, monkeypatch):
    compiled = importlib.import_module("_flatout_hooks.knobs.compiled")
    monkeypatch.setattr(compiled.CompileMode, "backend", "aot_eager")
    torch._dynamo.reset()
    yield compiled
    torch._dynamo.reset()


def test_compile_holds_inside_training_forwards_alone(knobs, compile_cheaply):
    import torch._dynamo.config as config

    limit, suppress = config.recompile_limit, config.suppress_errors
    native, setting = setting_of(knobs, {COMPILE: "default"})
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    x = torch.randn(3, 4)
    expected = model(x)
    names = list(model.state_dict())
    for _ in range(3):
        out = forward(native, model, x)
    assert torch.allclose(out, expected, atol=1e-6)
    assert setting.compiler.graphs >= 1 and native.facts[-1]["applied"]
    assert config.recompile_limit == 4
    # Between two forwards nothing is there: names, pickles and evaluation are the program's.
    assert model._compiled_call_impl is None and list(model.state_dict()) == names
    assert torch.equal(pickle.loads(pickle.dumps(model))(x), expected)
    forward(native, torch.nn.MSELoss(), out, out.detach())
    setting.undo()
    assert (config.recompile_limit, config.suppress_errors) == (limit, suppress)
    graphs = setting.compiler.graphs
    forward(native, model, torch.randn(7, 4))
    assert setting.compiler.graphs == graphs and not native.facts[-1]["applied"]


def test_a_model_that_does_not_compile_goes_on_without(knobs, compile_cheaply, monkeypatch):
    native, setting = setting_of(knobs, {COMPILE: "default"})
    monkeypatch.setattr(setting, "_make_compiler", lambda: broken)

    def broken(_graph, _inputs):
        raise RuntimeError("no compiler\nfor this machine")

    model, x = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), torch.ones(1, 2)
    assert torch.equal(forward(native, model, x), model(x))
    word = native.facts[-1]
    assert not word["applied"] and word["reason"] == "it cannot be compiled here: RuntimeError: no compiler for this machine"
    assert torch.equal(forward(native, model, x), model(x)) and model._compiled_call_impl is None


def test_compile_leaves_a_program_that_compiles_alone(knobs, compile_cheaply):
    for compiled in (torch.compile(torch.nn.Linear(2, 2), backend="eager"), torch.nn.Sequential(torch.nn.Linear(2, 2))):
        if isinstance(compiled, torch.nn.Sequential):
            compiled[0].compile(backend="eager")
        native, _ = setting_of(knobs, {COMPILE: "default"})
        forward(native, compiled, torch.ones(1, 2))
        assert native.facts[-1]["reason"] == "the program compiles its model itself"
    wrong = Native()
    plan = knobs.Knobs(wrong, torch, json.dumps({COMPILE: "max", LAYOUT: False, SDPA: 1}))
    plan.words.opened()
    assert [word["applied"] for word in wrong.facts] == [False] * 3 and wrong.enter is None
    assert "reduce-overhead" in {word["knob"]: word for word in wrong.facts}[COMPILE]["reason"]


@pytest.mark.skipif(" " in torch.__file__, reason="inductor gives the compiler PyTorch's own path without quotes, and it has a blank here")
def test_inductor_itself_and_bf16_inside_it(tmp_path):
    seen = train(tmp_path, {COMPILE: "default", "precision.bf16": True}, program="rounded.py", steps=4)
    first = {word["knob"]: word for word in reversed(seen.words)}
    assert first[COMPILE] == {"knob": COMPILE, "value": "default", "applied": True}, seen.words
    assert first["precision.bf16"]["applied"] and seen.saw["names"] and seen.saw["off"]
    assert seen.saw["losses"][-1] < seen.saw["losses"][0] and seen.saw["outputs"] == ["torch.float32"]


def tiny_bert(attention):
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=20)
    config._attn_implementation = attention
    return BertModel(config)


def test_sdpa_replaces_eager_attention_and_comes_back(knobs):
    native, setting = setting_of(knobs, {SDPA: True})
    model, ids = tiny_bert("eager"), torch.arange(10).reshape(2, 5)
    model.train()
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    expected = model(ids).last_hidden_state
    out = forward(native, model, ids).last_hidden_state
    assert native.facts == [{"knob": SDPA, "value": True, "from": False, "applied": True}]
    assert model.config._attn_implementation == "sdpa" and torch.allclose(out, expected, atol=1e-5)
    setting.undo()
    assert model.config._attn_implementation == "eager" and not native.facts[-1]["applied"]
    for other, reason in ((tiny_bert("sdpa"), "its attention is sdpa already"), (torch.nn.Linear(2, 2), "none of transformers'")):
        native, _ = setting_of(knobs, {SDPA: True})
        forward(native, other, ids if other is not None and hasattr(other, "config") else torch.ones(1, 2))
        assert reason in native.facts[-1]["reason"]
    facts = importlib.import_module("_flatout_hooks.torch.model")._attention(tiny_bert("eager"))
    assert facts == "eager"


def test_liger_says_what_is_missing_and_is_taken_off(knobs, monkeypatch):
    native, _ = setting_of(knobs, {LIGER: True})
    forward(native, torch.nn.Linear(2, 2), torch.ones(1, 2))
    assert native.facts[-1]["reason"] == "the package liger_kernel is not installed"
    # A package of that name with its two names; the model says that it lies on a GPU.
    patched = []

    def apply(model):
        patched.append(model)
        model.forward = lambda ids: "fused"

    module = types.ModuleType("liger_kernel.transformers.monkey_patch")
    module.MODEL_TYPE_TO_APPLY_LIGER_FN = {"bert": None}
    module._apply_liger_kernel_to_instance = apply
    for name in ("liger_kernel", "liger_kernel.transformers"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
    native, setting = setting_of(knobs, {LIGER: True})
    model = tiny_bert("eager")
    monkeypatch.setattr(type(setting), "_on_cuda", staticmethod(lambda _module: True))
    assert forward(native, model, torch.zeros(1, 2, dtype=torch.long)) == "fused"
    assert native.facts[-1]["applied"] and patched == [model]
    setting.undo()
    assert "forward" not in vars(model) and not native.facts[-1]["applied"]


def test_expandable_segments_are_looked_for_where_torch_looks(knobs, monkeypatch):
    native, setting = setting_of(knobs, {SEGMENTS: True})
    setting.look(None, "cpu")
    assert native.facts[-1]["reason"] == "the model does not run on a CUDA device"
    setting.look(None, "cuda")
    assert "did not reach" in native.facts[-1]["reason"]
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128, expandable_segments:True")
    setting.look(None, "cuda")
    assert native.facts[-1]["applied"]


class Fake:
    """A tensor's place and its copies."""

    def __init__(self, torch, monkeypatch):
        self.calls = []

        def to(*args, **kwargs):
            self.calls.append(kwargs.get("non_blocking"))
            return args[0]

        monkeypatch.setattr(torch.Tensor, "to", to)
        monkeypatch.setattr(torch.Tensor, "cuda", to)
        from torch.utils.data._utils import pin_memory

        monkeypatch.setattr(pin_memory, "pin_memory", lambda data, device=None: data)
        self.pin = lambda data: pin_memory.pin_memory(data)


def test_only_what_a_loader_pinned_is_copied_without_a_wait(knobs, monkeypatch):
    fake = Fake(torch, monkeypatch)
    native, setting = setting_of(knobs, {NON_BLOCKING: True})
    batch, own = torch.ones(2), torch.ones(2)
    batch.to("cuda")
    fake.pin(batch)
    setting.look(None, "cuda")
    assert native.facts[-1]["reason"] == "no copy of a pinned batch was seen"
    batch.to("cuda"), batch.cuda(), batch.to(device=torch.device("cuda", 0)), batch.to(torch.device("cuda"), torch.float64)
    assert fake.calls == [None, True, True, True, True] and native.facts[-1]["applied"]
    fake.calls.clear()
    own.to("cuda")  # a buffer of the program's may be filled again
    batch.to("cpu"), batch.to(torch.float64), batch.to(torch.ones(1))
    batch.to("cuda", non_blocking=False), batch.to("cuda", torch.float32, False)
    assert fake.calls == [None, None, None, None, False, None]
    setting.undo()
    fake.calls.clear()
    batch.to("cuda")
    assert fake.calls == [None]
    key = id(batch)
    assert key in setting.pinned
    del batch
    assert key not in setting.pinned, "nothing is held"
    native, setting = setting_of(knobs, {NON_BLOCKING: True})
    setting.look(None, "cpu")
    assert native.facts[-1]["reason"] == "the model does not run on a CUDA device" and not setting.active
