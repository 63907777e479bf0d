"""Whether fetching a batch changes random state that lies in the training process.

Only in trials, and only where the training process itself fetches (no workers):
the states of torch's CPU generator, of `random`, of numpy and of the generators
that the dataset holds (generators.py) are compared around the first few
fetches of each loader. Where they stay the same, moving the fetches into workers
leaves every draw of the program as it was: workers draw from seeds of their own,
and from a copy each of what the dataset holds.
"""

from __future__ import annotations

import json
import random
import sys

from .generators import generators_of, same, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
_FETCHES = 8  # looked at for each loader
_MOST_LOADERS = 16
_MOST_OPEN = 8  # fetches inside a fetch


def install(native: Native, torch: ModuleType) -> None:
    from torch.utils.data._utils import fetch

    draws = _Draws(native, torch)
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        # Around the span that times the batch, which so stays free of our own work.
        native.hook(kind, "fetch", CALLBACK, before=draws.before, after=draws.after)


class _Draws:
    def __init__(self, native: Native, torch: ModuleType) -> None:
        self.native = native
        self.torch = torch
        functions, dispatches = (
            getattr(torch._C, "_len_torch_%s_stack" % kind, int) for kind in ("function", "dispatch")
        )
        self.modes = lambda: functions() + dispatches()
        self.seen: dict[Any, Any] = {}  # loader -> [fetches looked at, whether one drew]
        self.open: dict[Any, Any] = {}  # id of the fetcher -> state before; stays where the fetch raised

    def before(self, args: tuple[Any, ...], _nothing: object) -> None:
        entry = self._entry()
        # A mode of the program's would notice that its generator is looked at.
        if entry is None or entry[0] >= _FETCHES or self.modes() != 0:
            return
        if len(self.open) >= _MOST_OPEN:
            self.open.clear()
        self.open[id(args[0])] = _State(self.native, self.torch, args[0])

    def after(self, args: tuple[Any, ...], _result: object) -> None:
        before = self.open.pop(id(args[0]), None)
        entry = self._entry() if before is not None else None
        if entry is None:
            return
        drew = bool(entry[1]) or before.changed()
        entry[0] += 1
        if drew is not entry[1]:
            entry[1] = drew
            self.native.fact("draws", json.dumps({"loader": self.native.current_loader(), "fetch_draws": drew}))

    def _entry(self) -> Any:
        loader = self.native.current_loader()
        if self.torch.utils.data.get_worker_info() is not None or loader == 0:
            return None
        if loader not in self.seen and len(self.seen) >= _MOST_LOADERS:
            return None
        return self.seen.setdefault(loader, [0, None])


class _State:
    """The random state before a fetch."""

    def __init__(self, native: Native, torch: ModuleType, fetcher: Any) -> None:
        self.torch = torch
        collate = fetcher.collate_fn
        self.own = generators_of(torch, fetcher.dataset, native.unwrap(collate))
        self.states = self._read()

    def changed(self) -> bool:
        pairs = zip(self.states, self._read())
        known = ((before, after) for before, after in pairs if before is not None and after is not None)
        return not all(same(self.torch, before, after) for before, after in known)

    def _read(self) -> list[Any]:
        own = (state_of(self.torch, generator) for generator in self.own)
        return [self.torch.default_generator.get_state(), random.getstate(), _numpy_state(), *own]


def _numpy_state() -> tuple[Any, Any, Any] | None:
    """None where numpy's generator is not there (yet)."""
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return None
    name, keys, *rest = numpy.get_state()
    return name, keys.tobytes(), rest
