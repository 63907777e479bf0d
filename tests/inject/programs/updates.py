"""Optimizers of many kinds; prints what of a program's own hooks was called, and how. argv[1]: "local" for a class made in a function."""

import copy
import io
import pickle
import sys
import types
import warnings
from pathlib import Path

import torch
from torch.optim import optimizer as optim

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import eager  # noqa: E402, F401

warnings.simplefilter("error")  # a scheduler warns where it does not find the step's call
calls = []


class Mine(torch.optim.SGD):
    """A step of its own that calls torch's."""

    def step(self, closure=None):
        calls.append("own")
        return super().step(closure)


class Inherits(torch.optim.AdamW):
    pass


def local():
    class Local(torch.optim.Optimizer):
        def __init__(self, parameters):
            super().__init__(parameters, {})

        def step(self, closure=None):
            return "local"

    return Local


model = torch.nn.Linear(4, 1)


def gradients():
    model.zero_grad()
    model(torch.ones(2, 4)).sum().backward()


def stepped(optimizer):
    gradients()
    calls.append(type(optimizer).__name__)
    return optimizer.step()


sgd = torch.optim.SGD(model.parameters(), lr=0.1)
step = torch.optim.SGD.step
assert isinstance(step, types.FunctionType) and sgd.step.__func__ is step and torch.optim.SGD.__dict__["step"] is step
assert pickle.loads(pickle.dumps(step)) is step and step.hooked
handle = sgd.register_step_pre_hook(lambda *_: calls.append("pre"))
stepped(sgd)
handle.remove()
scheduler = torch.optim.lr_scheduler.StepLR(sgd, 1)
stepped(sgd)
scheduler.step()
stepped(copy.deepcopy(torch.optim.SGD(model.parameters(), lr=0.1)))
saved = io.BytesIO()
torch.save(torch.optim.Adam(model.parameters(), fused=True), saved)
saved.seek(0)
stepped(torch.load(saved, weights_only=False))
stepped(Inherits(model.parameters(), foreach=True))
stepped(torch.optim.AdamW(model.parameters()))
stepped(Mine(model.parameters(), lr=0.1))


def closure():
    gradients()
    return "loss"


calls.append(sgd.step(closure))
calls.append(sgd.step(closure=closure))
if sys.argv[1] == "local":
    calls.append(stepped(local()(model.parameters())))
    calls.append(sgd.step(closure=closure))
    stepped(Mine(model.parameters(), lr=0.1))
try:
    sgd.step(lambda: 1 / 0)
except ZeroDivisionError as error:
    files = []
    at = error.__traceback__
    while at is not None:
        files.append(Path(at.tb_frame.f_code.co_filename).name)
        at = at.tb_next
    calls.append(files)
stepped(sgd)
print(calls)
print(len(optim._global_optimizer_pre_hooks), len(optim._global_optimizer_post_hooks))
