"""batch.accumulate in plain loops, on real PyTorch: what the weights are after some epochs
against the program as it is. When it is refused: test_accumulate_refused.py."""

import pytest
import torch
from held import SAMPLES, Numbers, Plan
from hooked import library
from loops import BATCH, loader, loss_of, plain
from planned import train as run
from torch.utils.data import DataLoader

ID = "batch.accumulate"


def weights(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.02)


def two(parameters):
    first, *others = parameters
    return [torch.optim.SGD([first], lr=0.1), torch.optim.AdamW(others, lr=0.02)]


def train(make=sgd, epochs=3, clip=None, zero="before", schedule=None, scaler=None, **loader_arguments):
    """A loop as people write it. Gives (weights, rates of each epoch's end, shapes)."""
    torch.manual_seed(1)
    arguments = {"batch_size": BATCH, "shuffle": True, **loader_arguments}
    loader = DataLoader(Numbers(), **arguments)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizers = make(model.parameters())
    optimizers = optimizers if isinstance(optimizers, list) else [optimizers]
    scheduler = None if schedule is None else schedule(optimizers[0], epochs * len(loader))
    scaler = torch.amp.GradScaler("cpu", enabled=scaler is not None, init_scale=scaler or 1.0)
    rates, shapes = [], []
    for _ in range(epochs):
        for x, y in loader:
            shapes.append(len(x))
            if zero == "before":
                for optimizer in optimizers:
                    optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            for optimizer in optimizers:
                if clip is not None:
                    scaler.unscale_(optimizer)
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            for optimizer in optimizers:
                scaler.step(optimizer)
            scaler.update()
            if scheduler is not None:
                scheduler.step()
            if zero == "model":
                model.zero_grad()
            elif zero == "behind":
                for optimizer in optimizers:
                    optimizer.zero_grad(set_to_none=False)
        rates.append(optimizers[0].param_groups[0]["lr"])
    return weights(model), rates, shapes


def one_cycle(optimizer, steps):
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=steps)


def chained(optimizer, steps):
    from torch.optim.lr_scheduler import ChainedScheduler, LinearLR, SequentialLR, StepLR

    parts = [LinearLR(optimizer, 0.1, total_iters=3), StepLR(optimizer, 4)]
    return ChainedScheduler([SequentialLR(optimizer, parts, milestones=[3]), StepLR(optimizer, 7)], optimizer)


