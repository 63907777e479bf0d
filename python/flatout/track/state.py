"""Which run is the global one, and which are open in this process."""

from __future__ import annotations

from typing import Any

__all__ = ["add_mirror", "end_run", "open_runs", "run", "set_run"]

run: Any = None
open_runs: list[Any] = []
_mirrors: list[dict[str, Any]] = []  # namespaces of modules that show the global run
_before: list[dict[str, Any]] = []  # what each showed without a run


def add_mirror(namespace: dict[str, Any], before: dict[str, Any]) -> None:
    """A module whose `run`, `config`, `log`... follow the global run; `before` is what they are without one."""
    _mirrors.append(namespace)
    _before.append(before)
    namespace.update(before)
    if run is not None:
        namespace.update(run._shown())


def set_run(chosen: Any) -> None:
    global run
    run = chosen
    for namespace, before in zip(_mirrors, _before):
        namespace.update(before if chosen is None else chosen._shown())


def end_run(ended: Any) -> None:
    """The global run has ended. What the modules show goes on to be its own: `log` says that the run is finished, and raises nothing."""
    global run
    run = None
    for namespace in _mirrors:
        namespace.update({**ended._shown(), "run": None})
