"""torch.compile with its own backend, which generates code and compiles it: seconds a case."""

from compiling import forward, function, in_place, module, optimizer_step, parallel, trained, under_autocast
from nets import sgd


def cases():
    found = {}
    for target in (module, in_place, forward, function):
        found["%s,inductor" % target.__name__] = trained(target, backend="inductor", fullgraph=True)
    found["module,dynamic,inductor"] = trained(module, backend="inductor", dynamic=True)
    found["module,autocast,inductor"] = under_autocast(module, backend="inductor", fullgraph=True)
    found["sgd_step,inductor"] = optimizer_step(sgd, backend="inductor")
    found["parallel,inductor"] = parallel(False, backend="inductor")
    for mode in ("default", "reduce-overhead", "max-autotune"):
        found["module,%s" % mode] = by_mode(mode)
    return found


def by_mode(mode):
    """As the program would ask for it: its backend is no function of ours."""
    import torch
    from nets import made, train
    from observed import bits

    def case():
        model = made()
        return bits(train(torch.compile(model, mode=mode, fullgraph=True), model))

    return case
