"""PyTorch's own tracers and transforms, each before the first training forward of the process and behind one, in training and in evaluation."""

import copy

import torch
from nets import Inner, Net, Pictures, batch, loader, loss_of, made, sgd, train
from observed import bits


def nodes(module):
    return [[node.op, str(node.target).split(" at 0x")[0], node.name] for node in module.graph.nodes]


# Each takes a model that nobody has called, and gives what is to be the same.


def jit_trace(model):
    return [str(torch.jit.trace(model, batch(), check_trace=not model.training).graph), bits(model(batch()))]


def jit_trace_checked(model):
    model.drop = torch.nn.Identity()
    traced = torch.jit.trace(model, batch())
    return [str(traced.graph), bits(traced(batch(rows=3)))]


def jit_script(model):
    scripted = torch.jit.script(model)
    return [str(scripted.graph), bits(train(scripted, scripted)[0])]


def symbolic_trace(model):
    traced = torch.fx.symbolic_trace(model)
    return [nodes(traced), bits(traced(batch()))]


def own_tracer(model):
    """Only Inner is a leaf, so that the model's own submodules are called while it traces."""

    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, module, name):
            return isinstance(module, torch.nn.Dropout)

    return [[node.op, str(node.target).split(" at 0x")[0], node.name] for node in Tracer().trace(model).nodes]


def export(model):
    program = torch.export.export(model, (batch(),))
    return [str(program.graph), str(program.graph_signature)]


def export_strict(model):
    return str(torch.export.export(model, (batch(),), strict=True).graph)


def make_fx(model):
    from torch.fx.experimental.proxy_tensor import make_fx

    return [nodes(make_fx(model)(batch())), nodes(make_fx(model, tracing_mode="symbolic", _allow_non_fake_inputs=True)(batch()))]


def make_fx_step(model):
    """A whole training step is traced, its backward as well."""
    from torch.fx.experimental.proxy_tensor import make_fx

    parameters = list(model.parameters())

    def step(x):
        loss = model(x).sum()
        return torch.autograd.grad(loss, parameters)

    return nodes(make_fx(step)(batch()))


def functional(model):
    parameters = dict(model.named_parameters())
    return bits(torch.func.functional_call(model, parameters, (batch(),)))


def grad(model):
    parameters = {name: one.detach() for name, one in model.named_parameters()}

    def loss(parameters, x):
        return torch.func.functional_call(model, parameters, (x,)).sum()

    return bits([torch.func.grad(loss)(parameters, batch()), torch.func.grad_and_value(loss)(parameters, batch())])


def jvp(model):
    model.eval()
    return bits(torch.func.jvp(model, (batch(),), (torch.ones_like(batch()),)))


def vjp(model):
    given, back = torch.func.vjp(model, batch())
    return bits([given, back(torch.ones_like(given))])


def vmap(model):
    return bits(torch.func.vmap(model, randomness="different")(batch()))


def ensemble(model):
    twins = [model, copy.deepcopy(model)]
    parameters, buffers = torch.func.stack_module_state(twins)

    def called(parameters, buffers, x):
        return torch.func.functional_call(model, (parameters, buffers), (x,))

    return bits(torch.func.vmap(called, in_dims=(0, 0, None), randomness="different")(parameters, buffers, batch()))


def jacobian(model):
    model.eval()
    return bits([torch.func.jacrev(model)(batch(rows=1)), torch.func.hessian(lambda x: model(x).sum())(batch(rows=1))])


def fake(model):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        given = model(mode.from_tensor(batch()))
        given.sum().backward()
    for parameter in model.parameters():
        parameter.grad = None
    return [str(given.shape), str(given.dtype), type(given).__name__]


def fake_model(model):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        model = type(model)()
        optimizer = sgd(model)
        loss = model(torch.randn(4, 8)).sum()
        loss.backward()
        optimizer.step()
    return [str(loss.shape), [type(parameter).__name__ for parameter in model.parameters()]]


