"""dataloader.engine = "native" for torchvision's own sets of files, datasets that are joined, and samplers of all kinds."""

import json
import sys

import pytest
import torch
from pictures import native, refusal, torchvision, write
from torch.utils.data import BatchSampler, ConcatDataset, DataLoader, DistributedSampler, RandomSampler, Subset, WeightedRandomSampler


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"))


def chain(tv, size=30):
    return tv.transforms.Compose([tv.transforms.Resize((size, size)), tv.transforms.ToTensor()])


def same(knobs, loader):
    """Each epoch draws the same order, since the generator is seeded."""
    epochs = []
    for batches in (lambda: loader, lambda: native(knobs, torch, loader)):
        torch.manual_seed(4)
        epochs.append([(labels.tolist(), pictures) for pictures, labels in batches()])
    expected, got = epochs
    assert [labels for labels, _ in got] == [labels for labels, _ in expected] and len(got) > 1
    assert all(torch.equal(ours[1], theirs[1]) for ours, theirs in zip(got, expected))
    by_engine = native(knobs, torch, loader)
    list(by_engine)
    assert by_engine.fetches.batches == 0, by_engine.fetches.reason


def food(tv, root, pictures):
    """As the archive of Food101 lies on disk."""
    (root / "food-101/meta").mkdir(parents=True)
    (root / "food-101/images").mkdir()
    kinds = {"pie": [], "soup": []}
    for number, path in enumerate(pictures):
        kind = list(kinds)[number % 2]
        (root / "food-101/images" / kind).mkdir(exist_ok=True)
        (root / "food-101/images" / kind / path.name).write_bytes(path.read_bytes())
        kinds[kind].append("%s/%s" % (kind, path.stem))
    (root / "food-101/meta/train.json").write_text(json.dumps(kinds))
    return tv.datasets.Food101(root, transform=chain(tv))


def pets(tv, root, pictures, **arguments):
    base = root / "oxford-iiit-pet"
    (base / "images").mkdir(parents=True, exist_ok=True)
    (base / "annotations").mkdir(exist_ok=True)
    lines = []
    for number, path in enumerate(pictures):
        name = "%s_%d" % (["cat", "dog"][number % 2], number)
        (base / "images" / (name + ".jpg")).write_bytes(path.read_bytes())
        lines.append("%s %d %d 1\n" % (name, number % 2 + 1, number % 2 + 1))
    (base / "annotations/trainval.txt").write_text("".join(lines))
    return tv.datasets.OxfordIIITPet(root, **arguments)


def test_sets_of_torchvision(knobs, folder, tmp_path):
    tv = torchvision()
    pictures = sorted(folder.glob("*/*.jpg"))
    same(knobs, DataLoader(food(tv, tmp_path, pictures), batch_size=5, shuffle=True))
    same(knobs, DataLoader(pets(tv, tmp_path, pictures, transform=chain(tv)), batch_size=5))

    class Reads(tv.datasets.Food101):
        def __getitem__(self, index):
            return super().__getitem__(index)

    def of(dataset):
        return refusal(knobs, torch, DataLoader(dataset, batch_size=2))

    assert "Reads has __getitem__() of its own" in of(Reads(tmp_path, transform=chain(tv)))
    assert "target_transform has no native form" in of(tv.datasets.Food101(tmp_path, transform=chain(tv), target_transform=int))
    assert "targets segmentation" in of(pets(tv, tmp_path, pictures, transform=chain(tv), target_types="segmentation"))
    assert "transforms of picture and target" in of(pets(tv, tmp_path, pictures, transforms=lambda picture, label: (picture, label)))
    renamed = tv.datasets.Food101(tmp_path, transform=chain(tv))
    del renamed._image_files
    assert "this version of torchvision is not known" in of(renamed)
    words = sys.modules["_flatout_hooks.native_form"].words
    assert words(torch, DataLoader(tv.datasets.Food101(tmp_path, transform=chain(tv)))) == {"native_refusal": ""}


def test_the_other_sets_hold_their_files_where_they_are_looked_for(knobs):
    tv = torchvision()
    module = sys.modules["_flatout_hooks.native_form.torchvision_sets"]
    for names, attributes in ((module._FILES_AND_LABELS, {"_image_files", "_labels"}), (module._SAMPLES, {"_samples"})):
        for name in names:
            reads = getattr(tv.datasets, name).__getitem__.__code__.co_names
            assert set(reads) - {"_labels"} == {"loader", "transform", "target_transform", *attributes} - {"_labels"}, name


def test_joined_datasets(knobs, folder, tmp_path):
    tv = torchvision()
    other = write(tmp_path, count=7, seed=1)
    one, two = (tv.datasets.ImageFolder(root, chain(tv)) for root in (folder, other))
    same(knobs, DataLoader(ConcatDataset([one, two]), batch_size=5, shuffle=True))
    nested = ConcatDataset([Subset(one, [3, 1, -1]), ConcatDataset([two, one]), Subset(two, [6, 0])])
    same(knobs, DataLoader(nested, batch_size=4))
    same(knobs, DataLoader(Subset(nested, [0, 2, 5, 21, 23]), batch_size=2, sampler=[-1, 0, 3, 2, -3]))
    for parts in torch.utils.data.random_split(ConcatDataset([one, two]), [14, 5], torch.Generator().manual_seed(1)):
        same(knobs, DataLoader(parts, batch_size=3))

    def of(dataset):
        return refusal(knobs, torch, DataLoader(dataset, batch_size=2))

    assert "different transforms" in of(ConcatDataset([one, tv.datasets.ImageFolder(other, chain(tv, 31))]))
    assert "TensorDataset has no native form" in of(ConcatDataset([one, torch.utils.data.TensorDataset(torch.zeros(3))]))


def test_samplers(knobs, folder):
    tv = torchvision()
    dataset = tv.datasets.ImageFolder(folder, chain(tv))

    class Sorted(BatchSampler):
        def __iter__(self):
            return iter([[0, 2, 1], [5, 5], [11]])

    for arguments in (
        {"sampler": DistributedSampler(dataset, num_replicas=2, rank=1, shuffle=True, seed=2)},
        {"sampler": WeightedRandomSampler([1.0] * 6 + [0.1] * 6, 15, generator=torch.Generator())},
        {"sampler": RandomSampler(dataset, replacement=True, num_samples=17)},
        {"batch_sampler": Sorted(RandomSampler(dataset), 3, False)},
        {"batch_sampler": BatchSampler(RandomSampler(dataset), 5, drop_last=True)},
    ):
        loader = DataLoader(dataset, **({"batch_size": 4, **arguments} if "sampler" in arguments else arguments))
        if isinstance(arguments.get("sampler"), WeightedRandomSampler):
            state = loader.sampler.generator.get_state()
            expected = [labels.tolist() for _, labels in loader]
            loader.sampler.generator.set_state(state)
            assert [labels.tolist() for _, labels in native(knobs, torch, loader)] == expected
        else:
            same(knobs, loader)
