"""The hooks for PyTorch, loaded when the program imports torch.

Rules that all of them keep: nothing is attached to an object of the user's,
nothing runs per submodule, nothing is pickled, no Python frame of ours stands
between two frames of the program, and an error of ours never reaches it.
"""

import json
import os

from . import _native as native
from . import checkpoint, comm, cuda, failure, loader, model, optimizer, precision, rank, readers
from .frameworks import Frameworks
from .occasions import Occasions

# Now or never: once this package is loaded it stands in sys.modules no more.
if os.environ.get("FLATOUT_PLAN"):
    from .knobs import Knobs
if os.environ.get("FLATOUT_TRIAL") == "1":
    from . import draws, trial_checkpoints, trial_grad_norm, trial_indices, trial_loss, trial_peak, trial_reads, trial_seed


def install(torch, used=lambda: None):
    """Put every hook in place; each that fails is reported and left out. used() is called when this process first uses torch to
    load data or to train, and gives the seconds that its imports took, or None."""
    looks = precision.Precision(native, torch)
    knobs = _knobs(torch, looks)
    native.configure(
        os.environ["FLATOUT_RING_DIR"],
        bool(os.environ.get("FLATOUT_QUIET")),
        _positive_int(os.environ.get("FLATOUT_STOP_AFTER")),
        lambda: loader.worker_id(torch),
        lambda: _opened(torch, knobs, used),
        _in_trial(),
        failure.quiet_interrupt,
    )
    native.set_torch(
        torch.is_grad_enabled,
        torch.Tensor,
        torch._C.TensorBase.__len__,
        getattr(torch._C, "_len_torch_function_stack", int),
    )
    occasions, frameworks = Occasions(native), Frameworks(native)
    parts = (
        (loader, occasions, frameworks, knobs),
        (model, occasions, looks),
        (optimizer, occasions, frameworks, knobs),
        (precision, occasions, looks),
        (rank, occasions),
        (comm, occasions),
        *((part,) for part in (checkpoint, failure, readers, cuda)),
        *(_of_trials(occasions, frameworks) if _in_trial() else []),
    )
    for part, *needs in parts:
        try:
            part.install(native, torch, *needs)
        except Exception as error:
            _problems.append("hooks for %s are missing: %s: %s" % (part.__name__.rpartition(".")[2], type(error).__name__, error))

    _say_attached()
    if knobs is not None:
        knobs.listen(occasions)
        knobs.words.installed()


def _say_attached():
    """For flatout, which sees that torch is loaded and would otherwise take silence for hooks that are missing. A ring would
    do it, too, but takes memory in processes that never train."""
    try:
        os.close(os.open(os.path.join(os.environ["FLATOUT_RING_DIR"], "attached"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except OSError:  # then flatout may blame itself wrongly, which harms nobody
        pass


_problems = []


def _of_trials(occasions, frameworks):
    return [(trial_seed, occasions), (trial_reads, occasions), (draws,), (trial_loss,), (trial_grad_norm,), (trial_indices,), (trial_peak,), (trial_checkpoints, frameworks)]


def _in_trial():
    return os.environ.get("FLATOUT_TRIAL") == "1"


def _knobs(torch, looks):
    """The plan's, or None without a plan."""
    text = os.environ.get("FLATOUT_PLAN")
    if not text:
        return None
    try:
        knobs = Knobs(native, torch, text, looks)
    except Exception as error:
        _problems.append("the plan is not applied: %s: %s" % (type(error).__name__, error))
        return None
    if knobs.problem is not None:
        _problems.append(knobs.problem)
    return knobs


def _positive_int(text):
    return int(text) if text and text.isdigit() else 0


def _opened(torch, knobs, used):
    """First words of a process in its ring."""
    import_s = used()
    worker = loader.worker_id(torch)
    if worker is not None:
        info = torch.utils.data.get_worker_info()
        native.fact("worker", json.dumps({"worker_id": worker, "loader_seed": info.seed - worker}))
        return
    native.fact("environment", json.dumps(_environment(torch)))
    if import_s is not None:
        native.fact("imports", json.dumps({"seconds": round(import_s, 3)}))
    for problem in _problems:
        native.fact("problem", json.dumps({"problem": problem}))
    if knobs is not None:
        knobs.words.opened()


def _environment(torch):
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
