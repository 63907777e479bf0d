"""Knobs of a plan, set in a program that nobody edits (FLATOUT_PLAN).

One file a knob, with what it needs, how it is set and undone. A knob is set as
the program's author would set it by hand, so what it sets stays visible to the
program (loader.num_workers is then 6). Nothing is set in a loader's worker, and
without a plan nothing of this folder is loaded. What became of each knob is said
as the fact "knob"; an error of ours there is a reason, never the program's.
"""

import json
import os

from .accumulate import Accumulate
from .agreement import Agreement
from .batch_size import BatchSize
from .bf16 import Bf16
from .cache import Cache
from .channels_last import ChannelsLast
from .compiled import CompileMode
from .cudnn_benchmark import CudnnBenchmark
from .engine import LoadingEngine
from .expandable_segments import ExpandableSegments
from .fp16 import Fp16
from .fused import Fused
from .hub_kernels import HubKernels
from .intraop_threads import IntraopThreads
from .liger import Liger
from .loaders import LoaderKnobs
from .non_blocking import NonBlocking
from .num_workers import NumWorkers
from .persistent_workers import PersistentWorkers
from .pin_memory import PinMemory
from .prefetch_factor import PrefetchFactor
from .scope import Scope
from .sdpa import Sdpa
from .tf32 import Tf32
from .words import Words, cause

# In the order in which a loader takes them: each may need the one before it.
_OF_LOADERS = (LoadingEngine, Cache, NumWorkers, PrefetchFactor, PinMemory, PersistentWorkers)
_OF_BATCHES = (BatchSize, Accumulate)
_OF_THE_PROCESS = (IntraopThreads, CudnnBenchmark, Tf32, Fused, ExpandableSegments, NonBlocking)
# In the order in which they are entered around a forward: the last is the innermost.
_OF_FORWARDS = (Sdpa, Liger, HubKernels, ChannelsLast, Bf16, Fp16, CompileMode)


class Knobs:
    """The plan of this process. `problem` is one line where it could not be read."""

    def __init__(self, native, torch, text, precision=None):
        self.native = native
        self.words = Words(native)
        self.problem = None
        plan = self._read(text)
        self.agreement = Agreement(torch, os.environ.get("FLATOUT_RING_DIR", ""))
        self.loaders = LoaderKnobs(native, torch, self.words, _asked(_OF_LOADERS, plan), self.agreement)
        self.settings = []
        for kind, value in _asked(_OF_THE_PROCESS, plan):
            self._start(kind, torch, value)
        self._start_batches(native, torch, plan)
        around = [self._start(kind, torch, value, precision) for kind, value in _asked(_OF_FORWARDS, plan)]
        self.scope = None
        if any(around):
            self.scope = Scope(native, torch, self.agreement)
            self.scope.parts = [part for part in around if part is not None]
        known = {kind.id for kind in (*_OF_LOADERS, *_OF_BATCHES, *_OF_THE_PROCESS, *_OF_FORWARDS)}
        for knob, value in plan.items():
            if knob not in known:
                self.words.say(knob, value, False, "this version knows no such knob")

    def _read(self, text):
        try:
            plan = json.loads(text)
            if not isinstance(plan, dict):
                raise ValueError("it is no JSON object")
            return plan
        except ValueError as error:
            self.problem = "the plan cannot be read, no knob is set: %s" % (error,)
            return {}

    def _start(self, kind, torch, value, *needs):
        wrong = kind.wrong(value)
        if wrong is not None:
            self.words.say(kind.id, value, False, wrong)
            return None
        try:
            setting = kind(torch, value, self.words, *needs)
            if hasattr(setting, "agreement"):
                setting.agreement = self.agreement
            if hasattr(setting, "install"):
                setting.install(self.native)
            self.settings.append(setting)
            return setting
        except Exception as error:
            self.words.say(kind.id, value, False, cause(error))
            return None

    def _start_batches(self, native, torch, plan):
        for kind, value in _asked(_OF_BATCHES, plan):
            wrong = kind.wrong(value)
            if wrong is None:
                self.loaders.batches.append(kind(native, torch, value, self.words, self.loaders.agreement))
                self.settings.append(self.loaders.batches[-1])
            else:
                self.words.say(kind.id, value, False, wrong)

    def loader_built(self, loader):
        for batches in self.loaders.batches:
            batches.loader_built(loader)

    def optimizer_built(self, optimizer):
        for setting in self.settings:
            if isinstance(setting, (Fused, Fp16, Accumulate)):
                setting.optimizer_built(optimizer)

    def listen(self, occasions):
        """Called once all other hooks are there."""
        for setting in self.settings:
            if isinstance(setting, Accumulate):
                setting.install_last()
        for setting in self.settings:
            occasions.listen(setting.look)
        if self.scope is not None:
            occasions.listen(self.scope.look)
        occasions.listen(self.loaders.look)


def _asked(kinds, plan):
    return [(kind, plan[kind.id]) for kind in kinds if kind.id in plan]
