"""The loss of each update of a trial, as the named value "flatout.loss".

It is the scalar on which backward() is called; `step` counts the backwards of
the process from 0. What GradScaler scaled is taken as it was before that. A
tensor that is no scalar or no float, several at once, and what was computed from
a scaled loss record nothing, but count. Gradients from torch.autograd.grad, and
backwards inside a backward (checkpoint recomputation), do not count.
"""

from __future__ import annotations

import collections
import weakref

from ..torch.precision import grad_scaler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native

CALLBACK = 7
NAME = "flatout.loss"
_MOST_SCALED = 8  # scaled losses that wait for their backward
_MOST_COPIES = 16  # on their way from the device


def install(native: Native, torch: ModuleType, knobs: Any = None) -> None:
    losses = _Losses(native, torch)
    switching = getattr(knobs, "switching", None)
    if switching is not None:
        losses.hears, switching.gate.copies = switching.gate.heard, losses.copies
    # Where the phase stands too: below backward(), which torch.compile knows by identity.
    name = "_engine_run_backward" if hasattr(torch.autograd, "_engine_run_backward") else "backward"
    native.hook(torch.autograd, name, CALLBACK, before=losses.before)
    scaler = grad_scaler(torch)
    if scaler is not None:
        native.hook(scaler, "scale", CALLBACK, after=losses.scaled_by)


class _Losses:
    def __init__(self, native: Native, torch: ModuleType) -> None:
        self.native = native
        self.tensor = torch.Tensor
        # TensorBase's own: those of Tensor may be wrapped, or the program's.
        self.item, self.numel = torch.Tensor.__base__.item, torch.Tensor.__base__.numel
        self.detach = torch.Tensor.__base__.detach
        self.unseen = torch._C.DisableTorchFunction  # by modes and subclasses of the program
        self.modes = getattr(torch._C, "_len_torch_dispatch_stack", int)
        self.plain = getattr(torch.Tensor, "__torch_dispatch__", None)
        self.graph_task = getattr(torch._C, "_current_graph_task_id", lambda: -1)
        self.copies = Copies(torch, self.item, self.say)
        self.scaled: collections.deque[Any] = collections.deque(maxlen=_MOST_SCALED)  # (weak reference, what was scaled)
        self.count = 0
        self.hears: Any = None  # called with each loss

    def before(self, args: tuple[Any, ...], _nothing: object) -> None:
        # grad() hands over allow_unused by position, as a sixth.
        if len(args) > 5 or self.graph_task() != -1:
            return
        index, self.count = self.count, self.count + 1
        if self.copies.pending:
            self.copies.poll()
        loss = self._unscaled(_sole(args[0], self.tensor))
        if loss is not None and self.modes() == 0 and getattr(type(loss), "__torch_dispatch__", None) is self.plain:
            with self.unseen():
                self._read(loss, index)

    def say(self, index: Any, value: Any) -> None:
        self.native.value(NAME, index, value)
        if self.hears is not None:
            self.hears(value)

    def scaled_by(self, args: tuple[Any, ...], result: Any) -> None:
        if len(args) < 2 or not isinstance(args[1], self.tensor) or result is args[1]:
            return  # several, or a scaler that is off
        with self.unseen():
            self.scaled.append((weakref.ref(result), self.detach(args[1])))

    def _unscaled(self, loss: Any) -> Any:
        if loss is None or not self.scaled:
            return loss
        for entry in self.scaled:
            if entry[0]() is loss:
                self.scaled.remove(entry)
                return entry[1]
        return None  # perhaps made from a scaled one: by how much it is too large is not known

    def _read(self, loss: Any, index: Any) -> None:
        if self.numel(loss) != 1 or not loss.dtype.is_floating_point:
            return
        if loss.device.type == "cpu":
            self.say(index, self.item(loss))
        elif loss.is_cuda:
            self.copies.begin(self.detach(loss), index)


def _sole(tensors: Any, kind: Any) -> Any:
    if isinstance(tensors, kind):
        return tensors
    return tensors[0] if len(tensors) == 1 and isinstance(tensors[0], kind) else None


class Copies:
    """Losses that lie on a CUDA device: copied without a wait, read at a later
    backward, once the device has come that far. The last ones of a trial are
    never read, and where too many are on their way a loss is left out."""

    def __init__(self, torch: ModuleType, item: Any, say: Any) -> None:
        self.torch = torch
        self.item = item
        self.say = say
        self.pending: collections.deque[Any] = collections.deque()  # (event, buffer, index, kind)
        self.spare: dict[Any, Any] = {}  # kind -> [(event, buffer)]

    def begin(self, loss: Any, index: Any) -> None:
        cuda = self.torch.cuda
        if len(self.pending) >= _MOST_COPIES or cuda.is_current_stream_capturing():
            return
        kind = loss.dtype, loss.device  # an event stays with its device
        spare = self.spare.setdefault(kind, [])
        event, buffer = spare.pop() if spare else (cuda.Event(), self._pinned(loss))
        buffer.copy_(loss, non_blocking=True)
        event.record(cuda.current_stream(loss.device))
        self.pending.append((event, buffer, index, kind))

    def poll(self) -> None:
        if not self.pending or self.torch.cuda.is_current_stream_capturing():
            return
        while self.pending and self.pending[0][0].query():
            event, buffer, index, kind = self.pending.popleft()
            self.say(index, self.item(buffer))
            self.spare[kind].append((event, buffer))

    def _pinned(self, loss: Any) -> Any:
        return self.torch.empty(loss.shape, dtype=loss.dtype, device="cpu", pin_memory=True)
