"""A tracker with wandb's names, whose runs are flatout's: `import flatout.track as wandb`.

    run = init(project="mnist", config={"lr": 0.1})
    run.log({"loss": 0.3})
    run.finish()

Under `flatout run` what is logged joins the recording of the program; without it, init starts a recorder of its own. Nothing goes over a
network, and nothing of it raises in a training: what cannot be kept is said in one line. docs/track.md says what each name does.
"""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from flatout.track import errors, plot, state, util
from flatout.track._api import Api, agent, controller, launch, launch_add, sweep
from flatout.track.artifact import Artifact, ArtifactTTL
from flatout.track.alerts import AlertLevel
from flatout.track.errors import CommError, Error, UsageError, say, say_once
from flatout.track.media import Audio, Graph, Histogram, Html, Image, Molecule, Object3D, Plotly, Table, Video, box3d
from flatout.track.plot import plot_table, visualize
from flatout.track.preinit import BeforeInit, before_init
from flatout.track._run import Run, end_all
from flatout.track.settings import Settings, asked_for, default_config
from flatout.track.start import init
from flatout.track.tables import Classes, JoinedTable

__version__ = "0.31.0"  # of wandb, whose names these are

run: Run | None = None
if TYPE_CHECKING:  # add_mirror below sets them
    config: Any
    summary: Any
    log: Any
    save: Any
    use_artifact: Any
    log_artifact: Any
    define_metric: Any
    alert: Any
    mark_preempting: Any
    log_model: Any
    use_model: Any
    link_model: Any
    watch: Any
    unwatch: Any

EvalTable = Table
patched: dict[str, list[Any]] = {"tensorboard": [], "keras": [], "gym": []}


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """Ends the global run, if there is one."""
    if state.run is not None:
        state.run.finish(exit_code, quiet)


join = finish


def login(key: str | None = None, relogin: bool | None = None, host: str | None = None, force: bool | None = None, timeout: int | None = None,
          verify: bool = True, referrer: str | None = None, prompt: bool = True, anonymous: Any = None) -> bool:
    """There is no account; the key is not looked at."""
    return True


def setup(settings: Any = None) -> Any:
    return Settings(settings=settings)


def teardown(exit_code: int | None = None) -> None:
    """Ends all runs of this process."""
    for one in list(state.open_runs):
        one.finish(exit_code)


def require(requirement: Any = None, experiment: Any = None) -> None:
    """wandb's switches: there is nothing to switch here."""


def ensure_configured() -> None:
    """Nothing is to be configured."""


def restore(name: str, run_path: str | None = None, replace: bool = False, root: str | None = None) -> Any:
    if state.run is None:
        raise Error("You must call wandb.init() before wandb.restore()")
    return state.run.restore(name, run_path, replace, root)


def termlog(string: str = "", newline: bool = True, repeat: bool = True, prefix: bool = True) -> None:
    (say if repeat else say_once)(string)


def termwarn(string: str, newline: bool = True, repeat: bool = True, prefix: bool = True) -> None:
    (say if repeat else say_once)(string)


def termerror(string: str, newline: bool = True, repeat: bool = True, prefix: bool = True) -> None:
    (say if repeat else say_once)(string)


def termsetup(settings: Any = None, logger: Any = None) -> None:
    """Lines go to stderr."""


def _attach(attach_id: str | None = None, run_id: str | None = None, **_: Any) -> Run:
    """The run of this id, written by this process too."""
    wanted = attach_id or run_id
    for one in state.open_runs:
        if one.id == wanted:
            return one  # type: ignore[no-any-return]
    return init(id=wanted, resume="allow", settings=Settings(x_label=None))


api = Api()

state.add_mirror(globals(), before_init())
atexit.register(end_all)

__all__ = ["AlertLevel", "Api", "Artifact", "ArtifactTTL", "Audio", "BeforeInit", "Classes", "CommError", "Error", "EvalTable", "Graph", "Histogram", "Html",
           "Image", "JoinedTable", "Molecule", "Object3D", "Plotly", "Run", "Settings", "Table", "UsageError", "Video", "agent", "alert", "api", "asked_for",
           "box3d", "config", "controller", "default_config", "define_metric", "ensure_configured", "errors", "finish", "init", "join", "launch",
           "launch_add", "link_model", "log", "log_artifact", "log_model", "login", "mark_preempting", "patched", "plot", "plot_table", "require",
           "restore", "run", "save", "setup", "summary", "sweep", "teardown", "termerror", "termlog", "termsetup", "termwarn", "unwatch",
           "use_artifact", "use_model", "util", "visualize", "watch"]
