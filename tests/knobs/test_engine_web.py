"""dataloader.engine = "native" for WebDataset pipelines: the program's own order and epochs, the engine's pictures."""

import io
import json
import tarfile

import pytest
import torch
from pictures import fetched, native, refusal, torchvision, write
from torch.utils.data import DataLoader

import vision

COUNTS = (7, 5, 1, 9)  # samples of each shard


@pytest.fixture(scope="module")
def wds():
    torchvision()
    return fetched(vision.load_webdataset, "webdataset", "webdataset")


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    pictures = sorted(write(folder / "pictures", count=6).glob("*/*.jpg"))
    number = 0
    for shard, count in enumerate(COUNTS):
        with tarfile.open(folder / ("%d.tar" % shard), "w") as tar:
            add(tar, "__meta__", b"{}")
            for _ in range(count):
                add(tar, "x/%03d.cls" % number, b"%d\n" % number)
                add(tar, "x/%03d.JPG" % number, pictures[number % 6].read_bytes())
                add(tar, "x/%03d.json" % number, b"{}")
                number += 1
    return str(folder / ("{0..%d}.tar" % (len(COUNTS) - 1)))


def add(tar, name, content):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def chain(tv=None):
    T = torchvision().transforms
    return T.Compose([T.Resize((8, 9)), T.ToTensor()])


class Samples:
    """Functions for map(), as tutorials have them."""

    def __init__(self, transform):
        self.transform = transform

    def of_a_sample(self, sample):
        image, label = sample["jpg"], sample["cls"]
        return self.transform(image), label

    def of_a_tuple(self, pair):
        image, label = pair
        return self.transform(image), label

    def of_both(self, sample):
        return self.transform(sample["jpg"]), self.transform(sample["jpg"])

    def chooses(self, sample):
        if sample["cls"] == 3:
            return self.transform(sample["jpg"]), 0
        return self.transform(sample["jpg"]), sample["cls"]

    def counts(self, sample):
        return self.transform(sample["jpg"]), sample["cls"] - 1


def pipeline(wds, shards, batch=4, partial=True, shuffle=0, **arguments):
    out = wds.WebDataset(shards, **{"shardshuffle": False, **arguments}).shuffle(shuffle, seed=3).decode("pil")
    out = out.to_tuple("jpg;jpeg", "cls").map_tuple(chain(), None)
    return out if batch is None else out.batched(batch, partial=partial)


def same(some, others):
    some, others = list(some), list(others)
    assert len(some) == len(others)
    for one, other in zip(some, others):
        assert type(one) is type(other) and [part.dtype for part in one] == [part.dtype for part in other]
        assert one[1].tolist() == other[1].tolist()
        assert torch.equal(one[0], other[0])
    return True


def test_the_same_batches_in_the_same_order(knobs, wds, shards):
    for make, arguments in (
        (lambda: pipeline(wds, shards), {"batch_size": None}),
        (lambda: pipeline(wds, shards, partial=False), {"batch_size": None}),
        (lambda: pipeline(wds, shards, shuffle=6), {"batch_size": None}),
        (lambda: pipeline(wds, shards, shuffle=6, shardshuffle=4, seed=9), {"batch_size": None, "num_workers": 2}),
        (lambda: pipeline(wds, shards, shuffle=6, shardshuffle=4, seed=9, detshuffle=True), {"batch_size": None}),
        (lambda: pipeline(wds, shards, batch=None), {"batch_size": 5, "drop_last": True}),
        (lambda: pipeline(wds, shards, batch=None, shuffle=4), {"batch_size": 5, "num_workers": 2}),
        (lambda: pipeline(wds, shards).with_epoch(9), {"batch_size": None}),
    ):
        expected = [list(loader) for loader in [DataLoader(make(), **arguments)] for _ in range(2)]
        loader = DataLoader(make(), **arguments)
        for epoch in expected:
            by_engine = native(knobs, torch, loader)
            assert same(epoch, by_engine)
            assert by_engine.fetches.batches == 0, by_engine.fetches.reason


