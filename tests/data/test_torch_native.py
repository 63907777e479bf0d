"""engine="native" and "auto": torch's batches, order and errors where there is a native form, its name where there is none."""

import contextlib
import gc
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader as Theirs
from torch.utils.data import DistributedSampler, RandomSampler, Subset

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "knobs"))
import torch_sets  # noqa: E402
from pictures import torchvision, write  # noqa: E402
from flatout.torch import DataLoader  # noqa: E402

SAMPLES = 18


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"), count=SAMPLES)


def evaluation(folder):
    tv = torchvision()
    T = tv.transforms
    return tv.datasets.ImageFolder(folder, T.Compose([T.Resize((9, 8)), T.PILToTensor()]))


def training(folder):
    tv = torchvision()
    T = tv.transforms
    return tv.datasets.ImageFolder(folder, T.Compose([T.RandomResizedCrop(8), T.RandomHorizontalFlip(), T.ToTensor()]))


def made(dataset, engine="native", **more):
    return DataLoader(dataset, engine=engine, **{"batch_size": 4, **more})


def same(some, others):
    some, others = list(some), list(others)
    return len(some) == len(others) and all(torch.equal(a, c) and torch.equal(b, d) for (a, b), (c, d) in zip(some, others))


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("order", [{}, {"shuffle": True}, {"shuffle": True, "drop_last": True, "generator": 4}], ids=str)
def test_torchs_batches_order_and_generators(folder, order, workers):
    dataset, seen = evaluation(folder), []
    for kind, engine in ((Theirs, {}), (DataLoader, {"engine": "native"})):
        torch.manual_seed(9)
        arguments = dict(order, batch_size=4, num_workers=workers, persistent_workers=workers > 0, **engine)
        if "generator" in arguments:
            arguments["generator"] = torch.Generator().manual_seed(4)
        loader = kind(dataset, **arguments)
        seen.append((list(loader), list(loader), torch.get_rng_state(), loader.generator and loader.generator.get_state()))
    (first, second, state, own), (our_first, our_second, our_state, our_own) = seen
    assert same(first, our_first) and same(second, our_second) and torch.equal(state, our_state)
    assert own is our_own or torch.equal(own, our_own)
    stats = loader.stats()
    assert (stats["engine"], stats["batches"], stats["fallback_samples"]) == ("native", 2 * len(first), 0)


