"""What has no native form keeps its own loader, and the refusal names it."""

import json


import pytest
import torch
from pictures import native, refusal, torchvision, write
from torch.utils.data import DataLoader, Dataset, IterableDataset


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"), count=6)


def chain(tv, *before):
    return tv.transforms.Compose([*before, tv.transforms.Resize((8, 8)), tv.transforms.ToTensor()])


def loader(tv, folder, transform=None, **arguments):
    dataset = tv.datasets.ImageFolder(folder, chain(tv) if transform is None else transform)
    return DataLoader(dataset, **{"batch_size": 2, **arguments})


def brighter(picture):
    return picture


class Own(torch.nn.Module):
    def forward(self, picture):
        return picture


def transforms(T, V):
    """Each with a part of what is said of it."""
    size, tensor = T.Resize((8, 8)), T.ToTensor()
    mode = T.InterpolationMode
    return [
        ([T.ElasticTransform(), size, tensor], "torchvision.transforms.ElasticTransform has no native form"),
        ([V.ElasticTransform(), size, tensor], "torchvision.transforms.v2.ElasticTransform has no native form"),
        ([size, tensor, T.RandomRotation(3)], "RandomRotation of a tensor of floats"),
        ([size, T.RandomRotation(3, fill=300), tensor], "RandomRotation with fill 300"),
        ([size, V.RandomRotation(3, fill={torch.Tensor: 3}), tensor], "RandomRotation with a fill by type"),
        ([size, T.RandomRotation(3, mode.LANCZOS), tensor], "RandomRotation with interpolation lanczos"),
        ([T.RandomRotation(3, expand=True), tensor], "different sizes"),
        ([size, T.RandAugment(interpolation=mode.LANCZOS), tensor], "RandAugment with interpolation lanczos"),
        ([size, tensor, T.RandAugment()], "RandAugment of a tensor of floats"),
        ([size, T.RandAugment(magnitude=31), tensor], "the magnitude is 31; it must be 0 to 30"),
        ([size, T.RandomPosterize(0), tensor], "RandomPosterize with 0 bits"),
        ([size, T.PILToTensor(), T.GaussianBlur(3)], "GaussianBlur of a tensor of bytes"),
        ([size, T.AugMix(), tensor], "AugMix has no native form"),
        ([T.RandomApply([size]), tensor], "different sizes"),
        ([T.RandomApply([size, tensor])], "a random choice of what makes tensors"),
        ([size, T.RandomApply([brighter]), tensor], "test_engine_refused.brighter has no native form"),
        ([size, T.RandomOrder([T.AugMix()]), tensor], "AugMix has no native form"),
        ([size, tensor, T.RandomApply([T.ColorJitter(0.3)])], "ColorJitter of a tensor of floats"),
        ([size, tensor, T.RandomErasing(), T.RandomApply([])], "RandomApply after RandomErasing"),
        ([size, tensor, T.RandomChoice([T.RandomErasing()])], "a random choice of what makes tensors"),
        ([size, T.RandomChoice([T.Grayscale(3)], p=[1, 2]), tensor], "RandomChoice with 2 probabilities for 1 transforms"),
        ([T.Lambda(brighter), size, tensor], "torchvision.transforms.Lambda"),
        ([brighter, size, tensor], "test_engine_refused.brighter has no native form"),
        ([lambda picture: picture, size, tensor], "<lambda> has no native form"),
        ([Own(), size, tensor], "test_engine_refused.Own has no native form"),
        ([type("Resize", (T.Resize,), {})((8, 8)), tensor], "Resize has no native form"),
        ([size], "do not end with a tensor"),
        ([T.Resize((8, 8), interpolation=mode.NEAREST), tensor], "Resize with interpolation nearest"),
        ([T.Resize(8, max_size=20), T.CenterCrop(8), tensor], "Resize with max_size"),
        ([T.Resize(8), tensor], "different sizes"),
        ([tensor, size], "Resize of a tensor of floats"),
        ([V.PILToTensor(), V.Resize((8, 8), antialias=False)], "Resize of a tensor of bytes"),
        ([V.PILToTensor(), V.Resize((8, 8), interpolation=mode.BICUBIC)], "Resize of a tensor of bytes"),
        ([size, tensor, T.ColorJitter(0.3)], "ColorJitter of a tensor of floats"),
        ([size, tensor, T.Normalize([0.5], [0.5]), T.CenterCrop(8)], "CenterCrop of a tensor of floats"),
        ([size, T.Grayscale(1), tensor], "Grayscale with 1 channel"),
        ([T.RandomCrop(8, padding=2, fill=7), tensor], "RandomCrop with fill 7"),
        ([T.RandomCrop(8, padding=2, padding_mode="reflect"), tensor], "RandomCrop with padding_mode reflect"),
        ([T.RandomCrop(8, padding=(1, 2)), tensor], "RandomCrop with different padding"),
        ([size, tensor, T.ConvertImageDtype(torch.float16)], "ConvertImageDtype to torch.float16"),
        ([size, tensor, *[T.Normalize([0.5], [0.5])] * 2], "Normalize at this place"),
        ([size, T.PILToTensor(), T.RandomErasing(), T.ConvertImageDtype(torch.float32)], "ConvertImageDtype at this place"),
        ([size, tensor, T.RandomErasing(value="random"), T.Normalize([0.5], [0.5])], "RandomErasing with random values"),
    ]


def test_transforms(knobs, folder):
    tv = torchvision()
    for parts, said in transforms(tv.transforms, tv.transforms.v2):
        reason = refusal(knobs, torch, loader(tv, folder, tv.transforms.Compose(parts)))
        assert reason is not None and said in reason, (parts, reason)
        assert "\n" not in reason
    assert refusal(knobs, torch, loader(tv, folder)) is None, "what is around them has one"


