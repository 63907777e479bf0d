"""The random state of a trial: it starts alike in each, and FLATOUT_TRIAL_SEED=k moves it.

A program that sets no seed draws anew in each process: its trials could not be
compared sample by sample, nor loss by loss. So once torch is imported in a trial, it,
`random` and numpy's global generator (where numpy is there by then) start from a seed of
ours, another one in each rank and in each process that multiprocessing starts. What the
program seeds after that counts; what it makes random on purpose (`torch.seed()`,
`random.seed()`) stays random.

With k the trials of one program show how far its loss differs between seeds: each
seed that it sets, and ours, are moved by k * 1000003, within what each takes.
Generator objects that it seeds on its own are left alone.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import operator
import os
import random
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions

SCOPED = 10
_APART = 1_000_003
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "LOCAL_RANK")


def asked() -> Any:
    """k, or 0 where the seeds stay the program's."""
    text = os.environ.get("FLATOUT_TRIAL_SEED", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def install(native: Native, torch: ModuleType, occasions: Occasions) -> None:
    seeds = _Seeds(native, asked() * _APART)
    seeds.start(torch)
    if seeds.by == 0:
        return
    for holders, name in (((torch, torch.random), "manual_seed"), ((torch.cuda, torch.cuda.random), "manual_seed"),
                          ((torch.cuda, torch.cuda.random), "manual_seed_all")):  # fmt: skip
        seeds.move(holders, name, "seed", _Range(-(1 << 63), 1 << 64, 1 << 64, int))
    if native.can_hook_in_place():
        seeds.move((random.Random,), "seed", "a", _Range(None, None, None, operator.index, only=random._inst))
    else:
        seeds.move((random,), "seed", "a", _Range(None, None, None, operator.index))
    seeds.look_for_numpy()
    occasions.listen(lambda _module, _device: seeds.look_for_numpy())


def _of_this_process() -> Any:
    """The same in each trial, another one in each process of it; fits numpy's 32 bits."""
    rank = next((os.environ[name] for name in _RANKS if name in os.environ), "")
    # Its name is numbered, and a spawned process has it before it imports the program.
    which = repr((rank, multiprocessing.current_process().name))
    return int.from_bytes(hashlib.blake2b(which.encode(), digest_size=4).digest(), "little")


class _Range:
    """Seeds from `lowest` to below `end`, of which those that differ by `period` are one."""

    def __init__(self, lowest: Any, end: Any, period: Any, whole: Any, only: Any = None) -> None:
        self.lowest, self.end, self.period = lowest, end, period
        self.only = only  # the object whose method it is; None of a function
        self.whole = whole  # makes a whole number of what was given, or raises

    def moved(self, seed: Any, by: Any) -> Any:
        """`seed` itself where it is no whole number, or none that would be taken."""
        try:
            value = self.whole(seed)
        except (TypeError, ValueError, OverflowError):
            return seed
        if self.period is None:
            return value + by
        return (value + by) % self.period if self.lowest <= value < self.end else seed


class _Seeds:
    def __init__(self, native: Native, by: Any) -> None:
        self.native = native
        self.by = by
        self.inside = threading.local()  # torch.manual_seed calls those of its devices
        self.numpy: Any = None  # until it is seen; then whether its seeds are moved

    def start(self, torch: ModuleType) -> None:
        first = (_of_this_process() + self.by) % (1 << 32)
        torch.manual_seed(first)
        random.seed(first)
        if hasattr(sys.modules.get("numpy"), "ndarray"):
            import numpy.random

            numpy.random.seed(first)

    def move(self, holders: Any, name: str, argument: Any, takes: Any) -> None:
        """Of a function, or of the method `name` for the one object `takes.only`."""
        function = getattr(holders[0], name)
        first = 0 if takes.only is None else 1

        def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, None] | None:
            self.look_for_numpy()
            if getattr(self.inside, "a_seed", False) or (first and (not args or args[0] is not takes.only)):
                return None
            if len(args) > first:
                args = (*args[:first], takes.moved(args[first], self.by), *args[first + 1 :])
            elif kwargs and argument in kwargs:
                kwargs = {**kwargs, argument: takes.moved(kwargs[argument], self.by)}
            self.inside.a_seed = True
            return args, kwargs, None

        def leave(_token: object, _result: object, _raised: BaseException | None) -> None:
            self.inside.a_seed = False

        span = self.native.hook(holders[0], name, SCOPED, before=enter, after=leave)
        for holder in holders[1:]:
            if getattr(holders[0], name) is span and getattr(holder, name) is function:
                setattr(holder, name, span)

    def look_for_numpy(self) -> None:
        """numpy may be imported after torch, and numpy.random after numpy."""
        if self.numpy is not None or not hasattr(sys.modules.get("numpy"), "ndarray"):
            return  # not there, or just being imported
        self.numpy = False
        try:
            import numpy.random
        except Exception:  # the program will find out for itself
            return
        self.numpy = True
        self.move((numpy.random, numpy.random.mtrand), "seed", "seed", _Range(0, 1 << 32, 1 << 32, operator.index))