ORDERS = {
    "plain": lambda dataset, generator: {},
    "shuffle": lambda dataset, generator: {"shuffle": True},
    "again": lambda dataset, generator: {"sampler": RandomSampler(dataset, replacement=True, num_samples=22, generator=generator)},
    "rank": lambda dataset, generator: {"sampler": DistributedSampler(dataset, 2, 1, seed=3)},
    "remembers": lambda dataset, generator: {"sampler": torch_sets.Remembers(len(dataset))},
    "batches": lambda dataset, generator: {"batch_size": 1, "batch_sampler": torch.utils.data.BatchSampler(range(len(dataset)), 5, False)},
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.every_change("False-plain", "True-shuffle", "False-rank", "True-batches")
def test_resumed_it_augments_as_if_it_had_not_stopped(folder, order, persistent):
    dataset = training(folder)
    workers = {"num_workers": 1, "persistent_workers": True} if persistent else {}

    def loader(seed):
        generator = torch.Generator().manual_seed(seed)
        return made(dataset, generator=generator, **ORDERS[order](dataset, generator), **workers)

    for place in (0, 1, 3, 7):
        stopped = loader(5)
        earlier = list(stopped) if place == 1 else None  # the second epoch is stopped, too
        iterator = iter(stopped)
        for _ in range(place):
            next(iterator, None)
        state = json.loads(json.dumps(stopped.state_dict()))
        rest, following = list(iterator), list(stopped)
        assert earlier is None or not same(earlier, following), "another epoch, another random stream"
        resumed = loader(6)
        resumed.load_state_dict(state)
        assert resumed.state_dict() == state
        if not state["_iterator_finished"]:
            assert same(resumed, rest), place
        assert same(resumed, following), place
        assert resumed.stats()["fallback_samples"] == 0


def test_states_go_between_engines(folder):
    dataset = evaluation(folder)
    ways = [{"engine": "native"}, {"engine": "native", "num_workers": 2}, {}, {"engine": "threads", "num_workers": 2}]

    def loader(way):
        return DataLoader(dataset, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(1), **way)

    expected = list(loader({}))
    for before in ways:
        for after in ways:
            taken = loader(before)
            for _ in zip(range(2), taken):
                pass
            resumed = loader(after)
            resumed.load_state_dict(taken.state_dict())
            assert same(resumed, expected[2:]), (before, after)


@pytest.mark.parametrize("policy", ["raise", "skip", "replace"])
def test_bad_samples(folder, tmp_path, policy):
    broken = tmp_path / "set"
    shutil.copytree(folder, broken)
    (broken / "a/02.jpg").write_bytes((folder / "a/02.jpg").read_bytes()[:200])
    (broken / "b/03.jpg").write_bytes(b"")
    torchvision()
    from PIL import Image

    Image.open(folder / "a/08.jpg").save(broken / "a/08.jpg", format="BMP")  # which Pillow reads
    seen = []
    for engine in ("torch", "native"):
        loader = DataLoader(evaluation(broken), batch_size=4, engine=engine, on_bad_sample=policy)
        iterator, batches, errors = iter(loader), [], []
        with pytest.warns(RuntimeWarning, match="sample 1 cannot be read: OSError") if policy != "raise" else contextlib.nullcontext():
            for _ in range(5):
                try:
                    batches.append(next(iterator))
                except OSError as error:
                    errors.append((type(error), str(error)))
        stats = loader.stats()
        seen.append((batches, errors, [stats[name] for name in ("samples", "batches", "bad_samples")], (stats["first_bad_sample"] or {}).get("sample")))
    (batches, *others), (our_batches, *ours) = seen
    assert same(batches, our_batches) and others == ours
    assert len(ours[0]) == {"raise": 2}.get(policy, 0) and stats["fallback_samples"] == 3 and "jpg" in stats["first_fallback"]


def test_a_batch_without_a_good_sample_is_no_batch(folder, tmp_path):
    broken = tmp_path / "set"
    shutil.copytree(folder, broken)
    for number in (0, 2):
        (broken / "a" / ("%02d.jpg" % number)).write_bytes(b"")
    loader = made(evaluation(broken), batch_size=2, on_bad_sample="skip")
    with pytest.warns(RuntimeWarning, match="sample 0 cannot be read"):
        assert [len(labels) for _, labels in loader] == (SAMPLES // 2 - 1) * [2]
    stats = loader.stats()
    assert (stats["batches"], stats["bad_samples"], stats["fallback_samples"]) == (SAMPLES // 2 - 1, 2, 2)


def refusing(tv, folder):
    T = tv.transforms
    return tv.datasets.ImageFolder(folder, T.Compose([T.Lambda(torch_sets.plain), T.Resize((8, 8)), T.ToTensor()]))


def test_what_has_no_native_form_is_named(folder):
    tv = torchvision()

    class Stateful(tv.datasets.ImageFolder):
        def state_dict(self):
            return {}

        def load_state_dict(self, state):
            pass

    T = tv.transforms
    uneven = tv.datasets.ImageFolder(folder, T.Compose([T.Resize(8), T.ToTensor()]))
    for dataset, arguments, said in (
            (refusing(tv, folder), {}, "torchvision.transforms.Lambda has no native form"),
            (uneven, {}, "different sizes"),
            (torch_sets.Numbers(), {}, "Numbers has no native form"),
            (torch_sets.Stream(), {}, "the dataset is an iterable one"),
            (Stateful(folder, evaluation(folder).transform), {}, "Stateful has state_dict()"),
            (evaluation(folder), {"collate_fn": torch_sets.plain}, "plain, which makes its batches, has no native form"),
            (evaluation(folder), {"batch_size": None}, "batch_size=None")):
        with pytest.raises(NotImplementedError) as raised:
            made(dataset, **arguments)
        assert said in str(raised.value) and "engine='auto'" in str(raised.value)
        stats = made(dataset, "auto", **arguments).stats()
        assert stats["engine"] == "torch" and said in stats["native_refusal"] and "threads" not in stats
    assert "native_refusal" not in made(evaluation(folder), "auto").stats()


def test_without_the_library(folder, monkeypatch):
    from flatout.native_form import library

    monkeypatch.setattr(library, "_loaded", [])
    monkeypatch.setenv("FLATOUT_DATA_LIBRARY", "/nowhere/lib.so")
    assert "is not installed" in made(evaluation(folder), "auto").stats()["native_refusal"]


def test_what_the_program_changes_between_epochs_counts(folder):
    tv = torchvision()
    loader = made(evaluation(folder), "auto", num_workers=0)
    transform = loader.dataset.transform
    transform.transforms[0].size = (5, 6)
    assert next(iter(loader))[0].shape[2:] == (5, 6) and loader.stats()["engine"] == "native"
    iterator = iter(loader)
    next(iterator)
    state = loader.state_dict()
    loader.dataset.transform = refusing(tv, folder).transform
    loader.load_state_dict(state)
    labels = [label for _, batch in loader for label in batch.tolist()]
    assert len(labels) == SAMPLES - 4 and loader.stats()["engine"] == "torch"
    assert "transforms.Lambda" in loader.stats()["native_refusal"]
    loader.dataset.transform = transform
    assert len(list(loader)) == 5 and loader.stats()["engine"] == "native"
    loader.engine = "native"
    loader.dataset.transform = refusing(tv, folder).transform
    with pytest.raises(NotImplementedError, match="transforms.Lambda"):
        iter(loader)


def test_subsets_samplers_and_a_batch_that_is_too_large(folder):
    dataset = evaluation(folder)

    class Growing(torch.utils.data.BatchSampler):
        def __iter__(self):
            return iter([[0], [1, 2], [3, 4, 5, 6]])

    for which, arguments in ((Subset(Subset(dataset, [7, 3, 11, 2, 17]), [4, 1, 0, -2]), {}), (dataset, {"sampler": [3, -1, 3, 0]}),
                             (dataset, {"batch_size": 1, "batch_sampler": Growing(dataset, 3, False)})):  # fmt: skip
        ours = made(which, **arguments)
        assert same(Theirs(which, **{"batch_size": 4, **arguments}), ours)
    assert ours.stats()["fallback_samples"] == 4 and ours.stats()["first_fallback"]


def test_stats_have_the_engines_figures(folder):
    loader = made(training(folder))
    list(loader)
    for _ in loader:
        break
    stats = loader.stats()
    assert (stats["batches"], stats["samples"], stats["bad_samples"]) == (6, SAMPLES + 4, 0) and stats["threads"] >= 1
    assert stats["decode_s"] > 0 and stats["transform_s"] > 0 and stats["read_s"] > 0
    assert all(stats[stage + "_busy_s"] + stats[stage + "_blocked_s"] == pytest.approx(stats[stage + "_s"]) for stage in ("read", "decode"))
    assert stats["idle_full_s"] + stats["idle_starved_s"] + stats["idle_unasked_s"] == pytest.approx(stats["thread_idle_s"])
    assert stats["fetching_s"] == pytest.approx(stats["read_s"] + stats["decode_s"] + stats["transform_s"])


def threads():
    return len(os.listdir("/proc/self/task"))


def test_its_threads_end_with_the_loader_and_a_break_needs_no_second_engine(folder):
    gc.collect()
    before = threads()
    loader = made(training(folder))
    kept = []
    for _ in range(4):
        for batch in loader:
            kept.append(batch[0].clone() if kept else batch[0])
            break
    del batch
    assert len(loader._iterators._engines.opened) == 1, "an iterator that was let go of gives its engine back"
    value = kept[0].clone()
    del loader
    gc.collect()
    assert threads() <= before and torch.equal(kept[0], value), "a batch outlives its loader"


def test_pinning(folder, monkeypatch):
    from torch.utils.data import _utils

    iterator = iter(made(evaluation(folder)))
    iterator._pin_memory = True
    monkeypatch.setattr(_utils.pin_memory, "pin_memory", lambda data, device: ("pinned", data))
    assert next(iterator)[0] == "pinned"


def test_after_a_fork_each_goes_on(folder):
    loader = made(evaluation(folder))
    expected = list(loader)
    iterator = iter(loader)
    first = next(iterator)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            loader.stats()
            status = 0 if same(loader, expected) and same([first, *iterator], expected) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert same([first, *iterator], expected)


def test_the_interpreter_ends(folder):
    program = ("import os, sys\nfrom test_torch_native import made, training\n"
               "loader = made(training(%r))\niterator = iter(loader)\nbatch = next(iterator)\n"
               "child = os.fork()\nsys.exit(3 + (child and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))" % str(folder))
    path = os.pathsep.join([str(HERE.parents[2] / "python"), str(HERE.parent), str(HERE.parents[1])])
    done = subprocess.run([sys.executable, "-c", program], env=dict(os.environ, PYTHONPATH=path), capture_output=True, text=True, timeout=60)
    assert done.returncode == 6 and done.stderr == "", done.stderr
