"""How many samples a loader draws in an epoch, where one of PyTorch's own samplers holds the number.

A sampler's length is a method, which may be the program's; the numbers read here lie in the objects themselves."""

from __future__ import annotations

import sys

from ..core.fields import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def epoch_samples(torch: ModuleType, loader: Any) -> int | None:
    """Samples of an epoch in this process; None where the dataset's length is all there is to go by."""
    data = torch.utils.data
    batches = fields(loader).get("batch_sampler")
    if type(batches) is not data.BatchSampler:
        return None
    sampler = fields(batches).get("sampler")
    kind, known, count = type(sampler), fields(sampler), None
    if kind is data.SubsetRandomSampler:
        count = _length(known.get("indices"))
    elif kind is data.RandomSampler:
        count = known.get("_num_samples")  # None: all of the dataset
    elif kind is data.WeightedRandomSampler or kind is data.DistributedSampler:
        count = known.get("num_samples")
    return count if type(count) is int else None


def _length(indices: Any) -> int | None:
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(indices) is numpy.ndarray:
        return indices.shape[0] if indices.ndim else None
    return len(indices) if any(type(indices) is kind for kind in (list, tuple, range)) else None
