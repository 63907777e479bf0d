"""Puts flatout's DataLoader in the place of the one that an upstream suite tests, in every Python of its run.

FLATOUT_UPSTREAM says which: "torch" or "torchdata". Only tools/upstream_suites.py puts this folder into PYTHONPATH.
"""

import os


def _take_the_place(which):
    import torch.utils.data

    from flatout.torch import DataLoader

    if which == "torch":
        torch.utils.data.DataLoader = DataLoader
        return
    import torchdata.stateful_dataloader

    torchdata.stateful_dataloader.StatefulDataLoader = DataLoader


if os.environ.get("FLATOUT_UPSTREAM"):
    _take_the_place(os.environ["FLATOUT_UPSTREAM"])
