"""dataloader.engine = "native" for Hugging Face's datasets: the program's functions are followed, its Arrow files read in place."""

import functools
import importlib
import io
import sys
import types
from pathlib import Path

import pytest
import torch
from pictures import fetched, native, refusal, torchvision, write
from torch.utils.data import DataLoader, Subset, default_collate

import vision

tf = None  # the program's Compose, as scripts have it
names = types.SimpleNamespace(image="image", label="label")


@pytest.fixture(scope="module")
def hf():
    global tf
    T = torchvision().transforms
    tf = T.Compose([T.Resize((8, 9)), T.ToTensor(), T.Normalize([0.5] * 3, [0.2] * 3)])
    return fetched(vision.load_datasets, "Hugging Face's datasets", "hf_datasets")


def turned(orientation=0, xmp=0):
    """A PNG and a JPEG file that an EXIF tag, or an XMP packet, turns."""
    from PIL import Image

    picture = Image.effect_noise((30, 20), 90).convert("RGB")
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    for form in ("PNG", "JPEG"):
        out = io.BytesIO()
        packet = {"xmp": b'<x tiff:Orientation="%d"/>' % xmp} if xmp and form == "JPEG" else {}
        picture.save(out, form, exif=exif, **packet)
        yield out.getvalue()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    files = sorted(write(tmp_path_factory.mktemp("pictures"), count=12).glob("*/*.jpg"))
    return [file.read_bytes() for file in files] + list(turned(6)) + list(turned(8, xmp=3)) + list(turned(xmp=1))


@pytest.fixture(scope="module")
def plain(hf, pictures, tmp_path_factory):
    """Memory-mapped, of two files, several chunks; a column of text beside."""
    features = hf.Features({"image": hf.Image(), "label": hf.ClassLabel(num_classes=40), "name": hf.Value("string")})
    parts = []
    for number, held in enumerate((pictures[:10], pictures[10:])):
        rows = {"image": [{"bytes": one, "path": None} for one in held], "name": ["x"] * len(held)}
        rows["label"] = [20 * number + place for place in range(len(held))]
        folder = str(tmp_path_factory.mktemp("arrow"))
        hf.Dataset.from_dict(rows, features=features).save_to_disk(folder, num_shards=2)
        parts.append(hf.load_from_disk(folder))
    return hf.concatenate_datasets(parts)


def usual(examples):
    """As the tutorials have it."""
    examples["pixel_values"] = [tf(img.convert("RGB")) for img in examples["image"]]
    del examples["image"], examples["name"]
    return examples


def example_script(batch):
    batch["pixel_values"] = [tf(pil_img.convert("RGB")) for pil_img in batch[names.image]]
    return batch


def one_by_one(picture, transform=None):
    return transform(picture.convert("RGB"))


def in_steps(batch, transform):
    pictures, labels = batch.pop("image"), batch["label"]
    made = [one_by_one(picture, transform=transform) for picture in pictures]
    return {"x": made, "y": labels}


def collate_fn(examples):
    pixel_values = torch.stack([example["pixel_values"] for example in examples])
    labels = torch.tensor([example[names.label] for example in examples])
    return {"pixel_values": pixel_values, "labels": labels}


def collate_and_transform(rows):
    labels = torch.tensor([row["label"] for row in rows], dtype=torch.long)
    return torch.stack([tf(row["image"].convert("RGB")) for row in rows], dim=0), labels


def same(some, others):
    some, others = list(some), list(others)
    assert len(some) == len(others) > 0
    for one, other in zip(some, others):
        assert type(one) is type(other)
        if isinstance(one, dict):
            assert list(one) == list(other)
            one, other = one.values(), other.values()
        for a, b in zip(one, other, strict=True):
            assert a.dtype == b.dtype and torch.equal(a, b)
    return True


def checked(knobs, loader, fetched=0):
    torch.manual_seed(5)
    expected = list(loader)
    torch.manual_seed(5)
    by_engine = native(knobs, torch, loader)
    assert same(expected, by_engine)
    assert by_engine.fetches.batches == fetched, by_engine.fetches.reason


