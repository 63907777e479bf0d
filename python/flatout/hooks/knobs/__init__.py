"""Knobs of a plan, set in a program that nobody edits (FLATOUT_PLAN).

One file a knob, with what it needs, how it is set and undone. A knob is set as
the program's author would set it by hand, so what it sets stays visible to the
program (loader.num_workers is then 6). Nothing is set in a loader's worker, and
without a plan nothing of this folder is loaded. What became of each knob is said
as the fact "knob"; an error of ours there is a reason, never the program's.
"""

from __future__ import annotations

import importlib
import json
import os

from .agreement import Agreement
from .loaders import LoaderKnobs
from .scope import Scope
from .switching import Switching
from .table import TABLE
from .words import Words, cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions
    from ..torch.precision import Precision

# Now and not when a plan asks for one: after the import of the hooks their names are taken out of sys.modules.
_CLASSES = {
    knob: getattr(importlib.import_module("." + declared.module, __package__), declared.kind)
    for knob, declared in TABLE.items()
}


class Knobs:
    """The plan of this process. `problem` is one line where it could not be read."""

    def __init__(self, native: Native, torch: ModuleType, text: str, precision: Precision | None = None, driven_by: str | None = None) -> None:
        """`driven_by`: the file of the page by which a tuner switches knobs while the program runs."""
        self.native = native
        self.words = Words(native)
        self.problem: Any = None
        plan = self._read(text)
        self.agreement = Agreement(torch, os.environ.get("FLATOUT_RING_DIR", ""))
        self.loaders = LoaderKnobs(native, torch, self.words, _asked("loader", plan), self.agreement)
        self.settings: list[Any] = []
        for kind, value in _asked("process", plan):
            self._start(kind, torch, value)
        self._start_batches(native, torch, plan)
        around = [self._start(kind, torch, value, precision) for kind, value in _asked("forward", plan)]
        self.scope: Any = None
        if any(around) or driven_by:
            self.scope = Scope(native, torch, self.agreement)
            self.scope.parts = [part for part in around if part is not None]
        self.switching = None
        if driven_by:
            self.switching = self._driven(driven_by, precision)
        for knob, value in plan.items():
            if knob not in TABLE:
                self.words.say(knob, value, False, "this version knows no such knob")

    def _driven(self, page: str, precision: Precision | None) -> Switching:
        switching = Switching(self.native, self.loaders.torch, self.words, self.loaders, self.scope, precision, _CLASSES)
        self.settings = [setting for setting in self.settings if not switching.adopt(setting)]
        self.loaders.driven = True
        self.loaders.within = os.environ.get("FLATOUT_CONTROL_WITHIN") == "1"
        self.native.drive_steps(page, switching.put, switching.settled, switching.outcomes)
        return switching

    def _read(self, text: str) -> Any:
        try:
            plan = json.loads(text)
            if not isinstance(plan, dict):
                raise ValueError("it is no JSON object")
            return plan
        except ValueError as error:
            self.problem = "the plan cannot be read, no knob is set: %s" % (error,)
            return {}

    def _start(self, kind: Any, torch: ModuleType, value: Any, *needs: Any) -> Any:
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

    def _start_batches(self, native: Native, torch: ModuleType, plan: Any) -> None:
        for kind, value in _asked("batches", plan):
            wrong = kind.wrong(value)
            if wrong is None:
                self.loaders.batches.append(kind(native, torch, value, self.words, self.loaders.agreement))
                self.settings.append(self.loaders.batches[-1])
            else:
                self.words.say(kind.id, value, False, wrong)

    def loader_built(self, loader: Any) -> None:
        for batches in self.loaders.batches:
            batches.loader_built(loader)

    def optimizer_built(self, optimizer: Any) -> None:
        if self.switching is not None:
            self.switching.optimizer_built(optimizer)
        for setting in self.settings:
            if hasattr(setting, "optimizer_built"):
                setting.optimizer_built(optimizer)

    def listen(self, occasions: Occasions) -> None:
        """Called once all other hooks are there."""
        for setting in self.settings:
            if hasattr(setting, "install_last"):
                setting.install_last()
        for setting in self.settings:
            occasions.listen(setting.look)
        if self.scope is not None:
            occasions.listen(self.scope.look)
        occasions.listen(self.loaders.look)
        if self.switching is not None:
            self.switching.listen(occasions)


def _asked(place: Any, plan: Any) -> list[Any]:
    """(class, value) of the plan's knobs that are set there, in the order of the table."""
    return [(_CLASSES[knob], plan[knob]) for knob, declared in TABLE.items() if declared.at == place and knob in plan]
