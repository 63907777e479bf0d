"""torch.compile: what is compiled, how, and in which state of the program. The first forward of each is a compiled one, but where a case says otherwise."""

import contextlib
import copy
import pickle

import torch
from nets import Breaks, Inner, Net, Pictures, batch, loader, loss_of, made, sgd, train
from observed import BACKENDS, bits


def compiled(target, backend="eager", **options):
    return torch.compile(target, backend=BACKENDS[backend], **options)


# Targets of the compiler: each gives (model, what is called as it).


def module(kind=Net, **options):
    model = made(kind)
    return model, compiled(model, **options)


def in_place(kind=Net, backend="eager", **options):
    model = made(kind)
    model.compile(backend=BACKENDS[backend], **options)
    return model, model


def forward(**options):
    model = made()
    model.forward = compiled(model.forward, **options)
    return model, model


def function(**options):
    model = made()
    return model, compiled(lambda x: model(x), **options)


def layer(**options):
    model = made()
    model.inner = compiled(model.inner, **options)
    return model, model


def layer_in_place(backend="eager", **options):
    model = made()
    model.inner.compile(backend=BACKENDS[backend], **options)
    return model, model


def nn_layer(**options):
    model = made()
    model.out = compiled(model.out, **options)
    return model, model


def method_of_class(**options):
    class Own(Net):
        @torch.compile(backend=BACKENDS[options.pop("backend", "eager")], **options)
        def forward(self, x):
            return super().forward(x)

    model = made(Own)
    return model, model


TARGETS = {
    "module": module,
    "in_place": in_place,
    "forward": forward,
    "function": function,
    "layer": layer,
    "layer_in_place": layer_in_place,
    "nn_layer": nn_layer,
    "method_of_class": method_of_class,
}


def trained(target, **options):
    def case():
        model, call = target(**options)
        return bits(train(call, model))

    return case


def after_eager(target, **options):
    def case():
        first = made(Inner)
        before = train(lambda x: first(x)[:, :2], first, epochs=1)
        model, call = target(**options)
        model.train()
        return bits([before, train(call, model)])

    return case


def own_first_eager(**options):
    """The model itself has run before it is compiled."""
    model = made()
    before = train(model, model, epochs=1)
    return bits([before, train(compiled(model, **options), model)])


def evaluated(target, around=contextlib.nullcontext, training=False, **options):
    def case():
        model, call = target(**options)
        model.train(training)
        with around():
            return bits([call(batch()), call(batch(rows=2))])

    return case


