"""Whether a program's loop is one that can train its batches in parts.

It can where each batch is drawn, gives one backward or several, and is followed by one
step of each optimizer, with nothing of the program's own between backward and step
that sums of parts would change. Each method gives a reason why not, or None. How the
loop goes is watched over the first two batches; what may come later, always.
"""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_WATCHED = 2  # batches
_CLOSURE = "the program gives a closure to its optimizer's step"
_ACCUMULATES = "the program makes no update after each batch: it accumulates itself, or compiles the update"
_AHEAD = "the program draws batches that it does not train on, or beyond the one that it trains on"
_THREAD = "the program draws its batches in another thread than it trains in"
_OWN_RATE = "the program sets the learning rate itself for each batch that it counts"
_OWN_CHANGE = "code of the program's own changes gradients or weights between backward and step"
_NO_BACKWARD = "the gradients do not come from a backward() of the same batch"
_TWICE = "an optimizer makes more than one update with a batch"
_NOT_EACH = "not all optimizers make an update with each batch"
_SEVERAL = "several optimizers have a backward of their own in each batch"
_CREATES = "the program differentiates its gradients (create_graph)"


class Checks:
    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch
        self.batches = 0  # begun
        self.thread: Any = None
        self.waiting = 0  # parts drawn since the last backward
        self.backwards = 0  # of this part
        self.now: list[Any] = []  # optimizers that stepped with this part
        self.steppers: Any = None  # and with each one, as the first has shown
        self.rates: dict[Any, Any] = {}  # id of an optimizer -> its learning rates at the first part's step
        self.seen: Any = None  # what gradients and weights looked like after the last backward

    @property
    def watching(self) -> bool:
        return self.batches <= _WATCHED

    def drawn(self, part: Any) -> str | None:
        reason = self._of_last_part()
        self.thread = threading.get_ident()
        self.batches += part.first
        self.waiting += 1
        self.backwards = 0
        self.now = []
        if part.first:
            self.rates = {}
            self.seen = None
        return reason

    def complete(self) -> bool:
        """The part that was drawn last gave a backward and a step."""
        return self.backwards > 0 and len(self.now) > 0

    def _of_last_part(self) -> str | None:
        if not self.watching or self.backwards == 0:
            return None
        if not self.now:
            return _ACCUMULATES
        if self.steppers is None:
            self.steppers = list(self.now)
        return None if _same(self.steppers, self.now) else _NOT_EACH

    def backward(self, optimizers: Any, create_graph: Any) -> str | None:
        """Before it."""
        if create_graph:
            return _CREATES
        if self.thread != threading.get_ident():
            return _THREAD
        if self.watching and self.waiting > 1:
            return _AHEAD
        if self.seen is not None and self.seen != self._looks(optimizers):
            return _OWN_CHANGE
        self.waiting = 0
        self.backwards += 1
        return None

    def behind_backward(self, part: Any, optimizers: Any) -> None:
        self.seen = self._looks(optimizers) if self.watching and not part.last else None

    def step(self, part: Any, optimizer: Any, closure: Any) -> str | None:
        if closure:
            return _CLOSURE
        if self.backwards == 0:
            return _NO_BACKWARD
        if _among(optimizer, self.now):
            return _TWICE
        if self.now and self.backwards > 1:
            return _SEVERAL
        if self.steppers is not None and not _among(optimizer, self.steppers):
            return _NOT_EACH
        self.now.append(optimizer)
        rates = [group.get("lr") for group in optimizer.param_groups]
        if not any(self.torch.is_tensor(rate) for rate in rates):
            if self.rates.setdefault(id(optimizer), rates) != rates:
                return _OWN_RATE
        return None

    def _looks(self, optimizers: Any) -> tuple[list[Any], list[Any]] | None:
        """Versions of the weights and norms of the gradients; None where they cannot be known."""
        parameters = [p for optimizer in optimizers for group in optimizer.param_groups for p in group["params"]]
        gradients = [p.grad for p in parameters if p.grad is not None]
        if any(gradient.layout is not self.torch.strided for gradient in gradients):
            return None
        norms = [norm.item() for norm in self.torch._foreach_norm(gradients)] if gradients else []
        return [p._version for p in parameters], [norm if norm == norm else None for norm in norms]


def _among(one: Any, several: Any) -> bool:
    return any(one is other for other in several)


def _same(some: Any, others: Any) -> bool:
    return len(some) == len(others) and all(_among(one, others) for one in some)
