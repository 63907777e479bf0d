"""Which samples a WebDataset's epoch has, in the loader's order: what its workers would give, asked here one after the other.

Each worker runs the pipeline for itself, on its share of the shards, so there is a pipeline for
each, which sees itself in that worker. Torch hands over their batches in turns.
"""

from __future__ import annotations

import copy
import itertools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Iterator

    from .engine import Engine


def first_of(engine: Engine, shards: Any) -> Any:
    """Shard -> number of its first sample. The engine has each shard's samples together, in the order of `shards`."""
    first, number, end = {}, 0, engine.samples()
    for shard in shards:
        first[shard] = number
        prefix, low = shard + ": ", number
        high = end
        while low < high:  # the first that is another shard's
            middle = (low + high) // 2
            if engine.name(middle).startswith(prefix):
                low = middle + 1
            else:
                high = middle
        number = low
    return first


class Stream:
    """Of one iterator: as long as its workers would live."""

    def __init__(self, torch: ModuleType, loader: Any, form: Any, first: Any, seed: Any) -> None:
        count = max(1, loader.num_workers)
        self.workers = [_Worker(torch, loader, form, first, seed, number) for number in range(count)]

    def epoch(self) -> Iterator[Any]:
        """Lists of (picture, label), of web_members.Member each."""
        for worker in self.workers:
            worker.begin()
        left = list(self.workers)
        while left:
            for worker in list(left):
                batch = worker.next()
                if batch is None:
                    left.remove(worker)
                else:
                    yield batch


class _Worker:
    def __init__(self, torch: ModuleType, loader: Any, form: Any, first: Any, seed: Any, number: int) -> None:
        self.module = torch.utils.data._utils.worker
        self.info = None
        self.form = form
        self.dataset = form.pipeline.numbered(first)
        if loader.num_workers > 0:
            # In a process of its own each has stages of its own, as they are when the process begins.
            stages = self.dataset.pipeline
            self.dataset.pipeline = [copy.deepcopy(one) if type(one).__module__ in _STATEFUL else one for one in stages]
            self.info = self.module.WorkerInfo(id=number, num_workers=loader.num_workers, seed=seed + number, dataset=self.dataset)

    def begin(self) -> None:
        self.samples = iter(self.dataset)

    def next(self) -> Any:
        """None at the end."""
        before = self.module._worker_info
        self.module._worker_info = self.info
        try:
            if self.form.pipeline.batched:
                return next(self.samples, None)
            batch = list(itertools.islice(self.samples, self.form.batch_size))
        finally:
            self.module._worker_info = before
        short = len(batch) < self.form.batch_size
        return None if not batch or short and self.form.drop_last else batch


_STATEFUL = ("webdataset.filters", "webdataset.shardlists")


def remade(form: Any, collate: Any, members: Any) -> Any:
    """The batch that the program's own stages make of them."""
    samples = form.pipeline.remade(members)
    if form.pipeline.batched:
        samples = sys.modules["webdataset.filters"].default_collation_fn(samples)
    return collate(samples)
