"""What a loop calls between two draws, for batches that are drawn in parts.

Backward starts from gradients times the part's share of its batch, so that the sum over
the parts is the gradient of a mean over the whole batch. An optimizer's step and
zero_grad, GradScaler's step, update and unscale_, clipping by torch.nn.utils, a
scheduler's step and AveragedModel.update_parameters take effect with the last part
only: a call before it does nothing, but for clip_grad_norm_, which gives the norm of
the sum so far. A scheduler that was called with an earlier part and not with the last
one makes that step before the next batch. Where the program leaves a part out (a loss
that is not finite, say), the batch makes no update; one that it breaks off, neither.

Where the program compiles a function of its own, all of these are taken off again: in what
is compiled they would not be called, and Dynamo's guards refuse some of them. A compiled
model calls none of them.
"""

from __future__ import annotations

import weakref

from ..torch.precision import grad_scaler
from .batch_parts import Cut
from .compiled import Compiler
from .deferred_checks import Checks
from .scope import as_it_is
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native

SCOPED = 10
_NOTHING = (None,)  # instead of a call


class Deferral:
    def __init__(self, native: Native, torch: ModuleType, refuse: Callable[[str], object], compiled: Callable[[], object]) -> None:
        self.native = native
        self.torch = torch
        self.refuse = refuse  # refuse(reason) ends it all
        self.compiled = compiled  # called once, when the program compiles a function
        self.checks = Checks(torch)
        self.graph_task = getattr(torch._C, "_current_graph_task_id", lambda: -1)
        self.optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self.part: Any = None  # that is trained now; None: all calls are the program's
        self.over = False  # for good
        self.begun = False  # a backward of this batch has run
        self.spoiled = False  # a part of it was left out
        self.done: list[Any] = []  # optimizers whose update of this batch took effect
        self.late: dict[Any, Any] = {}  # scheduler -> arguments of a step that did nothing
        self.scaled = None  # optimizer inside GradScaler.step
        self.skips = False  # a rest is being drawn
        self.wrapped: list[Any] = []  # (holder, name, what was there)

    # Putting our functions there, and taking them off again.

    def install(self) -> None:
        """Around all other hooks: what does nothing is no update, and they see whole gradients."""
        from torch.optim import lr_scheduler
        from torch.optim import optimizer as optim
        from torch.optim.swa_utils import AveragedModel
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        torch = self.torch
        self._wrap(torch, "compile", self.compile_called)
        self._wrap(_BaseDataLoaderIter, "__next__", self.begin_draw, self.end_draw)
        self._wrap(torch.autograd, "_engine_run_backward", self.begin_backward, self.end_backward)
        self._wrap(optim.Optimizer, "zero_grad", self.zero_grad)
        self._wrap(torch.nn.Module, "zero_grad", self.zero_grad)
        self._wrap(AveragedModel, "update_parameters", self.left_out)
        for holder in (torch.nn.utils, torch.nn.utils.clip_grad):
            self._wrap(holder, "clip_grad_norm_", self.clip_norm)
            self._wrap(holder, "clip_grads_with_norm_", self.left_out)
            self._wrap(holder, "clip_grad_value_", self.left_out)
        for kind in vars(lr_scheduler).values():
            if isinstance(kind, type) and "step" in vars(kind):
                self._wrap(kind, "step", self.scheduler_step)
        scaler = grad_scaler(torch)
        if scaler is not None:
            self._wrap(scaler, "step", self.scaler_step, self.end_scaler_step)
            self._wrap(scaler, "update", self.left_out)
            self._wrap(scaler, "unscale_", self.left_out)

    def optimizer_built(self, optimizer: Any) -> None:
        """torch has put its own wrapper around the class's step by now, and the hook that counts updates is in it."""
        if self.over:
            return
        self.optimizers.add(optimizer)
        for name, before in (("step", self.step), ("zero_grad", self.zero_grad)):
            kind = next(kind for kind in type(optimizer).__mro__ if name in vars(kind))
            if not any(entry[:2] == (kind, name) for entry in self.wrapped):
                self._wrap(kind, name, before)

    def end(self) -> None:
        self.over = True
        self.part = None

    def uninstall(self) -> None:
        self.end()
        for holder, name, was, span in reversed(self.wrapped):
            if not self.native.unhook(span):
                setattr(holder, name, was)
        self.wrapped.clear()

    def _wrap(self, holder: Any, name: str, before: Any, after: Any = None) -> None:
        was = vars(holder).get(name)
        if was is not None:
            span = self.native.hook(holder, name, SCOPED, before=before, after=after or as_it_is)
            self.wrapped.append((holder, name, was, span))

    def compile_called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """It is a call with a model or a function, or a decorator that has none yet."""
        kwargs = kwargs or {}
        model = args[0] if args else kwargs.get("model")
        if getattr(model, "__name__", None) == "_call_impl":  # of Module.compile()
            model = getattr(model, "__self__", None)
        if isinstance(model, self.torch.nn.Module) or isinstance(kwargs.get("backend"), Compiler):
            return
        first = not self.over
        self.uninstall()  # also where it is over: its functions would be met there all the same
        if first:
            self.compiled()

    # Draws.

    def begin_draw(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        cut = getattr(args[0], "_sampler_iter", None)
        if self.over and isinstance(cut, Cut):
            self._skip_rests(args[0], cut)
        return args, kwargs or {}, args[0]

    def _skip_rests(self, iterator: Any, cut: Cut) -> None:
        """Parts that workers have prefetched. An iterator that is at its end says so again when the program asks."""
        while cut.owes_a_rest and not self.skips:
            self.skips = True
            try:
                next(iterator)
            except StopIteration:
                return
            finally:
                self.skips = False

    def end_draw(self, iterator: Any, _result: object, raised: BaseException | None) -> None:
        cut = getattr(iterator, "_sampler_iter", None)
        if not isinstance(cut, Cut):
            return
        if self.over:
            if cut.given and not raised:
                cut.given.popleft()
            return
        if raised:  # most often the end of the epoch: whatever follows is the program's
            self.part = None
            self._make_up()
        elif cut.given:
            self._safely(self._drawn, cut.given.popleft())

    def _drawn(self, part: Any) -> None:
        if not part.first and not self.checks.complete():
            self.spoiled = True
        reason = self.checks.drawn(part)
        if reason is not None:
            self.refuse(reason)
            return
        if part.first:
            self._new_batch()
        self.part = part

    def _new_batch(self) -> None:
        if self.begun and not self._is_done():
            for optimizer in self.optimizers:
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        parameter.grad = None
        self.begun = self.spoiled = False
        self.done = []
        self.part = None
        self._make_up()

    def _make_up(self) -> None:
        late, self.late = self.late, {}
        for scheduler, (args, kwargs) in late.items():
            scheduler.step(*args, **kwargs)

    # Backward.

    def begin_backward(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # grad() hands over allow_unused by position, as a sixth; and a backward inside
        # a backward (recomputation) carries the share already.
        if self.part is None or len(args) != 5 or self.graph_task() != -1:
            return None
        return self._safely(self._share, args, kwargs or {})

    def _share(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, Any, Any, Any, Any], Any, Any] | None:
        part, (tensors, seeds, retain, create_graph, inputs) = self.part, args
        reason = self.checks.backward(self.optimizers, create_graph)
        if reason is not None:
            self.refuse(reason)
            return None
        self.begun = True
        if part.samples == part.of:
            return None
        share = part.samples / part.of
        seeds = tuple(None if seed is None else seed * share for seed in seeds)
        return (tensors, seeds, retain, create_graph, inputs), kwargs, part

    def end_backward(self, part: Any, _result: object, raised: BaseException | None) -> None:
        if not raised:
            self._safely(self.checks.behind_backward, part, self.optimizers)

    # What follows it.

    def step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.part is None or args[0] is self.scaled:
            return None
        return self._safely(self._step, args[0], callable((*args, None)[1] or (kwargs or {}).get("closure")))

    def _step(self, optimizer: Any, closure: Any) -> Any:
        reason = self.checks.step(self.part, optimizer, closure)
        if reason is not None:
            self.refuse(reason)
            return None
        if self._waits():
            return _NOTHING
        self.done.append(optimizer)
        return None

    def scaler_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.part is None or len(args) < 2:
            return None
        left_out = self.step(args[1:2], kwargs)
        if left_out is not None or self.part is None:
            return left_out
        self.scaled = args[1]
        return args, kwargs or {}, None

    def end_scaler_step(self, _token: object, _result: object, _raised: BaseException | None) -> None:
        self.scaled = None

    def zero_grad(self, args: tuple[Any, ...], _kwargs: dict[str, Any]) -> Any:
        """Takes effect before the first backward of a batch and behind its update."""
        if self.part is None or not self.begun:
            return None
        if self._is_done() if isinstance(args[0], self.torch.nn.Module) else self._among_done(args[0]):
            return None
        if self.checks.backwards > 0 and not self.checks.now:
            self.spoiled = True  # thrown away between backward and step
        return _NOTHING

    def clip_norm(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._safely(self._norm_so_far, *args, **(kwargs or {})) if self._waits() else None

    def _norm_so_far(self, parameters: Any, _max_norm: Any = None, norm_type: Any = 2.0, *_rest: Any, **_others: Any) -> tuple[Any]:
        """What clip_grad_norm_ gives, of a sum that is not to be clipped."""
        torch = self.torch
        parameters = [parameters] if torch.is_tensor(parameters) else parameters
        gradients = [p.grad.detach() for p in parameters if p.grad is not None]
        if not gradients:
            return (torch.tensor(0.0),)
        norms = [torch.linalg.vector_norm(gradient, norm_type).to(gradients[0].device) for gradient in gradients]
        return (torch.linalg.vector_norm(torch.stack(norms), norm_type),)

    def left_out(self, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> Any:
        return _NOTHING if self._waits() else None

    def scheduler_step(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        scheduler = args[0]
        if not self._waits() or "_last_lr" not in vars(scheduler):  # it is being built
            self.late.pop(scheduler, None)
            return None
        self.late[scheduler] = args[1:], kwargs or {}
        return _NOTHING

    def _waits(self) -> bool:
        return self.part is not None and (not self.part.last or self.spoiled)

    def _is_done(self) -> bool:
        steppers = self.checks.steppers or self.checks.now
        return bool(self.done) and all(self._among_done(optimizer) for optimizer in steppers)

    def _among_done(self, optimizer: Any) -> bool:
        return any(optimizer is other for other in self.done)

    def _safely(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Exception as error:
            self.refuse(cause(error))
            return None
