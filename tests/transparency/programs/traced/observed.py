"""Observations of a case of the matrix: graphs that backends are given, counters of the compiler, tensors to the bit."""

import hashlib
import re

import torch

graphs = []


def named(target):
    return re.sub(r" at 0x[0-9a-f]+", "", str(target))


def keep(kind, module):
    graphs.append([kind] + ["%s %s %s" % (node.op, named(node.target), node.name) for node in module.graph.nodes])


def eager(module, inputs, **_):
    keep("graph", module)
    return module.forward


def aot(module, inputs, **_):
    """As aot_eager, with the graphs of forward and backward kept as well."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    def kept(kind):
        def compiler(traced, _inputs):
            keep(kind, traced)
            return make_boxed_func(traced.forward)

        return compiler

    keep("graph", module)
    return aot_autograd(fw_compiler=kept("forward"), bw_compiler=kept("backward"))(module, inputs)


def inductor(module, inputs, **more):
    from torch._inductor.compile_fx import compile_fx

    keep("graph", module)
    return compile_fx(module, inputs, **more)


BACKENDS = {"eager": eager, "aot": aot, "inductor": inductor}
# Frames are of Dynamo's own account; what it spends in each phase is time.
_COUNTERS = ("frames", "stats", "graph_break", "unimplemented", "recompiles", "resumes", "inline_call")


def told():
    from torch._dynamo.utils import counters

    counted = {group: {named(key): count for key, count in counters[group].items()} for group in _COUNTERS if counters.get(group)}
    return {"graphs": graphs, "counters": counted}


def bits(value):
    """A text that stands for every bit of the tensors in it."""
    if isinstance(value, torch.Tensor):
        held = value.detach()
        if held.dtype == torch.bfloat16:
            held = held.float()
        data = held.contiguous().numpy().tobytes()
        return "%s%s %s" % (str(value.dtype), list(value.shape), hashlib.sha256(data).hexdigest()[:16])
    if isinstance(value, dict):
        return {str(key): bits(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    return named(value)