def test_the_same_batches_bit_for_bit(knobs, hf, plain):
    from transformers import DefaultDataCollator
    from transformers.trainer_utils import seed_worker

    class Program:
        def __init__(self):
            self.transform = tf

        def apply(self, batch):
            return {"x": [self.transform(one.convert("RGB")) for one in batch["image"]]}

    seeds = functools.partial(seed_worker, num_workers=0, rank=0)
    for dataset, arguments in (
        (plain.with_transform(usual), {}),
        (plain.with_transform(usual), {"shuffle": True, "drop_last": True, "worker_init_fn": seeds}),
        (plain.with_transform(example_script), {"collate_fn": collate_fn}),
        (plain.with_transform(usual), {"collate_fn": DefaultDataCollator()}),
        (plain.with_transform(functools.partial(in_steps, transform=tf)), {}),
        (plain.with_transform(lambda batch: {"x": [tf(one.convert("RGB")) for one in batch["image"]], "label": batch["label"]}), {}),
        (plain.with_transform(Program().apply), {}),
        (plain, {"collate_fn": collate_and_transform}),
        (plain.remove_columns("name").cast_column("image", hf.Image(mode="RGB")), {"collate_fn": collate_and_transform}),
        (plain.shuffle(seed=3).with_transform(usual), {}),
        (plain.select([11, 3, 3, 15]).with_transform(usual), {}),
        (plain.select(range(7, 13)).with_transform(usual), {"shuffle": True}),
        (Subset(plain.with_transform(usual), [5, 12, 1]), {}),
    ):
        checked(knobs, DataLoader(dataset, **{"batch_size": 5, **arguments}))


def as_stored(self, value, token_per_repo_id=None):
    """As versions of datasets do that know nothing of exif_transpose."""
    from PIL import Image

    return Image.open(io.BytesIO(value["bytes"]))


def test_other_versions_and_file_systems(knobs, hf, plain, monkeypatch):
    """A version that leaves pictures as they are stored; a file with another number above than below."""
    arrow = importlib.import_module("_flatout_hooks.native_form.arrow_places")
    own = arrow._Mappings._add
    monkeypatch.setattr(arrow._Mappings, "_add", lambda self, words: own(self, words[:4] + [b"1"] + words[5:]))
    monkeypatch.setattr(hf.Image, "decode_example", as_stored)
    unchanged = importlib.import_module("_flatout_hooks.native_form.unchanged")
    monkeypatch.setattr(unchanged.Unchanged, "parts", lambda self, *groups: None)  # it would be taken for the program's change
    checked(knobs, DataLoader(plain.with_transform(usual), batch_size=9))


def test_pictures_that_are_files(knobs, hf, tmp_path):
    files = sorted(map(str, write(tmp_path / "pictures", count=5).glob("*/*.jpg")))
    hf.Dataset.from_dict({"image": files, "label": list(range(5))}).cast_column("image", hf.Image()).save_to_disk(str(tmp_path / "set"))
    checked(knobs, DataLoader(hf.load_from_disk(str(tmp_path / "set")).with_transform(usual_of_two), batch_size=2))


def usual_of_two(examples):
    examples["pixel_values"] = [tf(img.convert("RGB")) for img in examples["image"]]
    examples.pop("image")
    return examples


def test_what_the_engine_cannot_make_is_made_by_the_program(knobs, hf, pictures, tmp_path):
    """Pictures that XMP turns, that are of another format, or not there."""
    from PIL import Image

    gif = io.BytesIO()
    Image.effect_noise((30, 20), 50).save(gif, "GIF")
    held = [pictures[0], list(turned(xmp=6))[1], pictures[1], gif.getvalue(), pictures[2]]
    rows = {"image": [{"bytes": one, "path": None} for one in held] + [None], "label": list(range(6))}
    hf.Dataset.from_dict(rows, features=hf.Features({"image": hf.Image(), "label": hf.Value("int32")})).save_to_disk(str(tmp_path))
    dataset = hf.load_from_disk(str(tmp_path)).with_transform(usual_of_two)
    checked(knobs, DataLoader(dataset.select([0, 1, 2, 3, 4]), batch_size=1), fetched=2)
    with pytest.raises(AttributeError, match="convert"):
        list(native(knobs, torch, DataLoader(dataset, batch_size=6)))


def test_a_random_flip_is_the_same_share_and_the_picture_or_its_mirror(knobs, hf, plain):
    T = torchvision().transforms
    chain = T.Compose([T.Resize((8, 9)), T.RandomHorizontalFlip(), T.ToTensor()])
    dataset = plain.with_transform(functools.partial(in_steps, transform=chain))
    still = plain.with_transform(functools.partial(in_steps, transform=T.Compose([chain.transforms[0], chain.transforms[2]])))
    (before,) = DataLoader(still, batch_size=len(plain))
    made = [batch["x"] for _ in range(8) for batch in native(knobs, torch, DataLoader(dataset, batch_size=len(plain)))]
    flipped = torch.stack([(one != before["x"]).flatten(1).any(1) for one in made])
    assert 0.3 < flipped.float().mean() < 0.7
    for one, turned_over in zip(made, flipped):
        assert torch.equal(one, torch.where(turned_over[:, None, None, None], before["x"].flip(3), before["x"]))


