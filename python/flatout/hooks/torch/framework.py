"""PyTorch as the registry has it: its parts in their order, and the first words of a process.

What the class of any framework has (frameworks.py); it is made once the framework is imported:
  worker_id()    the loader worker that this process is, or None
  prepare()      what the native module must know before the first hook
  parts()        (module, arguments of its install() behind native and the framework) of each part, in order
  attached()     all parts are in place
  opened(seconds, problems)   first words in this process's ring; seconds: of its imports, or None
"""

from __future__ import annotations

import json
import os

from ..core import failure
from ..core.occasions import Occasions
from . import allocator, checkpoint, comm, cuda, loader, model, optimizer, precision, profilers, rank, readers
from .tracers import set_tracers
from .trainers import Trainers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

# Now or never: once this package is loaded it stands in sys.modules no more.
if os.environ.get("FLATOUT_PLAN") or os.environ.get("FLATOUT_CONTROL"):
    from ..knobs import Knobs
if os.environ.get("FLATOUT_TRIAL") == "1":
    from ..trial import checkpoints, draws, grad_norm, indices, loss, peak, reads, seed
elif os.environ.get("FLATOUT_CONTROL_WITHIN") == "1":
    from ..trial import draws, indices


class Torch:
    def __init__(self, native: Native, torch: ModuleType, problems: list[str]) -> None:
        self.native, self.torch = native, torch
        self.looks = precision.Precision(native, torch)
        self.knobs = self._knobs(problems)

    def _knobs(self, problems: list[str]) -> Any:
        """The plan's, or None without a plan, and where no tuner drives the program."""
        page = os.environ.get("FLATOUT_CONTROL")
        text = os.environ.get("FLATOUT_PLAN") or ("{}" if page else "")
        if not text:
            return None
        try:
            knobs = Knobs(self.native, self.torch, text, self.looks, page)
        except Exception as error:
            problems.append("the plan is not applied: %s: %s" % (type(error).__name__, error))
            return None
        if knobs.problem is not None:
            problems.append(knobs.problem)
        return knobs

    def worker_id(self) -> Any:
        return loader.worker_id(self.torch)

    def prepare(self) -> None:
        native, torch = self.native, self.torch
        native.set_torch(
            torch.is_grad_enabled,
            torch.Tensor,
            torch.Tensor.__base__.__len__,
            getattr(torch._C, "_len_torch_function_stack", int),
        )
        set_tracers(native, torch)
        self.occasions, self.trainers = Occasions(native), Trainers(native)

    def parts(self,
              in_trial: bool) -> tuple[tuple[Any, Any, Any, Any], tuple[Any, Any, Any], tuple[Any, Any, Any, Any], tuple[Any, Any, Any], tuple[Any, Any], tuple[Any, Any], Any, Any]:
        occasions, trainers, knobs, looks = self.occasions, self.trainers, self.knobs, self.looks
        return (
            (loader, occasions, trainers, knobs),
            (model, occasions, looks),
            (optimizer, occasions, trainers, knobs),
            (precision, occasions, looks),
            (rank, occasions),
            (comm, occasions),
            *((part,) for part in (checkpoint, failure, readers, cuda, allocator, profilers)),
            *(self._of_trials() if in_trial else self._of_tuned_runs()),
        )

    def _of_trials(self) -> list[Any]:
        return [(seed, self.occasions), (reads, self.occasions), (draws,), (loss, self.knobs), (grad_norm,), (indices,), (peak,), (checkpoints, self.trainers)]

    def _of_tuned_runs(self) -> list[Any]:
        """Parts that show if a loader's batches stay the same whoever makes them, for a run that is tuned."""
        return [(draws,), (indices,)] if os.environ.get("FLATOUT_CONTROL_WITHIN") == "1" else []

    def attached(self) -> None:
        if self.knobs is not None:
            self.knobs.listen(self.occasions)
            self.knobs.words.installed()

    def opened(self, import_s: float | None, problems: list[str]) -> None:
        native = self.native
        worker = self.worker_id()
        if worker is not None:
            info = self.torch.utils.data.get_worker_info()
            native.fact("worker", json.dumps({"worker_id": worker, "loader_seed": info.seed - worker}))
            return
        native.fact("environment", json.dumps(_environment(self.torch)))
        if import_s is not None:
            native.fact("imports", json.dumps({"seconds": round(import_s, 3)}))
        for problem in problems:
            native.fact("problem", json.dumps({"problem": problem}))
        if self.knobs is not None:
            self.knobs.words.opened()


def _environment(torch: ModuleType) -> Any:
    import platform

    facts = {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "intraop_threads": torch.get_num_threads(),
        "interop_threads": torch.get_num_interop_threads(),
        "device": "cuda" if torch.version.cuda and torch.cuda.is_initialized() else "cpu",
    }
    if torch.version.cuda:
        facts["cuda"] = torch.version.cuda
    return facts
