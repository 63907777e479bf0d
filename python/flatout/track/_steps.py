"""At which step a value stands whose name has a `step_metric`: at what that metric says, as wandb draws it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

__all__ = ["StepMetrics", "whole_step"]

_MOST_NAMES = 100_000  # whose rule is remembered


class StepMetrics:
    """Of one run. Empty (false) until a metric with a `step_metric` is defined."""

    def __init__(self, defined: Iterable[tuple[str, str, bool]] = ()) -> None:
        self.defined: dict[str, tuple[str, bool]] = {}  # in the order of definition
        self._of: dict[str, tuple[str, bool]] = {}
        self._any = False
        for name, metric, sync in defined:
            self.define(name, metric, sync)

    def __bool__(self) -> bool:
        return self._any

    def define(self, name: str, metric: str, sync: bool = True, overwrite: bool = False) -> None:
        """`sync` false: only where the metric stands in the same call. Without a metric, an earlier one stays unless it is overwritten."""
        if not metric and not overwrite and name in self.defined:
            return
        self.defined.pop(name, None)
        self.defined[name] = (metric, sync)
        self._any = any(one for one, _ in self.defined.values())
        self._of = {}

    def _rule(self, name: str) -> tuple[str, bool]:
        known = self._of.get(name)
        if known is not None:
            return known
        glob = ("", False)
        for pattern, rule in self.defined.items():
            if "*" in pattern and fnmatchcase(name, pattern.replace("[", "[[]")):
                glob = rule
        # With "*", the metric that counts the others' steps counts its own, too, though it has a definition of its own.
        out = glob if glob[0] == name else self.defined.get(name, glob)
        if len(self._of) < _MOST_NAMES:
            self._of[name] = out
        return out

    def by_step(self, values: Mapping[str, Any], given: Mapping[str, Any], latest: Mapping[str, Any], own: int) -> dict[int, dict[str, Any]]:
        """`values` by the step at which they stand. `given`: the numbers of this call; `latest`: of this and all before; `own`: the tracker's step."""
        out: dict[int, dict[str, Any]] = {}
        for name, value in values.items():
            metric, sync = self._rule(name)
            at = whole_step(given.get(metric, latest.get(metric) if sync else None)) if metric else None
            out.setdefault(own if at is None else at, {})[name] = value
        return out


def whole_step(value: Any) -> int | None:
    """None of what is no step: an epoch of 0.25, a text, a negative number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 <= value < 1 << 62 or value != int(value):
        return None
    return int(value)
