"""The loading engines of one DataLoader, kept for its next iterators."""

from __future__ import annotations

import os

from .caching import beside_another
from .fetches import Fetches
from .figures import Told
from .engine import Engine
from .stream import first_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from . import Form


_LEAST_AHEAD = 2
_AS_THEY_ARE = ("threads", "ahead")


class Engines(Told):
    """The engines of one loader, all alike: one, unless several of its iterators live at a time."""

    def __init__(self, torch: ModuleType, form: Form, loader: Any, on_bad_sample: str = "raise", fetches: Fetches | None = None,
                 cache: dict[str, Any] | None = None) -> None:
        """`cache`: as caching.described() gives it."""
        super().__init__()
        self.torch = torch
        self.form = form
        self.fetches = fetches or Fetches()
        self.samples = None if form.samples is None else form.samples.copy()  # as they were opened; None: those of shards
        self.ahead = max(_LEAST_AHEAD, loader.prefetch_factor or 0)
        self.spec = {**form.spec, "batch_size": form.batch_size, "ahead": self.ahead, "threads": _threads(),
                     "on_bad_sample": on_bad_sample}  # fmt: skip
        self.cache = cache
        self.process = os.getpid()
        self.opened: list[Any] = []  # since the last fork
        self.keeps: Any = None  # the one of them that has the memory of the cache
        self.idle = [self._open()]
        self.first = None if self.samples is not None else first_of(self.idle[0], form.spec["shards"])

    def makes(self, form: Form) -> bool:
        """What was opened is still what the program asks for."""
        was = self.form
        self.form = form
        return (was.spec, was.batch_size) == (form.spec, form.batch_size) and self.samples == form.samples

    def take(self) -> Any:
        if self.process != os.getpid():  # the threads stayed in the parent
            self.process, self.idle, self.opened, self.keeps = os.getpid(), [], [], None
        if not self.idle:
            return self._open()
        return self.idle.pop(self.idle.index(self.keeps) if self.keeps in self.idle else -1)

    def keep(self, cache: dict[str, Any] | None) -> None:
        """From now on; what was kept otherwise is gone."""
        if cache != self.cache:
            self.cache = cache
            self.opened = [engine for engine in self.opened if engine not in self.idle]
            self.idle, self.keeps = [], None
            self.idle.append(self._open())

    def kept(self) -> Any:
        """What is kept in memory: "encoded", "decoded", None."""
        return self.cache["keep"] if self.cache is not None and self.room_bytes() else None

    def room_bytes(self) -> Any:
        """That the cache may take of the memory."""
        cached = self.keeps.stats().get("cache") if self.keeps is not None and self.process == os.getpid() else None
        return cached["memory"]["budget_bytes"] if cached and cached["memory"] else 0

    def _open(self) -> Any:
        cache = self.cache if self.keeps is None else beside_another(self.cache)
        engine = Engine(self.torch, self.spec if cache is None else {**self.spec, "cache": cache}, self.samples)
        self.opened.append(engine)
        self.keeps = self.keeps or engine
        return engine

    def give_back(self, engine: Engine) -> None:
        if engine.process == os.getpid():
            self.idle.append(engine)

    def figures(self, before: Any = None) -> Any:
        """Those of flatout_loader_stats that are counted, summed up, with those of engines `before`; the rest as the last one has it."""
        total = dict(before or {})
        for engine in self.opened if self.process == os.getpid() else ():
            for name, value in engine.stats().items():
                counted = isinstance(value, int) and name not in _AS_THEY_ARE
                if counted or name not in total or value is not None:
                    total[name] = total.get(name, 0) + value if counted else value
        return total


def check(torch: ModuleType, form: Form) -> None:
    """Bad where the engine refuses the form; no file is looked at."""
    Engine(torch, {**form.spec, "batch_size": 1, "ahead": 1, "threads": 1}, [])


def _threads() -> Any:
    """The cores of this process, shared with the other ranks of its machine. 0: the engine looks, also at the cgroup's quota."""
    ranks = os.environ.get("LOCAL_WORLD_SIZE", "")
    if not ranks.isdigit() or int(ranks) < 2:
        return 0
    return max(1, len(os.sched_getaffinity(0)) // int(ranks))
