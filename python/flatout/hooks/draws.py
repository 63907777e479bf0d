"""Whether fetching a batch changes the random state of the training process.

Only in trials, and only where the training process itself fetches (no workers):
the states of torch's CPU generator, of `random` and of numpy are compared around
the first few fetches of each loader. Where they stay the same, moving the fetches
into workers leaves every draw of the program as it was.
"""

import json
import random
import sys

CALLBACK = 7
_FETCHES = 8  # looked at for each loader
_MOST_LOADERS = 16


def install(native, torch):
    from torch.utils.data._utils import fetch

    draws = _Draws(native, torch)
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        # Around the span that times the batch, which so stays free of our own work.
        kind.fetch = native.span(kind.fetch, CALLBACK, before=draws.before, after=draws.after)


class _Draws:
    def __init__(self, native, torch):
        self.native = native
        self.torch = torch
        self.seen = {}  # loader -> [fetches looked at, whether one drew]
        self.state = None

    def before(self, _args, _nothing):
        self.state = None
        entry = self._entry()
        # A mode of the program's would notice that its generator is looked at.
        if entry is not None and entry[0] < _FETCHES and self.torch._C._len_torch_function_stack() == 0:
            self.state = self._random_state()

    def after(self, _args, _result):
        before, self.state = self.state, None
        entry = self._entry()
        if before is None or entry is None:
            return
        drew = bool(entry[1]) or self._differ(before, self._random_state())
        entry[0] += 1
        if drew is not entry[1]:
            entry[1] = drew
            self.native.fact("draws", json.dumps({"loader": self.native.current_loader(), "fetch_draws": drew}))

    def _entry(self):
        loader = self.native.current_loader()
        if self.torch.utils.data.get_worker_info() is not None or loader == 0:
            return None
        if loader not in self.seen and len(self.seen) >= _MOST_LOADERS:
            return None
        return self.seen.setdefault(loader, [0, None])

    def _random_state(self):
        return self.torch.default_generator.get_state(), random.getstate(), _numpy_state()

    def _differ(self, before, after):
        if before[2] is not None and after[2] is not None and before[2] != after[2]:
            return True
        return before[1] != after[1] or not self.torch.equal(before[0], after[0])


def _numpy_state():
    """None where numpy's generator is not there (yet)."""
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return None
    name, keys, *rest = numpy.get_state()
    return name, keys.tobytes(), rest
