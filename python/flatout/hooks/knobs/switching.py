"""The knobs of a trial that a tuner drives, set and put back at the ends of its steps.

The tuner names all that shall be set; what stands otherwise is put back first. A knob is set by
the same class as by a plan. What is dear to make (a compiled model) is kept and set aside, all
else is made anew. Loaders: parked.py.
"""

from __future__ import annotations

import json

from ..core.fields import ByIdentity
from .gate_runs import GateRuns
from .table import TABLE
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions
    from ..torch.precision import Precision
    from .loaders import LoaderKnobs
    from .scope import Scope
    from .words import Words

_PUT_BACK = "it was put back"
_RANKS = "several processes of it train"
_AT_STARTS = "it can be set only when the program starts"
_STAYS = 4  # as in src/wire/control_page.h


class Switching:
    def __init__(self, native: Native, torch: ModuleType, words: Words, loaders: LoaderKnobs, scope: Scope, precision: Precision | None, classes: Any) -> None:
        self.native = native
        self.torch = torch
        self.words = words
        self.loaders = loaders
        self.scope = scope
        self.precision = precision
        self.classes = classes
        self.of_plan = list(scope.parts)  # they stay, but for those that are adopted
        self.optimizers = ByIdentity()
        self.wanted: dict[str, Any] = {}
        self.present: dict[str, Any] = {}  # knob -> (value, setting)
        self.aside: dict[Any, Any] = {}  # (knob, value) -> setting that is not in force
        self.occasions: Occasions | None = None
        self.gate = loaders.gate = GateRuns(torch, lambda: (list(scope.met), list(self.optimizers)), self.settled)
        synchronize = getattr(getattr(torch, "cuda", None), "synchronize", None)
        self.synchronize = native.unwrap(synchronize) if synchronize is not None else None

    def adopt(self, setting: Any) -> bool:
        """A setting of the plan that can be switched: from now on it is as if it had been put in place."""
        declared = TABLE[setting.id]
        if declared.switched != "live" or declared.variables or not hasattr(setting, "undo"):
            return False
        self.present[setting.id] = (setting.value, setting)
        self.of_plan = [part for part in self.of_plan if part is not setting]
        return True

    def listen(self, occasions: Occasions) -> None:
        self.occasions = occasions
        occasions.listen(self.look)

    def look(self, module: Any, device: Any) -> None:
        for _value, setting in list(self.present.values()):
            if hasattr(setting, "look"):
                setting.look(module, device)

    def optimizer_built(self, optimizer: Any) -> None:
        self.optimizers[optimizer] = True
        for _value, setting in list(self.present.values()):
            if hasattr(setting, "optimizer_built"):
                setting.optimizer_built(optimizer)

    # The native module calls these.

    def put(self, text: str, training: int) -> str | None:
        """Why the settings are not in place, None where each of them is, or has its own reason. `training`: see gate_runs.py."""
        try:
            if not self.loaders.agreement.alone():
                return _RANKS
            wanted = json.loads(text)
            for knob in wanted:
                if knob not in TABLE or TABLE[knob].switched == "restart":
                    return "%s: %s" % (knob, _AT_STARTS)
            self.wanted = wanted
            self.gate.begin(training & ~_STAYS, self.loaders.iterators())
            self._put_back()
            for knob, declared in TABLE.items():
                if knob in wanted and declared.at != "loader" and knob not in self.present:
                    self._set(knob, wanted[knob])
            self.scope.parts = self.of_plan + [self.present[knob][1] for knob, declared in TABLE.items() if declared.at == "forward" and knob in self.present]
            self.loaders.switch([(self.classes[knob], wanted[knob]) for knob, declared in TABLE.items() if declared.at == "loader" and knob in wanted])
            if training & _STAYS:
                self.loaders.stay()
            if self.occasions is not None:
                self.occasions.new_epoch()
        except Exception as error:
            return cause(error)
        return None

    def settled(self) -> None:
        if self.synchronize is not None and self.torch.version.cuda and self.torch.cuda.is_initialized():
            self.synchronize()

    def outcomes(self) -> str:
        said = self.words.said
        answer: dict[str, Any] = {knob: json.loads(said[knob]) for knob in self.wanted if knob in said}
        if self.gate.asked:
            answer["training"] = self.gate.outcome()
        return json.dumps(answer)

    # One knob.

    def _put_back(self) -> None:
        for knob, (value, setting) in list(self.present.items()):
            if self.wanted.get(knob, self) == value:
                continue
            del self.present[knob]
            if hasattr(setting, "set_aside"):
                setting.set_aside()
                self.aside[knob, value] = setting
            elif hasattr(setting, "undo"):
                setting.undo(_PUT_BACK)

    def _set(self, knob: str, value: Any) -> None:
        self.words.forget(knob)
        setting = self.aside.pop((knob, value), None)
        if setting is not None:
            setting.take_up()
        else:
            setting = self._made(knob, value)
        if setting is not None:
            self.present[knob] = (value, setting)

    def _made(self, knob: str, value: Any) -> Any:
        kind = self.classes[knob]
        wrong = kind.wrong(value)
        if wrong is not None:
            self.words.say(knob, value, False, wrong)
            return None
        needs = (self.precision,) if TABLE[knob].at == "forward" else ()
        try:
            setting = kind(self.torch, value, self.words, *needs)
            if hasattr(setting, "set_aside") and hasattr(setting, "install"):
                setting.install(self.native)  # it stays installed, and is asked whether it is in force
            if hasattr(setting, "set_now"):
                setting.set_now()
            for optimizer in list(self.optimizers):
                if hasattr(setting, "optimizer_built"):
                    setting.optimizer_built(optimizer)
            return setting
        except Exception as error:
            self.words.say(knob, value, False, cause(error))
            return None
