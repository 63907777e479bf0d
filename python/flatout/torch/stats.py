"""What a loader did since it was made."""

from __future__ import annotations

import threading
import warnings

from .bad_samples import BadSamples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Stats:
    """Counters. Several threads may add."""

    def __init__(self, policy: str) -> None:
        self._engine: str | None = None
        self._refusal: str | None = None
        self._policy = policy
        self._lock = threading.RLock()  # a finalizer may ask for the figures while they are read
        self._samples = self._batches = 0
        self._waiting_s = self._fetching_s = 0.0
        self._bad = BadSamples()
        self._left_out = 0
        self._first_left_out: str | None = None

    def uses(self, engine: str, refusal: str | None = None) -> None:
        """`refusal`: why the native engine, which was asked for, is not the one."""
        self._engine, self._refusal = engine, refusal

    def left_out(self, samples: int, why: str | None) -> None:
        """Samples that the native engine did not make. `why`: None where there were too many for a batch, or their indices are none."""
        with self._lock:
            self._left_out += samples
            self._first_left_out = self._first_left_out or why or "the sampler gave more samples than a batch has, or no indices"

    def fetched(self, samples: int, seconds: float, bad: int, first_bad: dict[str, str] | None) -> None:
        with self._lock:
            self._samples += samples
            self._fetching_s += seconds
            first = self._bad.count == 0 and bad > 0
            self._bad.merge(bad, first_bad)
        if first and first_bad is not None:
            warnings.warn("on_bad_sample=%r: sample %s cannot be read: %s (further ones are only counted; see stats())"
                          % (self._policy, first_bad["sample"], first_bad["error"]), RuntimeWarning, stacklevel=2)

    def delivered(self, waited_s: float, batches: int = 1) -> None:
        self._batches += batches
        self._waiting_s += waited_s

    def as_dict(self, figures: dict[str, Any] | None = None) -> dict[str, Any]:
        """`figures`: of the native engine (flatout_loader_stats), where it is the one."""
        with self._lock:
            told: dict[str, Any] = {"engine": self._engine, "samples": self._samples, "batches": self._batches, "bad_samples": self._bad.count,
                    "first_bad_sample": self._bad.first, "waiting_s": self._waiting_s, "fetching_s": self._fetching_s}
            if self._refusal is not None:
                told["native_refusal"] = self._refusal
            if figures is not None:
                told.update(fallback_samples=self._left_out, first_fallback=self._first_left_out)
                told.update(_of_engine(figures))
                told["fetching_s"] += sum(told.get(stage + "_s", 0) for stage in _STAGES)
            return told


_STAGES = ("read", "decode", "transform")


def _of_engine(figures: dict[str, Any]) -> dict[str, Any]:
    """Threads, and seconds of all of them by stage and by what they waited for; of an engine that was opened."""
    told = {name[:-3] + "_s": figures[name] / 1e9 for name in figures if name.endswith("_ns")}
    return {name: figures[name] for name in ("threads", "read_bytes", "cache") if figures.get(name) is not None} | told
