"""Pools and loaders of processes whose functions are those that hooks stand in front of; and each through other picklers."""

import importlib
import multiprocessing
import pickle
import sys
from pathlib import Path

import eager  # noqa: F401
import numpy
import torch
from numpy import load as numpy_load
from torch.utils.data import DataLoader, Dataset

NAMES = (torch.load, torch.save, numpy_load, torch.nn.Module.__call__, torch.Tensor.to, torch.Tensor.item, torch._C.TensorBase.cpu,
         torch.utils.data.DataLoader.__iter__, torch.optim.Optimizer.__init__)  # fmt: skip


class Files(Dataset):
    def __init__(self, files):
        self.files, self.read, self.move = files, torch.load, torch.Tensor.to

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.move(self.read(self.files[index]), torch.float64)


def outcome(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


def main():
    method, folder = sys.argv[1], Path(sys.argv[2])
    context = multiprocessing.get_context(method)
    tensors, arrays = [], []
    for index in range(4):
        tensors.append(str(folder / f"{index}.pt"))
        arrays.append(str(folder / f"{index}.npy"))
        torch.save(torch.tensor(index), tensors[-1])
        numpy.save(arrays[-1], index)
    with context.Pool(2) as pool:
        print([int(one) for one in pool.map(torch.load, tensors)])
        print([int(one) for one in pool.map(numpy_load, arrays)])
    for name in ("dill", "cloudpickle", "multiprocess.reduction"):
        try:
            pickler = importlib.import_module(name)
        except ImportError:
            print(name, "not installed")
            continue
        dumps = getattr(pickler, "dumps", None) or pickler.ForkingPickler.dumps
        loads = getattr(pickler, "loads", None) or pickle.loads
        print(name, *[outcome(lambda one=one: loads(dumps(one)) is one) for one in NAMES])
    loader = DataLoader(Files(tensors), batch_size=2, num_workers=1, multiprocessing_context=context)
    print([int(one) for batch in loader for one in batch])


if __name__ == "__main__":
    main()
