"""What the loss gate learns inside a trial: losses, the order of samples, and
whether fetching draws. On real PyTorch, without a recorder."""

import importlib
import json
import math
import types
from pathlib import Path

import pytest
from hooked import main_ring, run
from planned import PROGRAMS

ZOO = Path(__file__).resolve().parents[1] / "zoo/programs"
APART = 1_000_003


class Seen:
    def __init__(self, done, rings):
        assert (done.returncode, done.stderr) == (0, "")
        self.said = json.loads(done.stdout)
        self.rings = rings
        self.ring = main_ring(rings)
        self.losses = [(step, value.hex()) for name, step, value in self.ring.values if name == "flatout.loss"]
        self.indices = {}  # loader -> {batches: hash}
        for fact in self.ring.fact("indices"):
            assert fact["batches"] not in self.indices.get(fact["loader"], {}), "each is said once"
            self.indices.setdefault(fact["loader"], {})[fact["batches"]] = fact["hash"]


def trial(folder, parts, environment=None, seed=5, **shared):
    """evidence.py over `parts`, whose loaders have the arguments `shared`."""
    folder.mkdir(exist_ok=True)
    extra = {"FLATOUT_TRIAL": 1} if environment is None else environment
    choices = {"seed": seed, "parts": parts, "loader": shared}
    return Seen(*run(PROGRAMS / "evidence.py", json.dumps(choices), rings=folder, **extra))


# The loss

KINDS = ["", "by function", "gradients", "half", "nested", "scaled", "scaled before each other", "vector", "several",
         "subclass", "nan", "infinite", "made from a scaled one"]  # fmt: skip


def test_what_each_backward_was_called_on_bit_by_bit(tmp_path):
    parts = [{"loss": kind, "batches": 3} for kind in KINDS]
    seen = trial(tmp_path / "told", parts)
    by_kind = dict(zip(KINDS, seen.said["losses"]))
    called_on = [loss for losses in by_kind.values() for loss in losses]
    assert seen.losses == [(step, loss) for step, loss in enumerate(called_on) if loss is not None]
    assert len(by_kind["scaled before each other"]) == 6 and "nan" in by_kind["nan"] and "inf" in by_kind["infinite"]
    for kind in KINDS:
        assert (None in by_kind[kind]) == (kind in ("vector", "several", "made from a scaled one"))
    untold = trial(tmp_path / "untold", parts, {"FLATOUT_TRIAL": 0, "FLATOUT_TRIAL_SEED": 3})
    assert untold.ring.values == [] and untold.indices == {} and untold.ring.fact("draws") == []
    assert untold.said["loud"] == seen.said["loud"] != [], "a subclass of Tensor does not notice"
    assert untold.said == seen.said, "looking changed nothing, and without a trial no seed is moved"


def test_a_compiled_step_is_not_broken_off_in_code_of_ours(tmp_path):
    program = tmp_path / "compiled.py"
    program.write_text(
        "import torch\n"
        "model = torch.nn.Linear(2, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "@torch.compile(backend='eager')\n"
        "def step(x):\n"
        "    loss = model(x).square().mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    optimizer.zero_grad()\n"
        "    return loss.detach()\n"
        "for _ in range(3):\n"
        "    print(step(torch.ones(4, 2)).item().hex())\n"
    )
    done, rings = run(program, rings=tmp_path, FLATOUT_TRIAL=1)
    assert done.returncode == 0 and "trial_loss" not in done.stderr and "hooks" not in done.stderr
    assert [value.hex() for _, _, value in main_ring(rings).values] == done.stdout.split() != []


@pytest.mark.parametrize("program", ["hf_trainer", "lightning_trainer"])
@pytest.mark.every_change("lightning_trainer")
def test_the_losses_of_frameworks_and_the_order_of_their_samples(tmp_path, program):
    done, rings = run(ZOO / f"{program}.py", rings=tmp_path, ZOO_SCALE=0.1, FLATOUT_TRIAL=1)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    updates = ring.sequence().count("-backward")
    seen = [(step, value) for name, step, value in ring.values if name == "flatout.loss"]
    losses = [value for _, value in seen]
    assert len(losses) == updates > 4
    assert [step for step, _ in seen] == list(range(updates))
    norms = {step: value for name, step, value in ring.values if name == "flatout.grad_norm"}
    assert list(norms) == list(range(min(8, updates))) and all(math.isfinite(norm) and norm > 0 for norm in norms.values())
    assert all(math.isfinite(loss) and loss > 0 for loss in losses) and len(set(losses)) > 1
    facts = ring.fact("indices")
    assert {fact["loader"] for fact in facts} == {facts[0]["loader"]}, "one loader trains"
    assert [fact["batches"] for fact in facts][:3] == [1, 2, 4]


class Event:
    """A device that comes as far as it is told."""

    reached = 0
    made = 0

    def __init__(self):
        Event.made += 1

    def record(self, stream):
        assert stream == "stream of cuda:0"
        self.at = Event.reached + 1

    def query(self):
        return Event.reached >= self.at


