"""compile.mode: the root module's training forward is compiled by torch.compile.

Needs a root module with parameters of which the program compiles no part, and a
compiler (a C++ one on a CPU, Triton on CUDA).
The forwards of a root's first update run as they are: what is compiled cannot be
differentiated twice, and a program that does so shows it there (create_graph).
Set: what root.compile(mode=...) sets, for the time of each training forward, so that
state_dict, pickles and evaluation are as without it. Recompiled at most 4 times, then that
frame runs as it is. Where compiling fails, the model goes on uncompiled.
Undone: between two forwards nothing is set; the compiler's limits get their values back.
Draws: random numbers of torch in a forward (dropout) are others; fused kernels round differently.
"""

from __future__ import annotations

import types
import weakref

from .scope import CHECKPOINTED, as_it_is, has_parameters, in_checkpoint
from .values import OfTable
from .words import cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from .words import Words
    from ..torch.precision import Precision

SCOPED = 10
_MOST_COMPILED = 4
_MOST_WATCHED = 8  # forwards of a root that nothing updates
_TWICE = "the program differentiates its gradients (create_graph), and what is compiled cannot be differentiated twice"
_OWN = "the program compiles its model itself"


class CompileMode(OfTable):
    id = "compile.mode"
    backend = "inductor"

    def __init__(self, torch: ModuleType, value: Any, words: Words, _precision: Precision) -> None:
        self.torch = torch
        self.value = value
        self.words = words
        self.refusal: Any = None
        self.said = False
        self.compiler: Any = None
        self.call = None
        self.limits: dict[Any, Any] = {}  # name -> the program's own value
        self.roots: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # -> compiled call, None: not this one
        self.optimizers = False  # the program built one
        self.watched: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # root -> Watched

    def install(self, native: Native) -> None:
        native.hook(self.torch.autograd, "_engine_run_backward", SCOPED, before=self.begin_backward, after=as_it_is)

    def optimizer_built(self, _optimizer: Any) -> None:
        self.optimizers = True

    def begin_backward(self, args: tuple[Any, ...], _kwargs: object) -> None:
        if self.refusal is None and len(args) > 3 and args[3]:
            self.undo(_TWICE)

    def look(self, _module: Any, _device: Any) -> None:
        pass

    def enter(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.refusal is not None:
            return None
        if module not in self.roots:
            self.roots[module] = self._compiled(module)
        call = self.roots[module]
        if call is None:
            return None
        if in_checkpoint():
            self.undo(CHECKPOINTED)
            return None
        if self._is_watched(module):
            return None
        if module._compiled_call_impl is not None:
            self.undo(_OWN)
            return None
        # A method that is bound now: nothing of ours keeps the module alive.
        module._compiled_call_impl = types.MethodType(call, module)

        def leave(result: Any, raised: BaseException | None) -> Any:
            module._compiled_call_impl = None
            self._judge(raised)
            return result

        return args, kwargs, leave

    def undo(self, reason: str = "it was taken back") -> None:
        self.refusal = reason
        self.roots.clear()
        config = self.torch._dynamo.config if self.limits else None
        for name, value in self.limits.items():
            setattr(config, name, value)
        self.limits.clear()
        self.words.say(self.id, self.value, False, reason)

    def set_aside(self) -> None:
        """The compiled model is kept, and not called."""

    def take_up(self) -> None:
        self.said = False
        if self.refusal is not None:
            self.words.say(self.id, self.value, False, self.refusal)

    def failed(self, error: BaseException) -> None:
        self.undo(cause(error))

    def why_not(self, module: Any) -> str | None:
        if in_checkpoint():
            return CHECKPOINTED
        for part in module.modules():
            if "_orig_mod" in part._modules or getattr(part, "_compiled_call_impl", None) is not None:
                return _OWN
        return None

    def _compiled(self, module: Any) -> Any:
        if not has_parameters(module):
            return None
        reason = self.why_not(module)
        if reason is not None:
            self.undo(reason)
            return None
        if self.compiler is None:
            self.compiler = Compiler(self._make_compiler())
            self._limit()
            # As torch.compile(model) does it: torch.nn's own frames are not compiled by
            # themselves, and a bare Sequential has no other.
            from torch._dynamo.external_utils import wrap_inline

            call = wrap_inline(self.torch.nn.Module._call_impl)
            self.call = self.torch.compile(call, backend=self.compiler)
        return self.call

    def _is_watched(self, module: Any) -> bool:
        """True in the forwards of the root's first update. A program without an optimizer is not watched."""
        if not self.optimizers:
            return False
        watched = self.watched.get(module)
        if watched is None:
            watched = self.watched[module] = Watched(module)
        return watched.goes_on(module)

    def _make_compiler(self) -> Any:
        """The backend that torch.compile would build of the mode, to stand inside Compiler."""
        if self.backend != "inductor":
            from torch._dynamo.backends.registry import lookup_backend

            return lookup_backend(self.backend)
        return self.torch._TorchCompileInductorWrapper(self.value, None, None)

    def _limit(self) -> None:
        import torch._dynamo.config as config

        for name, value in (("recompile_limit", _MOST_COMPILED), ("suppress_errors", True)):
            if hasattr(config, name):
                self.limits[name] = getattr(config, name)
                setattr(config, name, value)

    def _judge(self, raised: BaseException | None) -> None:
        if self.compiler.error is not None:
            self.undo("it cannot be compiled here: %s" % self.compiler.error)
        elif self.said:
            return
        elif self.compiler.graphs == 0:
            if raised:
                return
            self.undo("torch.compile found nothing in it that it could compile")
        else:
            self.said = True
            self.words.say(self.id, self.value, True)


class Watched:
    """A root until the first update of its parameters, which each of them counts in its version."""

    def __init__(self, module: Any) -> None:
        self.forwards = 0
        self.versions = self._versions(module)

    def goes_on(self, module: Any) -> bool:
        self.forwards += 1
        if self.forwards <= _MOST_WATCHED and self._versions(module) == self.versions:
            return True
        self.forwards = _MOST_WATCHED
        return False

    @staticmethod
    def _versions(module: Any) -> list[int]:
        return [parameter._version for parameter in module.parameters()]


class Compiler:
    """A backend that gives the graph back as it is where the real one fails."""

    compiler_name = "inductor"

    def __init__(self, compile_graph: Any) -> None:
        self.compile_graph = compile_graph
        self.graphs = 0
        self.error: Any = None

    def __call__(self, graph: Any, inputs: Any, **more: Any) -> Any:
        try:
            done = self.compile_graph(graph, inputs, **more)
            self.graphs += 1
            return done
        except Exception as error:
            self.error = "%s: %s" % (type(error).__name__, " ".join(str(error).split())[:200])
            return graph.forward

    def get_compiler_config(self) -> Any:
        getter = getattr(self.compile_graph, "get_compiler_config", None)
        return getter() if getter is not None else None

    def reset(self) -> None:
        reset = getattr(self.compile_graph, "reset", None)
        if reset is not None:
            reset()
