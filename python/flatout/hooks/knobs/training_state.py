"""The state of a program's training, taken once and put back several times: parameters and buffers of all modules,
the state of optimizers, learning-rate schedules and loss scalers, and the random generators that the whole
process shares.

Python's garbage collector finds them, so nothing is missed because of who holds it. Values are copied into the
tensors that are there: the program, a graph or a compiled model goes on with the same objects. Counters that the
program keeps itself, and generators of its own, are left alone."""

from __future__ import annotations

import copy
import gc
import random
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# Options of a parameter group that decide how it is updated, not by how much: knobs set them.
_HOW = ("params", "fused", "foreach", "capturable", "differentiable")
_PART_OF_FREE = 0.5  # of a device's memory, that a copy may take: else it lies on the host


class TrainingState:
    """Raises what torch raises, and ValueError where a tensor is of a kind that cannot be put back."""

    def __init__(self, torch: ModuleType, modules: list[Any], optimizers: list[Any]) -> None:
        """`modules`, `optimizers`: those that are known; a program can hide its objects from the collector (gc.freeze)."""
        self.torch = torch
        found, others = _found(torch)
        modules = [one for module in modules for one in module.modules()] + found[0]
        optimizers = list({id(one): one for one in optimizers + found[1]}.values())
        if not modules or not optimizers:
            raise ValueError("the program has no model and optimizer of torch that could be put back")
        tensors = {id(tensor): tensor for tensor in _tensors(modules, optimizers)}
        self.tensors = list(tensors.values())
        for tensor in self.tensors:
            self._check(tensor)
        self.host = self._host_is_better()
        with torch.no_grad():
            self.copies = [self._copy(tensor) for tensor in self.tensors]
            self.optimizers = [(optimizer, self._state_of(optimizer), _groups(optimizer)) for optimizer in optimizers]
        self.others = [(one, copy.deepcopy(one.state_dict())) for one in others]
        self.generators = self._generators()

    def put_back(self, generators: bool) -> None:
        """`generators`: also the random ones, so that the same numbers come again."""
        with self.torch.no_grad():
            for tensor, saved in zip(self.tensors, self.copies):
                tensor.data.copy_(saved)
            for optimizer, state, groups in self.optimizers:
                self._put_state(optimizer, state)
                for group, saved in zip(optimizer.param_groups, groups):
                    group.update(copy.deepcopy(saved))
        for one, saved in self.others:
            one.load_state_dict(copy.deepcopy(saved))
        if generators:
            self._put_generators()

    def moved(self) -> list[tuple[Any, float]]:
        """How far each parameter has moved since: a sample of its elements, and how many elements each of them stands for."""
        out = []
        with self.torch.no_grad():
            for tensor, saved in zip(self.tensors, self.copies):
                if not tensor.requires_grad or not tensor.is_floating_point():
                    continue
                step = max(1, tensor.numel() // _SAMPLES)
                now, then = (one.reshape(-1)[::step].to("cpu", self.torch.float64) for one in (tensor.data, saved))
                out.append((now - then, tensor.numel() / max(1, now.numel())))
        return out

    def _check(self, tensor: Any) -> None:
        plain = type(tensor) in (self.torch.Tensor, self.torch.nn.Parameter, getattr(self.torch.nn, "Buffer", self.torch.Tensor))
        if not plain or tensor.layout is not self.torch.strided or tensor.is_quantized:
            raise ValueError("a tensor of the model is a %s" % type(tensor).__name__)

    def _host_is_better(self) -> bool:
        cuda = self.torch.cuda
        if not self.torch.version.cuda or not cuda.is_initialized():
            return False
        wanted = 3 * sum(tensor.numel() * tensor.element_size() for tensor in self.tensors if tensor.is_cuda)  # with two moments
        return bool(wanted > _PART_OF_FREE * cuda.mem_get_info()[0])

    def _copy(self, tensor: Any) -> Any:
        data = tensor.detach()
        return data.to("cpu", copy=True) if self.host and data.is_cuda else data.clone()

    def _state_of(self, optimizer: Any) -> list[Any]:
        return [(parameter, self._copied(values)) for parameter, values in optimizer.state.items()]

    def _copied(self, value: Any) -> Any:
        if isinstance(value, self.torch.Tensor):
            return self._copy(value)
        if type(value) is dict:
            return {key: self._copied(one) for key, one in value.items()}
        return copy.deepcopy(value)

    def _put_state(self, optimizer: Any, saved: list[Any]) -> None:
        known = {id(parameter) for parameter, _values in saved}
        for parameter in [one for one in optimizer.state if id(one) not in known]:
            del optimizer.state[parameter]
        for parameter, values in saved:
            now = optimizer.state[parameter]
            if type(values) is not dict or type(now) is not dict:
                optimizer.state[parameter] = self._copied(values)
                continue
            for key in [key for key in now if key not in values]:
                del now[key]
            for key, value in values.items():
                there = now.get(key)
                if isinstance(value, self.torch.Tensor) and isinstance(there, self.torch.Tensor) and there.shape == value.shape:
                    there.copy_(value)
                else:
                    now[key] = self._copied(value)

    def _generators(self) -> Any:
        cuda, numpy_random = self.torch.cuda, sys.modules.get("numpy.random")
        on_devices = cuda.get_rng_state_all() if self.torch.version.cuda and cuda.is_initialized() else None
        return self.torch.get_rng_state(), on_devices, random.getstate(), numpy_random.get_state() if numpy_random else None

    def _put_generators(self) -> None:
        on_host, on_devices, of_python, of_numpy = self.generators
        self.torch.set_rng_state(on_host)
        if on_devices is not None:
            self.torch.cuda.set_rng_state_all(on_devices)
        random.setstate(of_python)
        if of_numpy is not None:
            sys.modules["numpy.random"].set_state(of_numpy)


_SAMPLES = 512  # of a tensor


def _found(torch: ModuleType) -> tuple[tuple[list[Any], list[Any]], list[Any]]:
    """Modules and optimizers, and other objects with a state that training changes. Only types are looked at, so no object runs code of its own."""
    schedules = torch.optim.lr_scheduler
    states = tuple(getattr(schedules, name) for name in ("LRScheduler", "_LRScheduler", "ReduceLROnPlateau") if hasattr(schedules, name))
    scaler = getattr(getattr(torch, "amp", None), "GradScaler", None) or torch.cuda.amp.GradScaler
    modules, optimizers, others = [], [], []
    for one in gc.get_objects():
        kind = type(one)
        if not isinstance(kind, type):
            continue
        if issubclass(kind, torch.nn.Module):
            modules.append(one)
        elif issubclass(kind, torch.optim.Optimizer):
            optimizers.append(one)
        elif issubclass(kind, (*states, scaler)):
            others.append(one)
    return (modules, optimizers), others


def _tensors(modules: list[Any], optimizers: list[Any]) -> Any:
    for module in modules:
        held = vars(module)
        for place in ("_parameters", "_buffers"):
            yield from (tensor for tensor in held.get(place, {}).values() if tensor is not None)
    for optimizer in optimizers:
        for group in vars(optimizer).get("param_groups", ()):
            yield from group["params"]


def _groups(optimizer: Any) -> list[Any]:
    return [{key: copy.deepcopy(value) for key, value in group.items() if key not in _HOW} for group in optimizer.param_groups]
