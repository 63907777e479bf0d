"""What the module's names of the global run are while there is none: they raise wandb's error, since a call without init is a mistake."""

from __future__ import annotations

from typing import Any, Callable

from flatout.track.errors import Error

__all__ = ["BeforeInit", "before_init"]

_CALLS = ("log", "save", "use_artifact", "log_artifact", "define_metric", "alert", "mark_preempting", "log_model", "use_model", "link_model",
          "watch", "unwatch")


class BeforeInit:
    """wandb.config and wandb.summary without a run."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __getitem__(self, key: Any) -> Any:
        raise Error(f"You must call wandb.init() before {self._name}[{key!r}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise Error(f"You must call wandb.init() before {self._name}[{key!r}]")

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        raise Error(f"You must call wandb.init() before {self._name}.{key}")

    def __setattr__(self, key: str, value: Any) -> None:
        raise Error(f"You must call wandb.init() before {self._name}.{key}")


def _call(name: str) -> Callable[..., Any]:
    def raises(*_: Any, **__: Any) -> Any:
        raise Error(f"You must call wandb.init() before wandb.{name}()")

    raises.__name__ = name
    return raises


def before_init() -> dict[str, Any]:
    return {"run": None, "config": BeforeInit("wandb.config"), "summary": BeforeInit("wandb.summary"), **{name: _call(name) for name in _CALLS}}