class Buffer:
    def copy_(self, loss, non_blocking):
        assert non_blocking
        self.value = loss.value


def test_losses_on_a_device_are_read_when_it_has_come_that_far(knobs):
    module = importlib.import_module("_flatout_hooks.trial.loss")
    said = []
    capturing = []
    cuda = types.SimpleNamespace(
        Event=Event, current_stream=lambda device: f"stream of {device}", is_current_stream_capturing=lambda: bool(capturing)
    )

    def empty(shape, dtype, device, pin_memory):
        assert (shape, dtype, device, pin_memory) == ((), "float32", "cpu", True)
        return Buffer()

    copies = module.Copies(types.SimpleNamespace(cuda=cuda, empty=empty), lambda buffer: buffer.value, lambda *it: said.append(it))

    def loss(value):
        return types.SimpleNamespace(value=value, shape=(), dtype="float32", device="cuda:0")

    copies.begin(loss(0.5), 0)
    copies.poll()
    assert said == [], "the device is not there yet"
    copies.begin(loss(0.25), 1)
    Event.reached = 1
    capturing.append(True)
    copies.poll()
    copies.begin(loss(9.0), 2)
    assert said == [], "nothing is asked while a graph is captured"
    capturing.clear()
    copies.poll()
    assert said == [(0, 0.5), (1, 0.25)]
    for index in range(40):
        copies.begin(loss(1.0), index)
    assert len(copies.pending) == Event.made == 16, "buffers are used again, and not without end"


# The order of samples