def test_a_share_of_the_shards_for_each_rank(knobs, wds, shards, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    make = lambda: DataLoader(pipeline(wds, shards, nodesplitter=wds.split_by_node), batch_size=None)  # noqa: E731
    got = list(native(knobs, torch, make()))
    assert same(make(), got) and sum(len(batch[1]) for batch in got) == COUNTS[1] + COUNTS[3]


def test_below_a_web_loader_and_as_explicit_stages(knobs, wds, shards):
    staged = wds.DataPipeline(
        wds.SimpleShardList(shards), wds.split_by_worker, wds.tarfile_to_samples(), wds.decode("pilrgb"),
        wds.to_tuple("jpg", "cls"), wds.map_tuple(chain()), wds.batched(4))  # fmt: skip
    inner = wds.WebLoader(staged, batch_size=None, num_workers=0).pipeline[0]
    assert same(inner, native(knobs, torch, inner))


def test_pictures_of_other_formats(knobs, wds, tmp_path):
    from PIL import Image

    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        for number, (ending, mode) in enumerate((("jpg", "RGB"), ("png", "P"), ("webp", "RGBA"), ("png", "L"), ("jpeg", "L"))):
            picture = io.BytesIO()
            Image.effect_noise((30, 20), 50).convert("RGB").convert(mode).save(picture, {"jpg": "JPEG"}.get(ending, ending))
            add(tar, "%d.%s" % (number, ending), picture.getvalue())
            add(tar, "%d.cls" % number, b"%d" % number)
    make = lambda: wds.WebDataset(str(tmp_path / "0.tar"), shardshuffle=False).decode("pil")  # noqa: E731
    loader = DataLoader(make().to_tuple("jpg;png;jpeg;webp", "cls").map_tuple(chain()).batched(2), batch_size=None)
    by_engine = native(knobs, torch, loader)
    assert same(loader, by_engine) and by_engine.fetches.batches == 0


def test_functions_given_to_map(knobs, wds, shards, tmp_path):
    samples = Samples(chain())
    base = lambda url=shards: wds.WebDataset(url, shardshuffle=False).shuffle(6, seed=3).decode("pil")  # noqa: E731
    for make, arguments in (
        (lambda: base().map(samples.of_a_sample).batched(4), {"batch_size": None}),
        (lambda: base().to_tuple("jpg", "cls").map(samples.of_a_tuple).batched(4), {"batch_size": None}),
        (lambda: base().map(samples.of_a_sample), {"batch_size": 5, "num_workers": 2}),
    ):
        expected, loader = list(DataLoader(make(), **arguments)), DataLoader(make(), **arguments)
        by_engine = native(knobs, torch, loader)
        assert same(expected, by_engine) and by_engine.fetches.batches == 0
    for function, said in (
        (samples.chooses, "map(Samples.chooses) has no native form: Samples.chooses, line "),
        (samples.counts, "map(Samples.counts) has no native form: Samples.counts, line "),
        (samples.of_both, "it gives other than a tuple of a picture and its label"),
        (samples.of_a_tuple, "Samples.of_a_tuple, line "),
    ):
        reason = refusal(knobs, torch, DataLoader(base().map(function).batched(2), batch_size=None))
        assert reason is not None and said in reason, reason
    twice = base().map(samples.of_a_sample).map(samples.of_a_tuple)
    assert "at this place" in refusal(knobs, torch, DataLoader(twice.batched(2), batch_size=None))
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        add(tar, "0.jpg", next(write(tmp_path / "pictures", count=1).glob("*/*.jpg")).read_bytes())
        add(tar, "0.cls", b"0")
        add(tar, "1.cls", b"1")
    without = DataLoader(base(str(tmp_path / "0.tar")).map(samples.of_a_sample).batched(2), batch_size=None)
    assert "1.cls has no picture" in refusal(knobs, torch, without)
    with pytest.raises(KeyError, match="jpg"):
        list(without)


def test_a_web_loader_goes_on_with_its_own_stages(knobs, wds, shards):
    """The DataLoader within is the engine's, what comes behind it the program's, with its own draws."""
    epochs = []
    for by_engine in (False, True):
        inner = DataLoader(pipeline(wds, shards), batch_size=None)
        outer = wds.WebLoader(pipeline(wds, shards), batch_size=None, num_workers=0)
        assert type(outer.pipeline[0]) is DataLoader
        outer.pipeline[0] = (lambda inner: lambda: native(knobs, torch, inner))(inner) if by_engine else inner
        epochs.append(outer.unbatched().shuffle(9, seed=5).batched(3).with_epoch(6))
    assert same(*epochs)


def test_a_pipeline_that_the_program_iterates_itself_is_named(knobs, wds):
    from test_engine_refused import Native

    said = Native()
    plan = knobs.Knobs(said, torch, json.dumps({"dataloader.engine": "native", "dataloader.num_workers": 2}))
    plan.words.installed()
    plan.words.opened()
    plan.loaders.look(torch.nn.Linear(1, 1), None)
    reasons = {word["knob"]: word["reason"] for word in said.facts}
    assert "a WebDataset pipeline that the program iterates itself" in reasons["dataloader.engine"]
    assert "WebDataset" not in reasons["dataloader.num_workers"]


def test_what_the_engine_cannot_decode_is_made_by_the_programs_stages(knobs, wds, tmp_path):
    from PIL import Image

    picture = io.BytesIO()
    Image.effect_noise((30, 20), 50).convert("RGB").save(picture, "GIF")
    jpegs = sorted(write(tmp_path / "pictures", count=3).glob("*/*.jpg"))
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        for number, content in enumerate((jpegs[0].read_bytes(), picture.getvalue(), jpegs[1].read_bytes(), jpegs[2].read_bytes())):
            add(tar, "%d.jpg" % number, content)
            add(tar, "%d.cls" % number, b"%d" % number)
    loader = DataLoader(pipeline(wds, str(tmp_path / "0.tar"), batch=2), batch_size=None)
    by_engine = native(knobs, torch, loader)
    assert same(loader, by_engine) and by_engine.fetches.batches == 1 and "1.jpg" in by_engine.fetches.reason


def test_a_sample_without_a_label_is_webdatasets_error(knobs, wds, tmp_path):
    jpegs = sorted(write(tmp_path / "pictures", count=2).glob("*/*.jpg"))
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        add(tar, "0.jpg", jpegs[0].read_bytes())
        add(tar, "0.cls", b" 8 ")
        add(tar, "9.jpg", jpegs[1].read_bytes())
    loader = DataLoader(pipeline(wds, str(tmp_path / "0.tar"), batch=2), batch_size=None)
    assert "0.tar: 9.jpg has no label (.cls) beside it" in refusal(knobs, torch, loader)
    with pytest.raises(ValueError, match="cls"):
        list(loader)


def test_members_that_nobody_takes_are_not_read(knobs, wds, tmp_path):
    """webdataset decodes each member of a sample, and fails of one that is damaged; the engine looks at picture and label alone."""
    jpegs = sorted(write(tmp_path / "pictures", count=1).glob("*/*.jpg"))
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        add(tar, "0.jpg", jpegs[0].read_bytes())
        add(tar, "0.cls", b"8")
        add(tar, "0.json", b"{")
    loader = DataLoader(pipeline(wds, str(tmp_path / "0.tar"), batch=2), batch_size=None)
    with pytest.raises(wds.autodecode.DecodingError):
        list(loader)
    assert [labels.tolist() for _pictures, labels in native(knobs, torch, loader)] == [[8]]


def test_what_has_no_native_form_is_named(knobs, wds, shards, tmp_path):
    base = lambda **arguments: wds.WebDataset(shards, shardshuffle=False, **arguments)  # noqa: E731
    to_pair = lambda source: source.decode("pil").to_tuple("jpg", "cls")  # noqa: E731
    for dataset, said in (
        (to_pair(base()).map(tuple).batched(2), "map(tuple) has no native form"),
        (to_pair(base()).map_tuple(chain(), str).batched(2), "str, applied to the label"),
        (to_pair(base()).map_tuple(chain().transforms[0]).batched(2), "do not end with a tensor"),
        (base().decode("rgb").to_tuple("jpg", "cls").batched(2), 'decode("rgb") has no native form'),
        (base().decode("pil", handler=wds.warn_and_continue).to_tuple("jpg", "cls"), "warn_and_continue"),
        (base().decode("pil").to_tuple("ppm", "cls"), "no JPEG, PNG or WebP files by their names"),
        (base().decode(wds.imagehandler("pil", extensions=["png"])).to_tuple("jpg", "cls"), "decode() leaves such files as they are"),
        (base().decode("pil").to_tuple("jpg", "json"), "to_tuple('jpg', 'json')"),
        (base(select_files=str).decode("pil"), "select_files"),
        (pipeline(wds, shards).shuffle(3), "after batched()"),
        (pipeline(wds, "pipe:cat x.tar"), "pipe:cat x.tar is no file of this machine"),
        (pipeline(wds, str(tmp_path / "none.tar")), "is no file of this machine"),
        (base(), "without to_tuple()"),
    ):
        reason = refusal(knobs, torch, DataLoader(dataset, batch_size=None))
        assert reason is not None and said in reason, reason
    assert "batches are made twice" in refusal(knobs, torch, DataLoader(pipeline(wds, shards), batch_size=2))
    assert "batches are made nowhere" in refusal(knobs, torch, DataLoader(pipeline(wds, shards, batch=None), batch_size=None))


def test_a_name_that_comes_twice_is_webdatasets_error(knobs, wds, tmp_path):
    """webdataset raises for a part that a sample has twice; the engine is refused by that name, so the program's own error stays."""
    pictures = sorted(write(tmp_path / "pictures", count=2).glob("*/*.jpg"))
    with tarfile.open(tmp_path / "twice.tar", "w") as tar:
        for _ in range(5):
            add(tar, "0.jpg", pictures[0].read_bytes())
        add(tar, "0.cls", b"1")
    dataset = wds.WebDataset(str(tmp_path / "twice.tar"), shardshuffle=False).decode("pil").to_tuple("jpg", "cls").map_tuple(chain(), None)
    batches = DataLoader(dataset, batch_size=2)
    assert "0.jpg comes twice in its sample" in refusal(knobs, torch, batches)
    with pytest.raises(ValueError, match="duplicate file name"):
        list(batches)


def test_what_webdataset_takes_for_no_sample_does_not_shift_the_others(knobs, wds, tmp_path):
    pictures = sorted(write(tmp_path / "pictures", count=4).glob("*/*.jpg"))
    with tarfile.open(tmp_path / "notes.tar", "w") as tar:
        for number, name in enumerate(("__notes__/x", "", "a", "b")):
            add(tar, name + ".cls", b"%d" % number)
            add(tar, name + ".jpg", pictures[number].read_bytes())
    dataset = wds.WebDataset(str(tmp_path / "notes.tar"), shardshuffle=False).decode("pil").to_tuple("jpg", "cls").map_tuple(chain(), None)
    batches = DataLoader(dataset, batch_size=2)
    by_engine = native(knobs, torch, batches)
    got = list(by_engine)
    assert by_engine.fetches.batches == 0
    ((theirs, labels),) = list(batches)
    assert torch.equal(got[0][0], theirs) and got[0][1].tolist() == labels.tolist() == [2, 3]