@pytest.mark.parametrize(
    ("count", "choices"),
    [
        (2, {}),
        (4, {"make": adam, "zero": "behind"}),
        (8, {"make": two, "zero": "model", "drop_last": True}),
        (2, {"clip": 0.05, "schedule": one_cycle}),
        (4, {"clip": 0.5, "make": adam, "scaler": 1024.0, "schedule": chained}),
        (2, {"scaler": 1e38, "clip": 0.5}),  # the first updates overflow
        (2, {"num_workers": 2, "persistent_workers": True}),
    ],
    ids=["sgd", "adam", "two", "clipped", "scaled", "overflow", "workers"],
)
def test_parts_train_what_whole_batches_train(knobs, count, choices):
    expected, expected_rates, whole = train(**choices)
    plan = Plan(knobs, {ID: count})
    with plan.held():
        found, rates, shapes = train(**choices)
        word = plan.word
    assert word["applied"], word.get("reason")
    assert word["effect"] == "a batch of 8 in %d parts of %d" % (count, 8 // count)
    size, rest = BATCH // count, 0 if choices.get("drop_last") else SAMPLES % BATCH
    assert shapes == ([size] * (SAMPLES // BATCH * count) + [size] * (rest // size)) * 3
    assert sum(shapes) == sum(whole)
    assert torch.allclose(found, expected, rtol=1e-5, atol=1e-6), (found - expected).abs().max()
    assert rates == pytest.approx(expected_rates)
    assert torch.equal(train(**choices)[0], expected), "undone"


def test_what_a_loop_leaves_out_or_breaks_off_makes_no_update(knobs):
    """A part whose loss is not finite, thrown away before and behind backward; a broken epoch."""

    def skipping(kind):
        torch.manual_seed(2)
        model = torch.nn.Linear(6, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
        updates = []
        optimizer.register_step_post_hook(lambda *_: updates.append(1))
        made = loader()()
        for epoch in range(3):
            for number, (x, y) in enumerate(made):
                if kind == "breaks" and epoch == 1 and number == 3:
                    break
                optimizer.zero_grad()
                loss = loss_of((x, y), model)
                bad = epoch == 1 and number == 6
                if bad and kind == "before":
                    continue
                (loss * float("nan") if bad and kind != "breaks" else loss).backward()
                if bad and kind == "behind":
                    continue
                if bad and kind == "cleared":
                    optimizer.zero_grad()
                    continue
                optimizer.step()
        return len(updates), bool(torch.isfinite(model.weight).all())

    for kind, updates in (("before", 17), ("behind", 17), ("cleared", 17), ("breaks", 13)):
        plan = Plan(knobs, {ID: 2})
        with plan.held():
            assert skipping(kind) == (updates, True), kind
            assert plan.word["applied"]


def test_an_average_of_weights_and_a_rare_schedule_follow_whole_batches(knobs):
    from torch.optim.swa_utils import AveragedModel

    plan = Plan(knobs, {ID: 4})
    with plan.held():
        model = torch.nn.Linear(6, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        rare = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        each_epoch = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=0)
        average = AveragedModel(model)
        made, rates = loader(data=Numbers(48))(), []
        for _ in range(2):
            for number, batch in enumerate(made):
                plain(batch, model, optimizer, number)
                average.update_parameters(model)
                if number == 9:  # the second part of the third batch
                    rare.step()
            each_epoch.step(1.0)
            rates.append(optimizer.param_groups[0]["lr"])
    assert int(average.n_averaged) == 12
    assert rates == pytest.approx([0.5, 0.025])


def test_a_loader_that_only_evaluates_gets_its_batches_back(knobs):
    plan = Plan(knobs, {ID: 2})
    with plan.held():
        evaluates = loader()()
        sampler = evaluates.batch_sampler
        assert [len(x) for x, _ in evaluates][:2] == [4, 4] and evaluates.batch_size == 4
        plan.knobs.loaders.native.loader_fed_training = lambda _number: False
        plan.knobs.loaders.states.clear()
        with torch.no_grad():
            assert [len(x) for x, _ in evaluates][:2] == [8, 8]
        assert evaluates.batch_size == 8 and evaluates.batch_sampler is sampler and len(evaluates) == 6


@pytest.mark.parametrize("value", [0, -2, 2.5, True, None, "2", "1/1", "2/3", "1/0", [2]])
def test_values_that_are_none(knobs, value):
    plan = Plan(knobs, {ID: value})
    assert not plan.word["applied"] and 'or "1/2", "1/3", ... to join' in plan.word["reason"]


def test_a_plain_loop_is_not_joined_and_one_part_is_no_change(knobs):
    plan = Plan(knobs, {ID: "1/2"})
    with plan.held():
        assert set(train()[2]) == {8, 4}
        assert "can be joined" in plan.word["reason"]
    plan = Plan(knobs, {ID: 1})
    with plan.held():
        assert set(train()[2]) == {8, 4}
        assert plan.word["applied"]


def test_an_unmodified_program_under_the_real_hooks(tmp_path):
    """Nothing but the sizes differs, and flatout counts the updates, not their parts."""
    plain = run(tmp_path / "plain", program="accumulated.py")
    seen = run(tmp_path / "parts", {ID: 4}, program="accumulated.py")
    assert seen.saw["shapes"] == ([2] * 20 + [2] * 2) * 3 and plain.saw["shapes"] == ([8] * 5 + [4]) * 3
    assert seen.saw["lengths"] == [6, 22], "the schedule is made from whole batches"
    assert seen.saw["weights"] == pytest.approx(plain.saw["weights"], rel=1e-4, abs=1e-5)
    assert seen.saw["rate"] == pytest.approx(plain.saw["rate"])
    assert seen.saw["random"] == plain.saw["random"] and seen.stderr == ""
    # Our code by where it lies: the word alone is in the path of a checkout of that name.
    assert not any(place in seen.saw["traceback"] for place in (str(library()), "_flatout_hooks", "native_form"))
    assert seen.saw["traceback"] == plain.saw["traceback"] and "accumulated.py" in plain.saw["traceback"]
    updates = [sum(phase.phase == "optimizer" for phase in each.ring.phases) for each in (plain, seen)]
    assert updates[0] == updates[1] > 0
    assert {fact["batch_size"] for fact in seen.ring.fact("loader")} == {2}
    assert seen.knobs[ID] == {
        "knob": ID, "value": 4, "from": 1, "applied": True, "effect": "a batch of 8 in 4 parts of 2",
    }  # fmt: skip
    sized = run(tmp_path / "sized", {"batch.size": 8, ID: 4}, program="accumulated.py", batch=4)
    assert sized.saw["shapes"] == seen.saw["shapes"]
    assert sized.knobs["batch.size"]["applied"] and sized.knobs[ID]["applied"]
    assert "a batch of 8 in 4" in sized.knobs[ID]["effect"]