def own(batch):
    batch["x"] = [tf(one.convert("RGB")) + 1 for one in batch["image"]]
    return batch


def conditional(batch):
    batch["x"] = [tf(one.convert("RGB")) for one in batch["image"] if one]
    return batch


def grey(batch):
    return {"x": [tf(one.convert("L")) for one in batch["image"]]}


def as_they_are(batch):
    return {"x": [tf(one) for one in batch["image"]]}


def two_views(batch):
    return {"x": [tf(one.convert("RGB")) for one in batch["image"]], "y": [tf(one.convert("RGB")) for one in batch["image"]]}


def with_a_counter(batch):
    print("seen")
    return usual(batch)


def of_a_processor(batch):
    return {"x": [Processor()(one.convert("RGB")) for one in batch["image"]]}


class Processor:
    def __call__(self, picture):
        return picture


processor = Processor()


def by_a_processor(batch):
    return {"x": [processor(one.convert("RGB")) for one in batch["image"]]}


def test_what_has_no_native_form_is_named(knobs, hf, plain, pictures, tmp_path):
    def of(dataset, **arguments):
        return refusal(knobs, torch, DataLoader(dataset, batch_size=2, **arguments)) or "none"

    for function, said in (
        (own, "own, given to set_transform(), has no native form: own, line %d" % (own.__code__.co_firstlineno + 1)),
        (conditional, "conditional, line"),
        (grey, "grey, line"),
        (as_they_are, 'not made RGB, by convert("RGB")'),
        (two_views, "a batch of 2 pictures"),
        (with_a_counter, "print has no native form"),
        (of_a_processor, "Processor has no native form"),
        (by_a_processor, "Processor has no native form"),
        (usual_of_two, "column name, which is no whole number"),
        (example_script, "default_collate of a picture"),
        (eval("lambda batch: batch"), "whose code is not what stands in <string>"),
        (torch.no_grad()(usual), "has no native form"),
        (processor, "Processor, given to set_transform()"),
    ):
        assert said in of(plain.with_transform(function)), (said, of(plain.with_transform(function)))
    consts = tuple("label" if one == "image" else one for one in usual.__code__.co_consts)
    changed = types.FunctionType(usual.__code__.replace(co_consts=consts), globals())
    assert "whose code is not what stands in" in of(plain.with_transform(changed))
    assert "default_collate of a picture" in of(plain)
    assert "the format torch" in of(plain.with_format("torch"))
    assert "do not end with a tensor" in of(plain.with_transform(functools.partial(in_steps, transform=tf.transforms[0])))
    ready = plain.with_transform(usual)
    assert "the dataset is an iterable one" in of(plain.to_iterable_dataset())
    assert "<lambda>, which makes its batches" in of(ready, collate_fn=lambda rows: rows)
    assert "worker_init_fn would not run" in of(ready, worker_init_fn=print)
    held = hf.Dataset.from_dict({"image": [{"bytes": pictures[0], "path": None}], "label": [0]}, features=hf.Features(
        {"image": hf.Image(), "label": hf.Value("int64")}))  # fmt: skip
    assert "lie in memory" in of(held.with_transform(usual_of_two))
    held.save_to_disk(str(tmp_path / "set"))
    gone = hf.load_from_disk(str(tmp_path / "set")).with_transform(usual_of_two)
    assert of(gone) == "none"
    (file,) = (tmp_path / "set").glob("*.arrow")
    content = file.read_bytes()
    file.unlink()
    assert "is not the file any more" in of(gone)
    file.write_bytes(content.replace(pictures[0][:32], b"x" * 32))
    assert "is not the file any more" in of(gone)


def test_the_loader_of_flatout_torch(hf, plain, pictures, tmp_path):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    from flatout.torch import DataLoader as Own

    loader = Own(plain.with_transform(usual), batch_size=4, engine="native", shuffle=True, generator=torch.Generator().manual_seed(1))
    expected = DataLoader(plain.with_transform(usual), batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(1))
    assert same(expected, loader) and loader.stats()["engine"] == "native"
    batches = iter(loader)
    next(batches)
    state = loader.state_dict()
    rest = list(batches)
    loader.load_state_dict(state)
    assert same(rest, loader)
    rows = {"image": [{"bytes": one, "path": None} for one in (pictures[0], b"no picture", pictures[1])], "label": [0, 1, 2]}
    hf.Dataset.from_dict(rows, features=hf.Features({"image": hf.Image(), "label": hf.Value("int64")})).save_to_disk(str(tmp_path))
    bad = Own(hf.load_from_disk(str(tmp_path)).with_transform(usual_of_two), batch_size=3, engine="native", on_bad_sample="skip")
    (batch,) = bad
    assert batch["label"].tolist() == [0, 2] and bad.stats()["bad_samples"] == 1


