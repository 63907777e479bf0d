"""kernels.hf on a real model of transformers, with a stand-in for the package kernels that
this program makes, since the package has to be there before transformers is imported.
argv[1] = an empty folder. Prints what happened as one line of JSON."""

import json
import sys
from pathlib import Path

folder = Path(sys.argv[1])
(folder / "kernels").mkdir()
(folder / "kernels-0.18.2.dist-info").mkdir()
(folder / "kernels-0.18.2.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: kernels\nVersion: 0.18.2\n")
(folder / "kernels/__init__.py").write_text('''
import enum
from huggingface_hub import constants

__version__ = "0.18.2"
cached, asked = set(), []  # layers in the "cache"; (layer, mode, was the hub offline)


class Mode(enum.Flag):
    INFERENCE = enum.auto()
    TRAINING = enum.auto()
    TORCH_COMPILE = enum.auto()


class KernelizeFallback(enum.Enum):
    ALL = 1


class _Any:
    def __init__(self, *args, **kwargs):
        pass

    def __hash__(self):
        return id(self)


CUDAProperties = Device = LayerRepository = LocalLayerRepository = ROCMProperties = _Any


def register_kernel_mapping(mapping):
    pass


def use_kernel_forward_from_hub(name):
    def named(kind):
        kind.kernel_layer_name = name
        return kind

    return named


def use_kernelized_func(*functions):
    return lambda kind: kind


def kernelize(model, *, mode, device, use_fallback):
    for layer in model.modules():
        name = getattr(type(layer), "kernel_layer_name", None)
        if name is None:
            continue
        asked.append((name, str(mode), constants.HF_HUB_OFFLINE))
        if name in cached:
            layer.forward = lambda x: x * 0


def replace_kernel_forward_from_hub(*args, **kwargs):
    pass


use_kernel_mapping = get_kernel = get_local_kernel = replace_kernel_forward_from_hub
''')
sys.path[:0] = [str(folder), str(Path(__file__).resolve().parents[1])]

import torch
from conftest import load_hooks
from scoped import Native, forward
from transformers import LlamaConfig, LlamaModel

import kernels

package = load_hooks()
ID = "kernels.hf"


def model_of():
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    return LlamaModel(LlamaConfig(vocab_size=20, num_key_value_heads=2, **sizes)).train()


def under(plan_model, on_cuda=True):
    native = Native()
    knobs = package.Knobs(native, torch, json.dumps({ID: True}))
    knobs.words.installed()
    setting = knobs.settings[0]
    if on_cuda:
        type(setting)._on_cuda = staticmethod(lambda _module: True)
    out = forward(native, plan_model, torch.arange(10).reshape(2, 5))
    return native, setting, out.last_hidden_state if hasattr(out, "last_hidden_state") else None


ids = torch.arange(10).reshape(2, 5)
seen = {}
native, setting, _ = under(model_of(), on_cuda=False)
seen["cpu"] = native.facts[-1]

model = model_of()
expected = model(ids).last_hidden_state
native, setting, out = under(model)
seen["nothing cached"] = native.facts[-1]
seen["asked"] = [kernels.asked[0], len(kernels.asked), sorted({entry[2] for entry in kernels.asked})]
seen["as before"] = torch.equal(out, expected)

kernels.cached.add("RMSNorm")
kernels.asked.clear()
native, setting, out = under(model)
seen["cached"] = native.facts[-1]
seen["zeros"] = bool((out == 0).all())
asked = len(kernels.asked)
model.eval(), model.train()
seen["asked again"] = len(kernels.asked) - asked
seen["use_kernels"] = model.use_kernels
from huggingface_hub import constants

seen["offline afterwards"] = constants.HF_HUB_OFFLINE
setting.undo()
seen["undone"] = torch.equal(model(ids).last_hidden_state, expected)

model._use_kernels = True
seen["already"] = under(model)[0].facts[-1]
seen["other"] = under(type("Plain", (torch.nn.Linear,), {"forward": lambda self, x: x})(2, 2))[0].facts[-1]
print(json.dumps(seen))
