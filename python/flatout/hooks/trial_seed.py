"""FLATOUT_TRIAL_SEED=k: in this trial each seed that the program sets is moved.

So the trials of one program show how far its loss differs between seeds. torch,
torch.cuda, `random` and numpy's global generator are moved by k * 1000003, within
what each takes. A program that sets no seed differs from run to run by itself and
is left alone, and so are Generator objects that it seeds on its own.
"""

import functools
import operator
import os
import random
import sys
import threading

_APART = 1_000_003


def asked():
    """k, or 0 where the seeds stay the program's."""
    text = os.environ.get("FLATOUT_TRIAL_SEED", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def install(_native, torch, occasions):
    seeds = _Seeds(asked() * _APART)
    for holders, name in (((torch, torch.random), "manual_seed"), ((torch.cuda, torch.cuda.random), "manual_seed"),
                          ((torch.cuda, torch.cuda.random), "manual_seed_all")):  # fmt: skip
        seeds.move(holders, name, "seed", _Range(-(1 << 63), 1 << 64, 1 << 64, int))
    seeds.move((random,), "seed", "a", _Range(None, None, None, operator.index))
    seeds.look_for_numpy()
    occasions.listen(lambda _module, _device: seeds.look_for_numpy())


class _Range:
    """Seeds from `lowest` to below `end`, of which those that differ by `period` are one."""

    def __init__(self, lowest, end, period, whole):
        self.lowest, self.end, self.period = lowest, end, period
        self.whole = whole  # makes a whole number of what was given, or raises

    def moved(self, seed, by):
        """`seed` itself where it is no whole number, or none that would be taken."""
        try:
            value = self.whole(seed)
        except (TypeError, ValueError, OverflowError):
            return seed
        if self.period is None:
            return value + by
        return (value + by) % self.period if self.lowest <= value < self.end else seed


class _Seeds:
    def __init__(self, by):
        self.by = by
        self.inside = threading.local()  # torch.manual_seed calls those of its devices
        self.numpy = None  # until it is seen; then whether its seeds are moved

    def move(self, holders, name, argument, takes):
        original = getattr(holders[0], name)

        @functools.wraps(original)
        def moved(*args, **kwargs):
            self.look_for_numpy()
            if getattr(self.inside, "a_seed", False):
                return original(*args, **kwargs)
            if args:
                args = (takes.moved(args[0], self.by), *args[1:])
            elif argument in kwargs:
                kwargs = {**kwargs, argument: takes.moved(kwargs[argument], self.by)}
            self.inside.a_seed = True
            try:
                return original(*args, **kwargs)
            finally:
                self.inside.a_seed = False

        for holder in holders:
            setattr(holder, name, moved)

    def look_for_numpy(self):
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