PARTS = {  # loader 1 only evaluates, in the first part; the parts' own are 2, 3, ...
    2: {"held_out": True, "loader": {"shuffle": True}},
    3: {"arguments": [40], "epochs": 3, "loader": {"shuffle": True}},
    4: {"peek": True, "loader": {"shuffle": True}},
    5: {"batches": 5, "epochs": 3, "loader": {"shuffle": True}},
    6: {"dataset": "Stream"},
    7: {},
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return trial(tmp_path_factory.mktemp("plain"), list(PARTS.values()))


def test_the_order_of_samples_is_said_of_loaders_that_train(plain):
    assert set(plain.indices) == {2, 3, 4, 5, 7}, "not of one that evaluates, not of a stream"
    assert [list(plain.indices[number]) for number in (2, 4, 7)] == 3 * [[1, 2, 4, 8, 16, 32]]
    assert list(plain.indices[3]) == [1, 2, 4, 8], "as far as it goes, and of the first epoch alone"
    assert list(plain.indices[5]) == [1, 2, 4]


def described(seen):
    """loader -> batches -> the fact `samples`, of epochs that ended with the batches as text."""
    out = {}
    for fact in seen.ring.fact("samples"):
        out.setdefault(fact.pop("loader"), {})[str(fact["batches"]) if fact.pop("ended", False) else fact["batches"]] = fact
    return out


def test_which_samples_came_is_said_whatever_their_order(tmp_path, plain):
    said = described(plain)
    assert [list(said[number]) for number in (2, 3, 4, 7)] == [[8, 16, 32, "40"], [8, "10"], [8, 16, 32, "40"], [8, 16, 32]]
    assert said[2][32]["samples"] == 128 and said[2][32]["repeats"] == 0
    epoch = said[3]["10"]
    assert (epoch["samples"], epoch["repeats"], epoch["quantiles"][0], epoch["quantiles"][-1]) == (40, 0, 0, 39)
    assert epoch["rests"] == [3] * 8 + [2] * 8 and 10 < epoch["rising"] < 30
    assert (said[7][32]["rising"], said[7][32]["successors"]) == (127, 127), "not shuffled"
    other = described(trial(tmp_path, list(PARTS.values())[:2], seed=6))
    assert other[3]["10"]["together"] == epoch["together"], "an epoch holds the same samples"
    assert other[2][32]["together"] != said[2][32]["together"], "a part of one does not"


def test_samples_of_any_kind_are_described(knobs):
    module = importlib.import_module("_flatout_hooks.trial.samples")
    assert module.described([]) == {**module.described([]), "samples": 0, "repeats": 0}
    assert module.described([("a", 1), "b", "b"])["repeats"] == 1 and "rests" not in module.described(["b"])
    assert "rests" not in module.described([1 << 70]) and module.described([-3])["quantiles"] == [-3] * 17
    assert module.described([1, 2, 3])["together"] == module.described([3, 1, 2])["together"] != module.described([1, 2, 2])["together"]


def test_with_workers_the_order_is_the_same(tmp_path, plain):
    seen = trial(tmp_path, list(PARTS.values()), num_workers=1, prefetch_factor=9)
    for number in (2, 3, 4, 7):
        assert seen.indices[number] == plain.indices[number], number
    assert list(seen.indices[5]) == [1, 2, 4, 8], "more is drawn ahead than is used"
    assert {**seen.indices[5], **plain.indices[5]} == seen.indices[5]
    assert set(seen.indices) == set(plain.indices)
    assert all(not ring.fact("indices") and not ring.values for ring in seen.rings if ring is not seen.ring)


def test_workers_that_stay_restart_one_iterator(tmp_path, plain):
    seen = trial(tmp_path, list(PARTS.values())[:3], num_workers=1, prefetch_factor=9, persistent_workers=True)
    assert seen.indices[2] == plain.indices[2] and seen.indices[3] == plain.indices[3]
    assert list(seen.indices[4]) == [1, 2, 4, 8, 16, 32], "after a look at one batch"


def test_another_seed_gives_another_order(tmp_path, plain):
    seen = trial(tmp_path, list(PARTS.values()), seed=6)
    for number in (2, 3, 4, 5):
        assert seen.indices[number].keys() == plain.indices[number].keys()
        assert not set(seen.indices[number].values()) & set(plain.indices[number].values())
    assert seen.indices[7] == plain.indices[7], "it does not shuffle"


def test_other_indices_count_as_they_are_shown(knobs):
    module = importlib.import_module("_flatout_hooks.trial.indices")
    import numpy

    class Key:
        pass

    assert module._bytes_of([1, 2]) == module._bytes_of((numpy.int64(1), numpy.int64(2)))
    assert module._bytes_of([Key()]) == module._bytes_of([Key()]), "an address says nothing"
    others = [1, [1], [1, 2], [2, 1], "a", ["a"], [("a", 1)], [1 << 70], None, 1.5]
    assert len({module._bytes_of(index) for index in others}) == len(others)


# Seeds


def test_seeds_are_moved_as_if_the_program_had_set_others(tmp_path, plain):
    parts = list(PARTS.values())[:2]
    first, second = (trial(tmp_path / str(k), parts, {"FLATOUT_TRIAL": 1, "FLATOUT_TRIAL_SEED": k}) for k in (1, 2))
    by_hand = trial(tmp_path / "by hand", parts, seed=5 + APART)
    assert by_hand.said == first.said and by_hand.indices == first.indices
    all_three = [seen.said["first"][0] for seen in (plain, first, second)]
    for draws in zip(*all_three):  # torch, random, numpy, torch.initial_seed()
        assert len(set(draws)) == 3
    assert [draws[3] for draws in all_three] == [5, 5 + APART, 5 + 2 * APART]
    assert first.losses != second.losses and first.indices[2] != second.indices[2]


# Draws of a fetch

IDLE = ["Plain", "Idle", "Stream"]
DRAW = ["torch", "random", "numpy", "own torch", "own random", "own numpy", "own RandomState", "closure", "module", "lazy",
        "inner"]  # fmt: skip


def test_whether_fetches_draw(tmp_path):
    parts = [{"dataset": name, "batches": 3} for name in IDLE + DRAW]
    seen = trial(tmp_path / "told", parts)
    last = {fact["loader"]: fact["fetch_draws"] for fact in seen.ring.fact("draws")}
    assert {name: last[number] for number, name in enumerate(IDLE + DRAW, 1)} == {
        **dict.fromkeys(IDLE, False), **dict.fromkeys(DRAW, True)
    }  # fmt: skip
    assert seen.said == trial(tmp_path / "untold", parts, {}).said, "looking draws nothing"
    worked = trial(tmp_path / "worked", parts, num_workers=1)
    for name, alone, by_worker in zip(IDLE + DRAW, seen.said["losses"], worked.said["losses"]):
        if name in IDLE:
            assert alone == by_worker, name
        elif name in ("torch", "random", "numpy"):
            assert alone != by_worker, name


def test_where_generators_are_looked_for(knobs):
    import random

    import numpy
    import torch

    module = importlib.import_module("_flatout_hooks.trial.generators")
    held = [torch.Generator(), random.Random(1), numpy.random.default_rng(1), numpy.random.RandomState(1), random.SystemRandom()]

    class Touchy:
        """Would tell if its code ran."""

        def __init__(self, **held):
            object.__getattribute__(self, "__dict__").update(held)

        def __getattribute__(self, name):
            raise AssertionError(name)

        __iter__ = __len__ = __eq__ = __hash__ = __getattribute__

    deep = Touchy(transform=Touchy(all=[Touchy(one=held[0]), {"two": held[1]}], more=held[2:]), itself=None, text="text")
    ring = [deep]
    ring.append(ring)
    found = module.generators_of(torch, ring, random._inst, torch.default_generator, None, 1)
    assert {id(one) for one in found} == {id(one) for one in held}
    for generator, draw in zip(held, (lambda g: torch.rand((), generator=g), *3 * [lambda g: g.random()])):
        before = module.state_of(torch, generator)
        assert module.same(torch, before, module.state_of(torch, generator))
        draw(generator)
        assert not module.same(torch, before, module.state_of(torch, generator))
    assert module.state_of(torch, held[4]) is None
    assert len(module.generators_of(torch, [random.Random() for _ in range(60)])) <= 16
