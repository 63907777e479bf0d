"""`flatout run --capture wandb,tensorboard,mlflow,neptune`: what an unmodified program logs is recorded, too.

A package that is installed is used as it is, and what it is given is recorded beside (a tee). Where wandb or neptune are not installed, a
package of that name stands last on sys.path and is flatout.track. sitecustomize calls install() in each Python process of the run.
"""

from __future__ import annotations

import os
import sys

from flatout.capture.finder import watch_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["install"]

_SHIMS = ("wandb", "neptune")
_TEES = {  # module that is waited for -> where its tee is
    "wandb": {"wandb": "flatout.capture.wandb"},
    "tensorboard": {"torch.utils.tensorboard.writer": "flatout.capture.tensorboard", "tensorboardX.writer": "flatout.capture.tensorboard"},
    "mlflow": {"mlflow.tracking.client": "flatout.capture.mlflow"},
    "neptune": {"neptune.handler": "flatout.capture.neptune", "neptune.metadata_containers.run": "flatout.capture.neptune"},
}


def install(names: list[str], root: str) -> None:
    """`root` holds shims/. A name that is not known was refused by `flatout run`."""
    places: dict[str, Callable[[Any], None]] = {}
    for name in names:
        for module, tee in _TEES.get(name, {}).items():
            places[module] = _patch(tee)
        folder = os.path.join(root, "shims", name)
        if name in _SHIMS and folder not in sys.path:
            sys.path.append(folder)
    watch_imports(places)


def _patch(tee: str) -> Callable[[Any], None]:
    """Imports the tee when it is needed: a process that logs nothing pays for none."""

    def patch(module: Any) -> None:
        if getattr(module, "_is_flatouts", False):
            return
        import importlib

        importlib.import_module(tee).patch(module)

    return patch