def mixes(T):
    return (("MixUp", T.MixUp(num_classes=40)), ("CutMix", T.CutMix(num_classes=40, alpha=0.7)),
            ("RandomChoice", T.RandomChoice([T.CutMix(num_classes=40), T.MixUp(num_classes=40)])))  # fmt: skip


def test_batches_mixed_by_the_collate_function(knobs, hf, plain, tmp_path):
    """As torchvision's page on MixUp shows it: of pictures and labels the same share comes from the sample before."""
    tv = torchvision()
    folder = Subset(tv.datasets.ImageFolder(write(tmp_path, count=12), tf), [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11])
    for name, mix in mixes(tv.transforms.v2):
        def collate(batch):
            return mix(*default_collate(batch))

        def collate_rows(rows):
            pictures = torch.stack([row["pixel_values"] for row in rows])
            pictures, labels = mix(pictures, torch.tensor([row["label"] for row in rows]))
            return {"pixel_values": pictures, "labels": labels}

        for dataset, function in ((folder, collate), (plain.with_transform(in_order), collate_rows)):
            still = [default_collate([tuple(row.values()) if type(row) is dict else row for row in rows])
                     for rows in DataLoader(dataset, batch_size=6, collate_fn=list)]  # fmt: skip
            shares = []
            expected = next(iter(DataLoader(dataset, batch_size=6, collate_fn=function)))
            by_engine = native(knobs, torch, DataLoader(dataset, batch_size=6, collate_fn=function))
            for batch, (pictures, labels) in zip(by_engine, still, strict=True):
                assert type(batch) is type(expected)
                mixed, targets = batch.values() if function is collate_rows else batch
                assert targets.dtype == torch.float32 and targets.shape == (len(labels), 40)
                shares.append(one_share(name, mixed, targets, pictures, labels))
            assert len(set(shares)) > 1


def in_order(batch):
    return {"pixel_values": [tf(one.convert("RGB")) for one in batch["image"]], "label": batch["label"]}


def one_share(name, mixed, targets, pictures, labels):
    """That of a sample's own label; asserts that its pixels have it too."""
    other, others = pictures.roll(1, 0), labels.roll(1)
    distinct = [place for place in range(len(labels)) if labels[place] != others[place]]
    own = targets[distinct[0], labels[distinct[0]]].item()
    expected = torch.nn.functional.one_hot(labels, 40) * own + torch.nn.functional.one_hot(others, 40) * (1 - own)
    assert torch.allclose(targets, expected.float(), atol=1e-6)
    by_mixup = torch.allclose(mixed, pictures * own + other * (1 - own), atol=1e-4)
    from_other = (mixed == other) & (mixed != pictures)
    by_cutmix = bool(((mixed == other) | (mixed == pictures)).all()) and from_other.float().mean() <= 1 - own + 1e-6
    assert {"MixUp": by_mixup, "CutMix": by_cutmix, "RandomChoice": by_mixup or by_cutmix}[name]
    return own


def test_what_mixes_otherwise_is_named(knobs, tmp_path):
    tv = torchvision()
    T = tv.transforms.v2
    chain = T.Compose([T.Resize((8, 9)), T.PILToTensor()])
    folder = tv.datasets.ImageFolder(write(tmp_path, count=2), tv.transforms.Compose([T.Resize((8, 9)), tv.transforms.ToTensor()]))
    for mix, said in (
        (T.MixUp(num_classes=None), "MixUp without one number of classes"),
        (T.MixUp(num_classes=2, labels_getter=lambda pair: pair[1]), "MixUp with a labels_getter"),
        (T.RandomChoice([T.MixUp(num_classes=2), T.CutMix(num_classes=2)], p=[0.3, 0.7]), "RandomChoice with different probabilities"),
        (T.RandomChoice([T.MixUp(num_classes=2), T.Identity()]), "RandomChoice of Identity"),
        (T.RandomErasing(), "RandomErasing has no native form"),
    ):
        def collate(batch):
            return mix(*default_collate(batch))

        assert said in refusal(knobs, torch, DataLoader(folder, batch_size=2, collate_fn=collate)), said
    mix = T.MixUp(num_classes=2)
    folder.transform = chain
    assert "mixup of uint8" in refusal(knobs, torch, DataLoader(folder, batch_size=2, collate_fn=lambda rows: mix(*default_collate(rows))))
