"""flatout.data over the library of the release build: the same samples whatever the threads, in order, resumed, and files that are no good."""

import gc
import gzip
import io
import os
import sys
import tarfile
from pathlib import Path

import numpy
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from epochs import epoch, same  # noqa: E402
from flatout import data  # noqa: E402

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """30 pictures of different sizes in three classes, one of them progressive and one grey."""
    root = tmp_path_factory.mktemp("images")
    draw = numpy.random.default_rng(3)
    for number in range(30):
        side = 24 + number
        noise = draw.integers(0, 256, (side // 4, side // 3, 3), dtype=numpy.uint8)
        picture = Image.fromarray(noise).resize((side * 2, side), Image.BICUBIC)
        path = root / "abc"[number % 3] / f"{number:02}.jpg"
        path.parent.mkdir(exist_ok=True)
        (picture.convert("L") if number == 5 else picture).save(path, quality=90, progressive=number == 4)
    return root


def trained(folder):
    return data.images(folder).shuffle(seed=11).random_resized_crop(16).flip().normalize(MEAN, STD)


def test_pixels_are_pillows(folder):
    loader = data.images(folder).resize(20).center_crop(16).dtype("uint8").batch(8)
    files = sorted(folder.glob("*/*.jpg"))
    assert (loader.samples, loader.classes) == (30, ["a", "b", "c"])
    pixels = numpy.concatenate([images for images, _ in epoch(loader)])
    for path, got in zip(files, pixels):
        picture = Image.open(path).convert("RGB")
        width, height = picture.size
        picture = picture.resize((int(20 * width / height), 20), Image.BILINEAR)
        left, top = round((picture.width - 16) / 2), round((20 - 16) / 2)
        expected = numpy.asarray(picture.crop((left, top, left + 16, top + 16))).transpose(2, 0, 1)
        assert numpy.abs(got.astype(int) - expected.astype(int)).max() <= 1, path


@pytest.mark.parametrize("threads", [0, 2, 3])
def test_threads_change_nothing(folder, threads):
    alone = trained(folder).batch(7, threads=1)
    more = trained(folder).batch(7, threads=threads, ahead=3)
    first = epoch(alone)
    assert [len(labels) for _, labels in first] == [7, 7, 7, 7, 2]
    assert same(first, epoch(more))
    second = epoch(alone)
    more.set_threads(1)
    assert same(second, epoch(more)) and not same(first, second)
    assert sorted(numpy.concatenate([labels for _, labels in second])) == [0] * 10 + [1] * 10 + [2] * 10


def test_what_is_to_be_tuned_is_told(folder):
    fixed, given = trained(folder).batch(7, threads=2, ahead=3, tune=True), trained(folder).batch(7, threads=2)
    tuned, half, plain = trained(folder).batch(7), trained(folder).batch(7, threads=2, tune=True), trained(folder).batch(7, tune=False)
    assert given.stats()["tuning"] is None and plain.stats()["tuning"] is None and plain.stats()["ahead"] == 2
    first = tuned.stats()
    assert first["tuning"]["phase"] == "measuring" and first["tuning"]["threads"] and first["tuning"]["ahead"]
    assert first["threads"] >= 1 and first["ahead"] >= 2 and first["tuning"]["last_changes"] == []
    assert same(epoch(tuned), epoch(fixed)) and tuned.stats()["cpu_ns"] > 0
    assert (half.stats()["tuning"]["threads"], half.stats()["tuning"]["ahead"]) == (False, True)
    assert fixed.stats()["tuning"] is None and (fixed.stats()["threads"], fixed.stats()["ahead"]) == (2, 3)
    tuned.set_threads(3)
    assert tuned.stats()["threads"] == 3 and not tuned.stats()["tuning"]["threads"]
    tuned.set_threads(0)
    assert tuned.stats()["tuning"]["threads"]
    with pytest.raises(data.LoaderError, match="threads: 0"):
        fixed.set_threads(0)


def test_ranks_that_share_a_machine_begin_with_their_share_of_it(folder, monkeypatch):
    alone = trained(folder).batch(7).stats()["threads"]
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(alone))
    assert trained(folder).batch(7).stats()["threads"] == 1 and trained(folder).batch(7, tune=False).stats()["threads"] == alone


@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_a_resumed_loader_goes_on_as_if_nothing_had_been(folder, taken):
    whole, stopped = trained(folder).batch(7), trained(folder).batch(7)
    epochs = [epoch(whole) for _ in range(3)]
    epoch(stopped)
    running = iter(stopped)
    for _ in range(taken):
        next(running)
    state = stopped.state_dict()
    assert state == ({"epoch": 1, "drawn": min(30, 7 * taken)} if taken else {"epoch": 1, "drawn": 0})
    resumed = trained(folder).batch(7, threads=1)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    assert same(epoch(resumed), epochs[1][taken:])
    assert resumed.state_dict() == {"epoch": 2, "drawn": 0}
    assert same(epoch(resumed), epochs[2])


def test_resumed_by_another_number_of_ranks(folder):
    def numbers(loader):
        return [labels for _, labels in epoch(loader)]

    plain = data.images(folder).shuffle(seed=5).resize([8, 8])
    whole = numpy.concatenate(numbers(plain.batch(3)))
    two = [plain.shard(rank, 2).batch(3) for rank in range(2)]
    begun = [iter(loader) for loader in two]
    for rank in begun:
        next(rank)
    states = [loader.state_dict() for loader in two]
    assert states == [{"epoch": 0, "drawn": 6}] * 2
    three = [plain.shard(rank, 3).batch(8) for rank in range(3)]
    rest = []
    for loader in three:
        loader.load_state_dict(states[0])
        rest += [label for labels in numbers(loader) for label in labels]
    assert sorted(rest) == sorted(whole[6:])


def test_tar_shards_give_what_the_folder_gives(folder, tmp_path):
    files = sorted(folder.glob("*/*.jpg"))
    for number in range(3):
        with tarfile.open(tmp_path / f"t-{number:02}.tar", "w", format=[tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT][number]) as tar:
            for path in files[10 * number:10 * number + 10]:
                name = "long/" * 30 + path.stem
                tar.add(path, name + ".JPG")
                label = str("abc".index(path.parent.name)).encode()
                info = tarfile.TarInfo(name + ".cls")
                info.size = len(label)
                tar.addfile(info, io.BytesIO(label))
    expected = epoch(trained(folder).batch(7))
    for pattern in (tmp_path / "t-{00..02}.tar", f"{tmp_path}/t-*.tar", sorted(tmp_path.glob("*.tar"))):
        chain = data.shards(pattern).shuffle(seed=11).random_resized_crop(16).flip().normalize(MEAN, STD)
        assert same(epoch(chain.batch(7)), expected)
    with pytest.raises(data.LoaderError, match="t-03.tar"):
        data.shards(tmp_path / "t-{02..03}.tar").resize([8, 8]).batch(1)
    with pytest.raises(data.LoaderError, match="no tar file"):
        data.shards(f"{tmp_path}/*.zip")
    for path in tmp_path.glob("t-*.tar"):
        path.with_suffix(".tgz").write_bytes(gzip.compress(path.read_bytes()))
    packed, room = sorted(tmp_path.glob("*.tgz")), tmp_path / "room"
    for _ in range(2):  # made, then found
        chain = data.shards(packed, room, 10).shuffle(seed=11).random_resized_crop(16).flip().normalize(MEAN, STD)
        assert same(epoch(chain.batch(7)), expected)
    assert len(list(room.glob("*.unpacked"))) == 3
    with pytest.raises(data.LoaderError, match='t-00.tgz: compressed.*"unpack"'):
        data.shards(packed).resize([8, 8]).batch(1)
    with pytest.raises(data.LoaderError, match="unpack_mb"):
        data.shards(packed, unpack=room)
    packed[1].write_bytes(packed[1].read_bytes()[:-9])
    with pytest.raises(data.LoaderError, match="t-01.tgz: at byte .* cut off"):
        data.shards(packed, room, 10).resize([8, 8]).batch(1)


def test_a_bad_file_is_named_or_left_out(folder, tmp_path):
    for number, path in enumerate(sorted(folder.glob("*/*.jpg"))[:6]):
        content = path.read_bytes()
        (tmp_path / "x").mkdir(exist_ok=True)
        (tmp_path / "x" / f"{number}.jpg").write_bytes(
            {1: b"", 3: content[: len(content) // 2], 4: b"GIF89a" + content}.get(number, content))
    plain = data.images(tmp_path).resize([8, 8])
    loader = plain.batch(1)
    running, seen = iter(loader), []
    for number in range(6):
        try:
            seen.append(len(next(running)[1]))
        except data.LoaderError as error:
            assert f"{number}.jpg" in str(error) and f"sample {number}" in str(error), error
            seen.append(0)
    assert next(running, None) is None
    assert seen == [1, 0, 1, 0, 0, 1]
    kept = plain.batch(6, on_bad_sample="skip")
    assert [len(labels) for _, labels in kept] == [3]
    assert kept.stats()["skipped_samples"] == 3


def test_every_step_is_taken(folder):
    chain = (data.images(folder).random_crop(24, pad_if_needed=True).vertical_flip(1.0).grayscale().color_jitter(brightness=(0.5, 0.5))
             .random_erasing(1.0, value=(7, 7, 7)).normalize(MEAN, STD))
    images, _ = next(iter(chain.batch(4)))
    assert images.shape == (4, 3, 24, 24) and (images == 7).any(axis=(1, 2, 3)).all()
    grey = (images * numpy.reshape(STD, (3, 1, 1)) + numpy.reshape(MEAN, (3, 1, 1)))[(images != 7).all(axis=1)[:, None].repeat(3, 1)]
    assert grey.max() <= 0.5 + 1e-6


def test_batches_are_mixed_the_same_whatever_the_threads_and_after_a_resume(folder):
    plain = trained(folder)
    kinds = set()
    for mix in ({"mixup": 0.8}, {"cutmix": 1.0}, {"mixup": 0.8, "cutmix": 1.0}):
        first = epoch(plain.mix(**mix).batch(7, threads=1))
        resumed = plain.mix(**mix).batch(7, threads=3, ahead=3)
        resumed.load_state_dict({"epoch": 0, "drawn": 14})
        assert same(epoch(resumed), first[2:]), mix
        for (mixed, targets), (images, labels) in zip(first, epoch(plain.batch(7))):
            shown = [mixed_as(images, labels, mixed, targets, one) for one in mix]
            assert any(shown), mix
            kinds.add((tuple(mix), shown[0]))
    assert {(("mixup", "cutmix"), True), (("mixup", "cutmix"), False)} <= kinds, "both were drawn"
    with pytest.raises(data.LoaderError, match="label 2 is none of the 2 classes"):
        next(iter(plain.mix(mixup=1, classes=2).batch(30)))
    with pytest.raises(data.LoaderError, match="mix: mixup of uint8"):
        data.images(folder).resize([8, 8]).dtype("uint8").mix(mixup=1).batch(2)


def mixed_as(images, labels, mixed, targets, kind):
    """Whether a batch is what torchvision's MixUp or CutMix makes of another, with the share that the labels tell."""
    classes = numpy.eye(3, dtype=numpy.float32)[labels]
    other = labels != numpy.roll(labels, 1)
    share = targets[other][0, labels[other][0]]
    assert targets.shape == (len(labels), 3) and numpy.allclose(targets, numpy.roll(classes, 1, 0) * (1 - share) + classes * share, atol=1e-6)
    before = numpy.roll(images, 1, 0)
    if kind == "mixup":
        return numpy.array_equal(mixed, before * numpy.float32(1 - float(share)) + images * share)
    inside = (mixed != images).any(axis=(0, 1))
    rows, columns = numpy.flatnonzero(inside.any(1)), numpy.flatnonzero(inside.any(0))
    expected = images.copy()
    if len(rows):
        box = numpy.s_[:, :, rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]
        expected[box] = before[box]
    return numpy.array_equal(mixed, expected) and abs(1 - inside.mean() - share) < 1e-6


def test_what_is_left_of_a_batch_is_mixed(folder, tmp_path):
    for number, path in enumerate(sorted(folder.glob("*/*.jpg"))[:5]):
        target = tmp_path / "ab"[number % 2] / f"{number}.jpg"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(b"" if number == 2 else path.read_bytes())
    plain = data.images(tmp_path).resize([8, 8])
    (mixed, targets), = plain.mix(mixup=1).batch(5, on_bad_sample="skip")
    (images, labels), = plain.batch(5, on_bad_sample="skip")
    share = targets[labels != numpy.roll(labels, 1)][0].max()
    assert len(mixed) == 4 and any(numpy.array_equal(mixed, numpy.roll(images, 1, 0) * numpy.float32(1 - float(one)) + images * one)
                                   for one in (share, numpy.float32(1 - float(share))))


def test_an_iteration_that_another_one_breaks_off_says_so(folder):
    """Its end would look like the end of the epoch: zip() of a loader with itself gave no batch, nested loops one round."""
    loader = trained(folder).batch(7)
    first = iter(loader)
    next(first)
    assert len(epoch(loader)) == 5
    for _ in range(2):
        with pytest.raises(data.LoaderError, match="broken off"):
            next(first)
    with pytest.raises(data.LoaderError, match="broken off"):
        list(zip(loader, loader))
    resumed = iter(loader)
    next(resumed)
    loader.load_state_dict(loader.state_dict())
    with pytest.raises(data.LoaderError, match="broken off"):
        next(resumed)
    over = iter(loader)
    assert len(list(over)) == 4 and len(epoch(loader)) == 5
    assert next(over, None) is None


def test_arrays_outlive_their_loader(folder):
    loader = trained(folder).batch(10)
    images, _ = next(iter(loader))
    before = images.copy()
    del loader
    gc.collect()
    assert numpy.array_equal(images, before)


def test_a_forked_child_is_told(folder):
    loader = trained(folder).batch(5)
    next(iter(loader))
    pid = os.fork()
    if pid == 0:
        try:
            next(iter(loader))
        except data.LoaderError as error:
            os._exit(0 if "fork" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert len(epoch(loader)) == 6


@pytest.mark.parametrize("describe, part", [
    (lambda images: images.batch(0), "batch_size"),
    (lambda images: images.batch(4), "size"),
    (lambda images: images.random_resized_crop(0).batch(1), "size"),
    (lambda images: images.resize([8, 8]).dtype("int3").batch(1), "dtype"),
    (lambda images: images.resize([8, 8]).shard(3, 2).batch(1), "rank"),
])
def test_what_is_wrong_is_named(folder, describe, part):
    with pytest.raises(data.LoaderError, match=part):
        describe(data.images(folder))


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(data.LoaderError, match="nowhere"):
        data.images(tmp_path / "nowhere").resize([8, 8]).batch(1)
