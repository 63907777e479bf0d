"""Captures of CUDA graphs: when one is open, and which graphs are whole steps.

While one is open nothing is asked of the device (src/inject/device_clock/captures.h), and
what is not timed for it is counted.

A graph whose capture held an optimizer's update is a step's work: each replay of it is an
update. Graphs of a forward or a backward alone (make_graphed_callables, torch.compile's) are
not: their replays stay with the phase that is open around them.
"""

from __future__ import annotations

from ..core.fields import ByIdentity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

SCOPED, REPLAY = 10, 12


class Captures:
    def __init__(self, native: Native, torch: ModuleType) -> None:
        self.native = native
        self.with_updates = ByIdentity()
        graph = getattr(torch.cuda, "CUDAGraph", None)
        if graph is not None:
            # Counted before it begins: between the two nothing of ours may be asked either.
            native.hook(graph, "capture_begin", SCOPED, before=self._begins, after=self._began)
            native.hook(graph, "capture_end", SCOPED, before=self._ends, after=self._ended)
            native.hook(graph, "replay", REPLAY, before=self._holds_an_update)

    def _begins(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any, Any]:
        self.native.capture_opens()
        return args, keywords, args[0]

    def _began(self, _graph: Any, _result: object, raised: BaseException | None) -> None:
        if raised:  # there is no capture, and none that will end
            self.native.capture_closes()
        else:
            self.native.begin_capture()

    def _ends(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any, Any]:
        return args, keywords, args[0]

    def _ended(self, graph: Any, _result: object, raised: BaseException | None) -> None:
        # One that raises ends it, too: the capture was spoiled before.
        self.with_updates.set(graph, self.native.end_capture() > 0 and not raised)
        self.native.capture_closes()

    def _holds_an_update(self, args: tuple[Any, ...], _nothing: object) -> Any:
        return self.with_updates.get(args[0], False)