def meta(model):
    with torch.device("meta"):
        model = type(model)()
    given = model(torch.empty(4, 8, device="meta"))
    return [str(given.shape), str(given.device)]


def checkpointed(model):
    from torch.utils.checkpoint import checkpoint

    inner = model.inner
    losses, weights = train(lambda x: model.out(checkpoint(inner, x, use_reentrant=False)), model)
    return bits([losses, weights, checkpoint(inner, batch().requires_grad_(), use_reentrant=True)])


def checkpointed_selectively(model):
    from torch.utils import checkpoint

    policy = [torch.ops.aten.mm.default, torch.ops.aten.addmm.default]

    def context():
        return checkpoint.create_selective_checkpoint_contexts(policy)

    def call(x):
        return model.out(checkpoint.checkpoint(model.inner, x, use_reentrant=False, context_fn=context))

    return bits(train(call, model))


def quantised(model):
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    prepared = prepare_fx(model.eval(), get_default_qconfig_mapping("onednn"), (batch(),))
    prepared(batch())
    return [nodes(prepared), nodes(convert_fx(copy.deepcopy(prepared)))]


def dynamo_export(model):
    exported = torch._dynamo.export(model)(batch())
    return nodes(exported[0])


def compiled_transform(model):
    """A transform of torch.func inside of what is compiled."""
    parameters = {name: one.detach() for name, one in model.named_parameters()}

    @torch.compile(backend="eager", fullgraph=True)
    def gradients(parameters, x):
        return torch.func.grad(lambda p: torch.func.functional_call(model, p, (x,)).sum())(parameters)

    return bits(gradients(parameters, batch()))


TRACERS = (jit_trace, jit_trace_checked, jit_script, symbolic_trace, own_tracer, export, export_strict, make_fx, make_fx_step, functional,
           grad, jvp, vjp, vmap, ensemble, jacobian, fake, fake_model, meta, checkpointed, checkpointed_selectively, quantised,
           dynamo_export, compiled_transform)  # fmt: skip


def traced_first(tracer, training, kind=Net):
    """Traced, then trained as ever."""

    def case():
        torch.manual_seed(3)
        model = made(kind)
        model.train(training)
        said = tracer(model)
        model.train()
        return [said, bits(train(model, model))]

    return case


def trained_first(tracer, kind=Net):
    """In the middle of an epoch, and once more at the next one, when facts are looked at again."""

    def case():
        torch.manual_seed(3)
        model = made(kind)
        before = train(model, model, epochs=1)
        said = tracer(model)
        iter(loader())  # from which hooks take it that an epoch begins
        return [bits(before), said, tracer(made(kind))]

    return case


def pictures_traced():
    model = made(Pictures)
    x = batch(Pictures)
    return [str(torch.jit.trace(model, x, check_trace=False).graph), nodes(torch.fx.symbolic_trace(model)), str(torch.export.export(model, (x,)).graph)]


def functional_training():
    """Weights that torch.func.grad updates: no optimizer, no backward()."""
    model = made(Inner)
    parameters = {name: one.detach() for name, one in model.named_parameters()}
    gradients = torch.func.grad_and_value(lambda p, x, y: loss_of(torch.func.functional_call(model, p, (x,)), y))
    losses = []
    for x, y in loader():
        found, loss = gradients(parameters, x, y)
        parameters = {name: one - 0.1 * found[name] for name, one in parameters.items()}
        losses.append(loss)
    return bits([losses, parameters])


def cases():
    found = {}
    for tracer in TRACERS:
        found["%s,first,train" % tracer.__name__] = traced_first(tracer, True)
        found["%s,behind_training" % tracer.__name__] = trained_first(tracer)
        if tracer in (jit_trace, symbolic_trace, export, make_fx, vmap):
            found["%s,first,eval" % tracer.__name__] = traced_first(tracer, False)
    found["pictures"] = pictures_traced
    found["functional_training"] = functional_training
    return found
