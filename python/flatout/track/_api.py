"""What of wandb needs its server: a clear line instead of something that only looks like an answer."""

from __future__ import annotations

from typing import Any

from flatout.track import state
from flatout.track.errors import UnsupportedError

__all__ = ["Api", "agent", "controller", "launch", "launch_add", "sweep"]


class Api:
    """Finds the open runs of this process. Everything else raises, and says what to use instead."""

    def __init__(self, overrides: Any = None, timeout: int | None = None, api_key: str | None = None) -> None:
        self.default_entity = None
        self.viewer = None
        self.settings: dict[str, Any] = {"entity": None, "project": None, "base_url": None}

    def run(self, path: str = "") -> Any:
        wanted = path.rpartition("/")[2]
        for one in state.open_runs:
            if one.id == wanted:
                return one
        raise UnsupportedError(f"Api().run({path!r}): no open run of this process; stored runs are read by flatout ls --format json, "
                               "flatout export and flatout ui's HTTP API")

    def flush(self) -> None:
        """Nothing is cached."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def unsupported(*_: Any, **__: Any) -> Any:
            raise UnsupportedError(f"Api().{name}(): there is no server of wandb's here; stored runs are read by flatout ls --format json, "
                                   "flatout export and flatout ui's HTTP API")

        return unsupported


def sweep(sweep: Any, entity: str | None = None, project: str | None = None, prior_runs: Any = None) -> str:
    raise UnsupportedError("sweep(): sweeps need wandb's server; flatout search SPACE.toml -- python train.py searches here")


def agent(sweep_id: str, function: Any = None, entity: str | None = None, project: str | None = None, count: int | None = None,
          forward_signals: bool = False, term_timeout: int | None = None, max_consecutive_failed_runs: int | None = None) -> None:
    raise UnsupportedError("agent(): sweeps need wandb's server; flatout search SPACE.toml -- python train.py searches here")


def controller(sweep_id_or_config: Any = None, entity: str | None = None, project: str | None = None) -> Any:
    raise UnsupportedError("controller(): sweeps need wandb's server; flatout search SPACE.toml -- python train.py searches here")


def launch(*_: Any, **__: Any) -> Any:
    raise UnsupportedError("launch(): jobs need wandb's server; flatout run -- python train.py starts one here")


launch_add = launch
