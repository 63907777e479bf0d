"""Programs that watch what they call: modes and subclasses that keep a log of every function and attribute that is asked for."""

import torch
from nets import Breaks, Net, Pictures, batch, loader, loss_of, made, sgd, train
from observed import bits
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

log = []


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        log.append(getattr(function, "__qualname__", None) or str(function).split(" at 0x")[0])
        return function(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        log.append(str(function))
        return function(*args, **(kwargs or {}))


class Own(torch.Tensor):
    """A subclass whose attributes go through __torch_function__."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        log.append(getattr(function, "__qualname__", None) or getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, args, kwargs)


class Wrapped(torch.Tensor):
    """A subclass without storage, whose sizes Python answers."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad, dispatch_sizes_strides_policy="sizes"
        )

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        log.append(str(function))
        given = function(*[one.inner if isinstance(one, Wrapped) else one for one in args], **(kwargs or {}))
        return Wrapped(given) if isinstance(given, torch.Tensor) else given


def watched(mode, kind=Net, **options):
    """All of it: loader, optimizer, training."""

    def case():
        with mode():
            model = made(kind)
            given = train(model, model, batches=loader(kind, **options))
        return [bits(given), list(log)]

    return case


def watched_once(mode, kind=Net):
    """The first forward alone, and one in the middle."""

    def case():
        model = made(kind)
        with mode():
            first = model(batch(kind))
        given = train(model, model, epochs=1, batches=loader(kind))
        iter(loader(kind))
        with mode():
            loss_of(model(batch(kind)), torch.tensor([0, 1, 0, 1])).backward()
        return [bits([first, given]), list(log)]

    return case


def counted():
    from torch.utils.flop_counter import FlopCounterMode

    model = made()
    with FlopCounterMode(display=False) as counter:
        given = train(model, model)
    return [bits(given), counter.get_total_flops(), {name: str(count) for name, count in counter.get_flop_counts().items()}]


def of_a_subclass(kind=Net):
    """Parameters and inputs of a class of the program's own."""
    model = made(kind)
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                module._parameters[name] = torch.nn.Parameter(parameter.detach().as_subclass(Own))
    log.clear()
    optimizer = sgd(model)
    losses = []
    for x, y in loader(kind):
        optimizer.zero_grad()
        loss = loss_of(model(x.as_subclass(Own)), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [bits(losses), list(log)]


def of_a_wrapper():
    model = made()
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                module._parameters[name] = torch.nn.Parameter(Wrapped(parameter.detach()))
    log.clear()
    model(batch()).sum()
    return list(log)


def on_a_default_device():
    torch.set_default_device("cpu")
    model = made()
    return bits(train(model, model, batches=loader(generator=torch.Generator("cpu"))))


def compiled_and_watched():
    model = made(Breaks)
    call = torch.compile(model, backend="eager")
    with Functions():
        given = train(call, model, epochs=1)
    return [bits(given), len(log)]


def inside_the_model(mode):
    class Watches(Net):
        def forward(self, x):
            with mode():
                return super().forward(x)

    def case():
        model = made(Watches)
        return [bits(train(model, model)), list(log)]

    return case


def cases():
    found = {}
    for mode in (Functions, Operators):
        name = mode.__name__.lower()
        found["%s,all" % name] = watched(mode)
        found["%s,pictures" % name] = watched(mode, Pictures)
        found["%s,workers" % name] = watched(mode, num_workers=1)
        found["%s,once" % name] = watched_once(mode)
        found["%s,once,pictures" % name] = watched_once(mode, Pictures)
        found["%s,inside" % name] = inside_the_model(mode)
    found["flops"] = counted
    found["subclass"] = of_a_subclass
    found["subclass,pictures"] = lambda: of_a_subclass(Pictures)
    found["wrapper"] = of_a_wrapper
    found["default_device"] = on_a_default_device
    found["compiled,functions"] = compiled_and_watched
    return found
