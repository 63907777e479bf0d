"""Signatures, names, sources and documentation of what a hook might touch."""

import hashlib
import inspect

import tiny
import torch
from torch.nn.modules import module as module_file
from torch.utils.data import DataLoader
from torch.utils.data import dataloader as loader_file

model, loss_of, optimizer = tiny.set_up()
tiny.train(model, loss_of, optimizer, DataLoader(tiny.Rows(16), batch_size=4))

things = {
    "DataLoader": DataLoader,
    "DataLoader.__init__": DataLoader.__init__,
    "DataLoader.__iter__": DataLoader.__iter__,
    "base.__next__": loader_file._BaseDataLoaderIter.__next__,
    "single.__next__": loader_file._SingleProcessDataLoaderIter.__next__,
    "multi._next_data": loader_file._MultiProcessingDataLoaderIter._next_data,
    "Module.__call__": torch.nn.Module.__call__,
    "Module._call_impl": torch.nn.Module._call_impl,
    "model.forward": model.forward,
    "Tensor.backward": torch.Tensor.backward,
    "autograd.backward": torch.autograd.backward,
    "SGD.step": torch.optim.SGD.step,
    "AdamW.step": torch.optim.AdamW.step,
    "Optimizer.__init__": torch.optim.Optimizer.__init__,
    "GradScaler.step": torch.amp.GradScaler.step,
    "save": torch.save,
    "load": torch.load,
    "default_collate": torch.utils.data.default_collate,
    "Tensor.to": torch.Tensor.to,
}
for label, thing in things.items():
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError) as problem:
        signature = repr(problem)
    names = [getattr(thing, n, None) for n in ("__name__", "__qualname__", "__module__")]
    doc = hashlib.sha256((thing.__doc__ or "").encode()).hexdigest()[:12]
    print(label, signature, *names, doc)
    try:
        print("   source", hashlib.sha256(inspect.getsource(thing).encode()).hexdigest()[:12])
    except (TypeError, OSError) as problem:
        print("   source", repr(problem))
print(sorted(vars(model)), sorted(vars(optimizer)), model, optimizer)
for name in sorted(vars(module_file)):
    if name.startswith("_global"):
        print(name, getattr(module_file, name))