def under_autocast(target, **options):
    def case():
        model, call = target(**options)

        def cast(x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return call(x)

        return bits(train(cast, model))

    return case


def autocast_inside(**options):
    class Casts(Net):
        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return super().forward(x)

    model = made(Casts)
    return bits(train(compiled(model, **options), model))


def accumulated(**options):
    model, call = module(**options)
    return bits(train(call, model, every=2))


def broken(target, **options):
    def case():
        model, call = target(kind=Breaks, **options)
        return bits(train(call, model))

    return case


def optimizer_step(make, **options):
    def case():
        model = made()
        optimizer = make(model)
        return bits(train(model, model, optimizer, step=compiled(optimizer.step, **options)))

    return case


class Own(torch.optim.Optimizer):
    """Dynamo goes into its step(), where in torch's own it meets a break."""

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter -= 0.1 * parameter.grad


def own_step(**options):
    model = made()
    optimizer = Own(model.parameters(), {})
    return bits(train(model, model, optimizer, step=compiled(lambda: optimizer.step(), **options)))


def step_in_function(**options):
    model = made()
    optimizer = torch.optim.Adam(model.parameters())
    return bits(train(model, model, optimizer, step=compiled(lambda: optimizer.step(), **options)))


def whole_step(**options):
    model = made()
    optimizer = sgd(model)

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    step = compiled(step, **options)
    return bits([step(x, y) for _ in range(2) for x, y in loader()])


def whole_training(**options):
    """Loader, model and optimizer are built, and drawn from, in code that Dynamo has in hand."""

    def all_of_it():
        model = made()
        return train(model, model, epochs=2)

    return bits(compiled(all_of_it, **options)())


def loss_in_function(**options):
    model = made()
    optimizer = sgd(model)
    scored = compiled(lambda x, y: loss_of(model(x), y), **options)
    losses = []
    for x, y in loader():
        optimizer.zero_grad()
        loss = scored(x, y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return bits([losses, list(model.parameters())])


def saves_inside(**options):
    """torch.save breaks the graph, and is hooked."""
    import io

    model = made()

    def saving(x):
        y = model.inner(x)
        torch.save({"y": 1}, io.BytesIO())
        return model.out(y)

    return bits(train(compiled(saving, **options), model))


def scaled(**options):
    model, call = module(**options)
    optimizer, scaler = sgd(model), torch.amp.GradScaler("cpu")
    losses = []
    for x, y in loader():
        optimizer.zero_grad()
        loss = loss_of(call(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss)
    return bits([losses, list(model.parameters())])


def explained(what):
    def case():
        model = made(what)
        said = torch._dynamo.explain(model)(batch())
        return [said.graph_count, said.graph_break_count, said.op_count, [str(r.reason) for r in said.break_reasons]]

    return case


def parallel(inside, **options):
    def case():
        import tempfile

        store = tempfile.NamedTemporaryFile()
        torch.distributed.init_process_group("gloo", init_method="file://" + store.name, rank=0, world_size=1)
        model = made()
        if inside:
            call = torch.nn.parallel.DistributedDataParallel(compiled(model, **options))
        else:
            call = compiled(torch.nn.parallel.DistributedDataParallel(model), **options)
        given = bits(train(call, model))
        torch.distributed.destroy_process_group()
        return given

    return case


def copied(how):
    """A copy of a compiled model, before it was called and behind that."""

    def case():
        model, call = module(fullgraph=True)
        twin = how(call)
        first = twin(batch())
        train(call, model)
        return bits([first, how(call)(batch()), type(twin).__name__, sorted(vars(twin))])

    return case


def pickled_in_place():
    model, _ = in_place(fullgraph=True)
    data = pickle.dumps(model)
    first = pickle.loads(data)(batch())
    train(model, model)
    return bits([len(data), first, len(pickle.dumps(model)), pickle.loads(pickle.dumps(model))(batch())])


def with_workers(**options):
    model, call = module(fullgraph=True, **options)
    return bits(train(call, model, batches=loader(num_workers=2)))


def checkpointed(**options):
    from torch.utils.checkpoint import checkpoint

    class Recomputes(Net):
        def forward(self, x):
            return self.out(checkpoint(self.inner, x, use_reentrant=False))

    model = made(Recomputes)
    return bits(train(compiled(model, **options), model))


def stance():
    model, call = module(fullgraph=True)
    with torch.compiler.set_stance("force_eager"):
        before = train(call, model)
    return bits([before, train(call, model)])


def cases():
    found = {}
    for name, target in TARGETS.items():
        for fullgraph in (True, False):
            found["%s,fullgraph=%s,aot" % (name, fullgraph)] = trained(target, backend="aot", fullgraph=fullgraph)
        found["%s,eval" % name] = evaluated(target)
        found["%s,after_eager" % name] = after_eager(target, fullgraph=True)
    for dynamic in (True, False):
        found["module,dynamic=%s" % dynamic] = trained(module, fullgraph=True, dynamic=dynamic)
        found["in_place,dynamic=%s" % dynamic] = trained(in_place, fullgraph=True, dynamic=dynamic)
    for name in ("module", "in_place", "function"):
        target = TARGETS[name]
        found["%s,eager" % name] = trained(target, fullgraph=True)
        found["%s,no_grad" % name] = evaluated(target, torch.no_grad, training=True, fullgraph=True)
        found["%s,inference_mode" % name] = evaluated(target, torch.inference_mode, fullgraph=True, backend="aot")
        found["%s,autocast" % name] = under_autocast(target, fullgraph=True, backend="aot")
    for name in ("module", "in_place"):
        found["%s,breaks" % name] = broken(TARGETS[name])
        found["%s,breaks,aot" % name] = broken(TARGETS[name], backend="aot")
    for name, kind in (("net", Net), ("breaks", Breaks), ("pictures", Pictures)):
        if kind is not Pictures:
            found["explain,%s" % name] = explained(kind)
    found["own_first_eager"] = lambda: own_first_eager(fullgraph=True)
    found["autocast_inside"] = lambda: autocast_inside(fullgraph=True)
    found["accumulated"] = lambda: accumulated(fullgraph=True, backend="aot")
    found["pictures"] = lambda: bits(train(compiled(m := made(Pictures), fullgraph=True), m, batches=loader(Pictures)))
    for fullgraph in (True, False):
        found["sgd_step,fullgraph=%s" % fullgraph] = optimizer_step(sgd, fullgraph=fullgraph)
        found["adam_step,fullgraph=%s" % fullgraph] = optimizer_step(lambda m: torch.optim.Adam(m.parameters()), fullgraph=fullgraph)
    found["step_in_function"] = lambda: step_in_function(fullgraph=True)
    found["own_step"] = own_step
    found["whole_step"] = whole_step
    found["whole_training"] = whole_training
    found["loss_in_function"] = lambda: loss_in_function(fullgraph=True, backend="aot")
    found["saves_inside"] = saves_inside
    found["scaled"] = lambda: scaled(fullgraph=True)
    found["parallel,outside"] = parallel(False)
    found["parallel,outside,aot"] = parallel(False, backend="aot")
    found["parallel,inside"] = parallel(True, fullgraph=True)
    found["deepcopy"] = copied(copy.deepcopy)
    found["pickled_in_place"] = pickled_in_place
    found["workers"] = with_workers
    found["checkpointed"] = lambda: checkpointed(fullgraph=True, backend="aot")
    found["stance"] = stance
    return found
