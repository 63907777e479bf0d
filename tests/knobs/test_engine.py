"""dataloader.engine = "native" in an unmodified program on real torchvision, and what its iterator promises."""

import gc
import os
import shutil

import pytest
import torch
from pictures import native, torchvision, write
from planned import PROGRAMS, Outcome
from hooked import run
from PIL import Image
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, Subset

ENGINE = "dataloader.engine"
NATIVE = {ENGINE: "native"}
TORCHS = "_SingleProcessDataLoaderIter"
OURS = "NativeDataLoaderIter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"), count=18)


def train(rings, folder, plan=None, **choices):
    import json

    torchvision()
    rings.mkdir(exist_ok=True)
    extra = {} if plan is None else {"FLATOUT_PLAN": json.dumps(plan)}
    return Outcome(*run(PROGRAMS / "train_pictures.py", json.dumps({"folder": str(folder), **choices}), rings=rings, **extra))


def test_what_draws_nothing_trains_the_same_bit_by_bit(tmp_path, folder):
    plain = train(tmp_path / "plain", folder, chain="evaluation", evaluate=True)
    seen = train(tmp_path / "native", folder, NATIVE, chain="evaluation", evaluate=True)
    assert seen.words == [{"knob": ENGINE, "value": "native", "from": "torch", "applied": True}]
    assert plain.saw["iterators"] == 2 * [TORCHS] and seen.saw["iterators"] == 2 * [OURS]
    assert seen.saw["evaluated"] == 2 * [TORCHS], "what evaluates keeps its own"
    for same in ("losses", "labels", "random", "loader", "modules"):
        assert seen.saw[same] == plain.saw[same], same
    assert seen.stderr == "" and not seen.ring.fact("problem")
    (before,), (after,) = (one.ring.fact("loader")[:1] for one in (plain, seen))
    assert before["native_refusal"] == "" and "engine" not in before
    assert after["engine"] == "native" and "native_refusal" not in after and after["workers"] == 0


def test_augmentation_is_the_same_for_the_same_seed_alone(tmp_path, folder):
    plain = train(tmp_path / "plain", folder, loader={"num_workers": 2})
    once, again = (train(tmp_path / name, folder, NATIVE, loader={"num_workers": 2}) for name in "ab")
    other = train(tmp_path / "c", folder, NATIVE, seed=4)
    assert once.saw == again.saw and once.workers == [0, 0], "no worker is started"
    for same in ("labels", "random", "loader"):
        assert once.saw[same] == plain.saw[same], same
    assert once.saw["losses"] != plain.saw["losses"] and once.saw["losses"] != other.saw["losses"]
    assert once.saw["losses"][:5] != once.saw["losses"][5:], "another epoch, another random stream"


def test_workers_that_persist_and_a_file_that_only_pillow_reads(tmp_path, folder):
    mixed = tmp_path / "set"
    shutil.copytree(folder, mixed)
    Image.effect_noise((40, 30), 60).save(mixed / "a/08.jpg", format="GIF")
    persistent = {"num_workers": 1, "persistent_workers": True}
    plain = train(tmp_path / "plain", mixed, loader=persistent, chain="evaluation", epochs=3)
    seen = train(tmp_path / "native", mixed, NATIVE, loader=persistent, chain="evaluation", epochs=3)
    assert seen.saw["iterators"] == 3 * [OURS]
    assert [seen.saw[name] for name in ("losses", "random")] == [plain.saw[name] for name in ("losses", "random")]
    facts = seen.ring.fact("loader")
    counts = list(dict.fromkeys(fact["fetched_batches"] for fact in facts))  # it is repeated once the length is known
    assert counts == [0, 1, 2, 3], "one an epoch; the third is said at its end"
    assert "fetched_reason" not in facts[0] and str(mixed / "a/08.jpg") in facts[-1]["fetched_reason"]
    assert "fetched_batches" not in plain.ring.fact("loader")[0], "not counted is not 0"