def test_a_default_type_that_is_not_float32(knobs, folder):
    tv = torchvision()
    torch.set_default_dtype(torch.float64)
    try:
        assert "ToTensor to torch.float64" in refusal(knobs, torch, loader(tv, folder))
    finally:
        torch.set_default_dtype(torch.float32)


def test_datasets(knobs, folder, tmp_path):
    tv = torchvision()

    class Reads(tv.datasets.ImageFolder):
        def __getitem__(self, index):
            return super().__getitem__(index)

    class Finds(tv.datasets.ImageFolder):
        def find_classes(self, directory):
            return ["a", "b"], {"a": 7, "b": 2}

    class Names(tv.datasets.ImageFolder):
        def find_classes(self, directory):
            return ["a", "b"], {"a": "one", "b": "two"}

    def of(dataset):
        return refusal(knobs, torch, DataLoader(dataset, batch_size=2))

    transform = chain(tv)
    assert "Reads has __getitem__() of its own" in of(Reads(folder, transform))
    assert "is no whole number" in of(Names(folder, transform))
    assert "target_transform has no native form" in of(tv.datasets.ImageFolder(folder, transform, target_transform=int))
    assert "the dataset's loader, brighter" in of(tv.datasets.ImageFolder(folder, transform, loader=brighter))
    assert "no transform at all" in of(tv.datasets.ImageFolder(folder))
    assert "torch.utils.data.dataset.TensorDataset has no native form" in of(torch.utils.data.TensorDataset(torch.zeros(3)))
    labels = [label for _, batch in native(knobs, torch, DataLoader(Finds(folder, transform), batch_size=6)) for label in batch.tolist()]
    assert labels == [7, 7, 7, 2, 2, 2], "a subclass that only finds its samples otherwise"
    from PIL import Image

    other = write(tmp_path / "other", count=4)
    Image.new("RGB", (9, 9)).save(other / "a/zz.bmp")
    assert "zz.bmp is no JPEG, PNG or WebP file by its name" in of(tv.datasets.ImageFolder(other, transform))


def test_arguments_of_the_loader(knobs, folder):
    tv = torchvision()

    class Stream(IterableDataset):
        def __iter__(self):
            return iter(())

    for arguments, said in (
        ({"collate_fn": brighter}, "brighter, which makes its batches"),
        ({"worker_init_fn": brighter, "num_workers": 1}, "worker_init_fn would not run"),
        ({"batch_size": None}, "batch_size=None"),
        ({"batch_size": 1, "batch_sampler": [[0, 1], [2]]}, "the batch sampler list does not say how large"),
    ):
        assert said in refusal(knobs, torch, loader(tv, folder, **arguments))
    assert "iterable" in refusal(knobs, torch, DataLoader(Stream()))

    class Iterates(DataLoader):
        def _get_iterator(self):
            return super()._get_iterator()

    dataset = loader(tv, folder).dataset
    assert "Iterates makes its iterators itself" in refusal(knobs, torch, Iterates(dataset))
    Iterates.__module__ = "flatout.torch.loader"
    assert "takes it as its argument engine" in refusal(knobs, torch, Iterates(dataset))


class HuggingFaces:
    """What looks like a datasets.Dataset with pictures and is none (test_engine_hf.py has real ones)."""

    def __init__(self, kind, transform=None, column="Image"):
        class Feature:
            _type = column

        Dataset = type(kind, (), {"__module__": "datasets.arrow_dataset", "__len__": lambda self: 3, "__getitem__": lambda self, at: {}})
        self.dataset = Dataset()
        self.dataset.features = {"image": Feature()}
        self.dataset._format_kwargs = {} if transform is None else {"transform": transform}


def test_datasets_of_hugging_face(knobs):
    for dataset, said in (
        (HuggingFaces("Dataset", brighter).dataset, "datasets.Dataset has no native form"),
        (HuggingFaces("Dataset", column="Value").dataset, "datasets.arrow_dataset.Dataset has no native form"),
    ):
        assert refusal(knobs, torch, DataLoader(dataset)) == said


def test_without_the_library_it_is_refused(knobs, folder, monkeypatch):
    import importlib

    tv = torchvision()
    module = importlib.import_module("_flatout_hooks.native_form.library")
    monkeypatch.setattr(module, "_loaded", [])
    monkeypatch.setenv("FLATOUT_DATA_LIBRARY", "/nowhere/lib.so")
    assert "is not installed; name it in FLATOUT_DATA_LIBRARY" in refusal(knobs, torch, loader(tv, folder))
    monkeypatch.setenv("FLATOUT_DATA_LIBRARY", __file__)
    assert "cannot be loaded" in refusal(knobs, torch, loader(tv, folder))


class Native:
    def __init__(self):
        self.facts = []

    def fact(self, _key, text):
        self.facts.append(json.loads(text))

    def loader_fed_training(self, _number):
        return None


class Numbers(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


def test_the_value_is_one_of_a_few_and_the_words_are_those_of_other_knobs(knobs):
    for value, said in (("fast", 'must be "torch" or "native"'), (3, "must be"), ("native", "Numbers has no native form")):
        native = Native()
        plan = knobs.Knobs(native, torch, json.dumps({"dataloader.engine": value}))
        plan.words.installed()
        plan.words.opened()
        plan.loaders.before_iterator(DataLoader(Numbers()), None)
        (word,) = native.facts
        assert not word["applied"] and said in word["reason"] and word["value"] == value
    assert word["from"] == "torch"
