"""batch.accumulate in loops that cannot be trained in parts: they go on with whole batches."""

import pytest
import torch
from held import SAMPLES, Numbers, Plan
from loops import BATCH, loader, loss_of, plain
from torch.utils.data import DataLoader, IterableDataset

ID = "batch.accumulate"


class Stream(IterableDataset):
    def __iter__(self):
        return iter([(torch.ones(6), torch.ones(1))] * SAMPLES)


class InHalves(torch.utils.data.BatchSampler):
    def __iter__(self):
        for batch in super().__iter__():
            yield batch[: len(batch) // 2 + 1]


def parts_of(model, optimizer, make_loader, body):
    """Two epochs of body(batch, model, optimizer, number of the batch); shapes of the batches."""
    loader, shapes = make_loader(), []
    for _ in range(2):
        for number, (x, y) in enumerate(loader):
            shapes.append(len(x))
            body((x, y), model, optimizer, number)
    return shapes


def accumulates(batch, model, optimizer, number):
    loss_of(batch, model).backward()
    if number % 2:
        optimizer.step()
        optimizer.zero_grad()


def clamps(batch, model, optimizer, _number):
    optimizer.zero_grad()
    loss_of(batch, model).backward()
    for parameter in model.parameters():
        parameter.grad.data.clamp_(-0.001, 0.001)
    optimizer.step()


def clears(batch, model, optimizer, _number):
    for parameter in model.parameters():
        parameter.grad = None
    loss_of(batch, model).backward()
    optimizer.step()


def sets_rates(batch, model, optimizer, number):
    optimizer.param_groups[0]["lr"] = 0.1 / (number + 1)
    plain(batch, model, optimizer, number)


def twice(batch, model, optimizer, number):
    plain(batch, model, optimizer, number)
    plain(batch, model, optimizer, number)


def closure(batch, model, optimizer, _number):
    def again():
        optimizer.zero_grad()
        loss = loss_of(batch, model)
        loss.backward()
        return loss

    optimizer.step(again)


def by_grad(batch, model, optimizer, _number):
    parameters = list(model.parameters())
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss_of(batch, model), parameters)):
        parameter.grad = gradient
    optimizer.step()


def second_order(batch, model, optimizer, _number):
    optimizer.zero_grad()
    loss_of(batch, model).backward(create_graph=True)
    optimizer.step()


def perturbs(batch, model, optimizer, number):
    """As sharpness-aware minimisation does, between two backwards."""
    optimizer.zero_grad()
    loss_of(batch, model).backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(parameter.grad, alpha=0.01)
    loss_of(batch, model).backward()
    optimizer.step()


class Adversaries:
    """A generator that is updated with every second batch, or each with a backward of its own."""

    def __init__(self, rare):
        self.rare = rare
        self.other = torch.nn.Linear(6, 6)
        self.optimizer = torch.optim.SGD(self.other.parameters(), lr=0.1)

    def __call__(self, batch, model, optimizer, number):
        made = self.other(batch[0]), batch[1]
        plain(made if self.rare else batch, model, optimizer, number)
        if not self.rare:
            self.optimizer.zero_grad()
            loss_of(made, model).backward()
        if not self.rare or number % 5 == 4:
            self.optimizer.step()
            self.optimizer.zero_grad()


class Ahead:
    """Draws one batch ahead, as prefetchers do."""

    def __init__(self, made):
        self.made = made

    def __iter__(self):
        ahead = None
        for batch in self.made:
            if ahead is not None:
                yield ahead
            ahead = batch
        yield ahead


def threaded():
    """Draws in a thread of its own."""
    import queue
    import threading

    class Loader:
        def __init__(self):
            self.made = loader()()

        def __iter__(self):
            batches = queue.Queue(1)

            def draw():
                for batch in self.made:
                    batches.put(batch)
                batches.put(None)

            threading.Thread(target=draw, daemon=True).start()
            return iter(batches.get, None)

    return Loader()


class Refused:
    def __init__(self, reason, body=plain, make=None):
        self.reason, self.body, self.make = reason, body, make or loader()


REFUSED = {
    "iterable": Refused("which of its batches is the last", make=loader(Stream())),
    "unbatched": Refused("batch_size=None", make=loader(batch_size=None)),
    "odd": Refused("a batch of 7 cannot be divided into 2", make=loader(batch_size=7)),
    "own sampler": Refused(
        "InHalves is the program's own",
        make=lambda: DataLoader(Numbers(), batch_sampler=InHalves(range(SAMPLES), BATCH, False)),
    ),
    "out of order": Refused("in_order=False", make=loader(in_order=False)),
    "accumulates": Refused("it accumulates itself", accumulates),
    "clamps": Refused("code of the program's own changes gradients", clamps),
    "clears": Refused("code of the program's own changes gradients", clears),
    "perturbs": Refused("code of the program's own changes gradients or weights", perturbs),
    "rates": Refused("sets the learning rate itself", sets_rates),
    "twice": Refused("more than one update with a batch", twice),
    "closure": Refused("closure", closure),
    "grad": Refused("do not come from a backward()", by_grad),
    "second order": Refused("create_graph", second_order),
    "several": Refused("several optimizers have a backward of their own", "each"),
    "rare": Refused("not all optimizers", "rare"),
    "ahead": Refused("beyond the one", make=lambda: Ahead(loader()())),
    "thread": Refused("in another thread", make=threaded),
}


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", REFUSED)
def test_loops_that_cannot_be_trained_in_parts_go_on_with_whole_batches(knobs, name):
    case = REFUSED[name]
    plan = Plan(knobs, {ID: 2})
    with plan.held() as setting:
        torch.manual_seed(0)
        model = torch.nn.Linear(6, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        body = Adversaries(case.body == "rare") if isinstance(case.body, str) else case.body
        shapes = parts_of(model, optimizer, case.make, body)
        word = plan.word
    assert not word["applied"] and case.reason in word["reason"], word
    assert setting.deferral.part is None
    if name != "unbatched":
        whole = [batch for batch in shapes if batch != BATCH // 2 and batch != SAMPLES % BATCH]
        assert whole.count(max(shapes)) >= 4, shapes
    assert optimizer.param_groups[0]["params"][0].grad is not None or name in ("accumulates", "clears")
    before = model.weight.detach().clone()
    plain((torch.ones(2, 6), torch.zeros(2, 1)), model, optimizer, 0)
    assert not torch.equal(model.weight, before), "its steps are steps again"