def test_refused_it_trains_as_ever_and_says_why(tmp_path, folder):
    plain = train(tmp_path / "plain", folder, chain="elastic")
    seen = train(tmp_path / "planned", folder, NATIVE, chain="elastic")
    assert seen.saw == plain.saw and seen.saw["iterators"] == 2 * [TORCHS]
    reason = "torchvision.transforms.ElasticTransform has no native form"
    assert seen.words == [{"knob": ENGINE, "value": "native", "from": "torch", "applied": False, "reason": reason}]
    assert plain.ring.fact("loader")[0]["native_refusal"] == reason


# The iterator, in this process.


def evaluation(tv, folder, **arguments):
    T = tv.transforms
    dataset = tv.datasets.ImageFolder(folder, T.Compose([T.Resize((8, 9)), T.PILToTensor()]))
    return DataLoader(dataset, **{"batch_size": 4, **arguments})


def same(some, others):
    some, others = list(some), list(others)
    return len(some) == len(others) and all(
        torch.equal(a, c) and torch.equal(b, d) for (a, b), (c, d) in zip(some, others)
    )


def test_any_sampler_in_its_own_order_and_any_part_of_the_set(knobs, folder):
    tv = torchvision()
    whole = evaluation(tv, folder).dataset
    part = Subset(Subset(whole, [7, 3, 11, 2, 2, 17]), [5, 1, 0, -2])
    for dataset, arguments in (
        (whole, {"drop_last": True}),
        (whole, {"sampler": [3, -1, 3, 0, 17]}),
        (whole, {"sampler": torch.tensor([5, 4])}),
        (whole, {"sampler": DistributedSampler(whole, num_replicas=3, rank=1, seed=5)}),
        (part, {}),
        (whole, {"batch_size": 30}),
    ):
        loader = DataLoader(dataset, **{"batch_size": 4, **arguments})
        assert same(loader, native(knobs, torch, loader)), arguments
    for make in (lambda: {"shuffle": True}, lambda: {"sampler": RandomSampler(whole, replacement=True, num_samples=9)},
                 lambda: {"shuffle": True, "generator": torch.Generator().manual_seed(4)}):  # fmt: skip
        batches, states = [], []
        for by_engine in (False, True):
            torch.manual_seed(9)
            loader = DataLoader(whole, batch_size=5, **make())
            batches.append(list(native(knobs, torch, loader) if by_engine else loader))
            states.append(torch.get_rng_state())
            states.append(loader.generator.get_state() if loader.generator else states[-1])
        assert same(*batches) and torch.equal(states[0], states[2]) and torch.equal(states[1], states[3])


def test_an_early_break_leaves_generators_as_torch_does(knobs, folder):
    tv = torchvision()
    states = []
    for by_engine in (False, True):
        torch.manual_seed(9)
        loader = evaluation(tv, folder, shuffle=True)
        batches = iter(native(knobs, torch, loader) if by_engine else loader)
        states.append(torch.get_rng_state())
        batch = next(batches)
        states += [batch[0], batch[1], torch.get_rng_state()]
        del batches
    assert all(torch.equal(own, ours) for own, ours in zip(states[:4], states[4:]))
    assert not torch.equal(states[0], states[3]), "the sampler draws its seed with the first batch"


def test_batches_of_differing_sizes_from_a_batch_sampler_of_the_programs_own(knobs, folder):
    tv = torchvision()

    class Growing(torch.utils.data.BatchSampler):
        def __iter__(self):
            return iter([[0], [1, 2], [3, 4, 5], [6, 7, 8, 9]])

    whole = evaluation(tv, folder).dataset
    loader = DataLoader(whole, batch_sampler=Growing(whole, 3, False))
    batches = native(knobs, torch, loader)
    assert same(loader, batches), "one is larger than it says: Python makes it"
    assert batches.fetches.batches == 1 and "4" in batches.fetches.reason


def test_several_iterators_of_a_loader_live_side_by_side(knobs, folder):
    tv = torchvision()
    loader = evaluation(tv, folder)
    expected = list(loader)
    first, second = native(knobs, torch, loader), native(knobs, torch, loader)
    both = list(zip(first, second))
    assert same([one for one, _ in both], expected) and same([one for _, one in both], expected)
    kept = list(native(knobs, torch, loader))
    del first, second, loader
    gc.collect()
    assert same(kept, expected), "batches outlive their loader"


def test_what_the_program_changes_between_epochs_counts(knobs, folder):
    tv = torchvision()
    loader = evaluation(tv, folder)
    shapes = [next(native(knobs, torch, loader))[0].shape]
    loader.dataset.transform.transforms[0].size = (5, 6)
    shapes.append(next(native(knobs, torch, loader))[0].shape)
    loader.dataset.samples[1] = (loader.dataset.samples[1][0], 41)
    batch = next(native(knobs, torch, loader))
    assert [tuple(shape[2:]) for shape in shapes] == [(8, 9), (5, 6)] and batch[1].tolist()[:2] == [0, 41]


def test_files_that_only_pillow_reads_and_files_that_nobody_reads(knobs, folder, tmp_path):
    tv = torchvision()
    broken = tmp_path / "set"
    shutil.copytree(folder, broken)
    Image.effect_noise((40, 30), 60).convert("RGB").save(broken / "a/08.jpg", format="BMP")
    Image.effect_noise((40, 30), 60).convert("CMYK").save(broken / "a/10.jpg")
    loader = evaluation(tv, broken)
    state = torch.get_rng_state()
    batches = list(native(knobs, torch, loader))
    torch.set_rng_state(state)
    assert same(loader, batches)
    (broken / "a/02.jpg").write_bytes((folder / "a/02.jpg").read_bytes()[:300])
    (broken / "b/03.jpg").unlink()
    errors = {}
    for name, batches in (("torch", iter(loader)), ("native", native(knobs, torch, loader))):
        errors[name] = []
        for _ in range(5):
            try:
                next(batches)
            except OSError as error:
                errors[name].append((type(error), error.args))
                notes = getattr(error, "__notes__", [])
                assert name == "torch" or not hasattr(error, "add_note") or any("sample" in note and "jpg" in note for note in notes)
    assert errors["native"] == errors["torch"] and len(errors["torch"]) == 2


def test_a_fork_goes_on_in_its_own_way(knobs, folder):
    tv = torchvision()
    loader = evaluation(tv, folder)
    expected = list(loader)
    batches = native(knobs, torch, loader)
    first = next(batches)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            ours = native(knobs, torch, loader)  # engines of the parent are of no use here
            status = 0 if same(ours, expected) and same([first, *batches], expected) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert same([first, *batches], expected)


def test_augmented_samples_hang_on_the_seed_and_not_on_how_they_are_drawn(knobs, folder):
    tv = torchvision()
    T = tv.transforms
    dataset = tv.datasets.ImageFolder(folder, T.Compose([T.RandomResizedCrop(8), T.RandomHorizontalFlip(), T.ToTensor()]))

    def samples(order, batch_size, seed=1):
        loader = DataLoader(dataset, batch_size=batch_size, sampler=order, generator=torch.Generator().manual_seed(seed))
        pictures = torch.cat([pictures for pictures, _ in native(knobs, torch, loader)])
        return {index: picture for index, picture in zip(order, pictures)}

    some, others = samples(list(range(18)), 4), samples(list(range(17, -1, -1)), 7)
    assert all(torch.equal(some[index], others[index]) for index in range(18))
    assert not torch.equal(some[0], samples([0], 1, seed=2)[0])
    loader = DataLoader(dataset, batch_size=6, sampler=[0] * 12, generator=torch.Generator().manual_seed(1))
    drawn = torch.cat([pictures for pictures, _ in native(knobs, torch, loader)])
    assert torch.equal(drawn[0], some[0]), "the first time it is what any order gives"
    assert len(drawn.flatten(1).unique(dim=0)) == 12, "and each further time another"
