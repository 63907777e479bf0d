"""flatout.data.pack() and packed(): the same samples as the files, raw pixels, a kill at any moment, damage."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tarfile

import numpy
import pytest
from PIL import Image

from epochs import epoch, same
from flatout import data
from harness import flatout_bin

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """24 pictures in two classes, all larger than 32 pixels a side; one is grey."""
    root = tmp_path_factory.mktemp("images")
    draw = numpy.random.default_rng(5)
    for number in range(24):
        noise = draw.integers(0, 256, (9, 12 + number % 5, 3), dtype=numpy.uint8)
        picture = Image.fromarray(noise).resize((60 + number, 40 + 2 * number), Image.BICUBIC)
        path = root / "ab"[number % 2] / f"{number:02}.jpg"
        path.parent.mkdir(exist_ok=True)
        (picture.convert("L") if number == 5 else picture).save(path, quality=90)
    return root


def trained(source):
    return source.shuffle(seed=3).random_resized_crop(16).flip().normalize(MEAN, STD)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_originals_give_what_the_files_give(folder, tmp_path):
    report = data.pack(folder, tmp_path, kind="original", shard_bytes=9000)
    assert (report["samples"], report["left_out"], report["named"]) == (24, 0, []) and report["shards"] > 3
    plain, packed = trained(data.images(folder)).batch(7), trained(data.packed(tmp_path)).batch(7, threads=3)
    assert packed.classes == ["a", "b"]
    assert same(epoch(plain), epoch(packed))
    next(iter(packed))
    resumed = trained(data.packed(tmp_path)).batch(7)
    resumed.load_state_dict(packed.state_dict())
    assert same(epoch(resumed), epoch(plain)[1:])
    ranks = [labels for rank in range(2) for _, labels in trained(data.packed(tmp_path)).shard(rank, 2).batch(12)]
    assert sorted(numpy.concatenate(ranks)) == [0] * 12 + [1] * 12


def test_tar_shards_are_packed_as_the_folder_is(folder, tmp_path):
    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        for path in sorted(folder.glob("*/*.jpg")):
            label = tmp_path / "label"
            label.write_text(str("ab".index(path.parent.name)))
            tar.add(path, f"{path.parent.name}/{path.name}")
            tar.add(label, f"{path.parent.name}/{path.stem}.cls")
    data.pack(folder, tmp_path / "folder", size=32)
    (tmp_path / "t.tar.gz").write_bytes(gzip.compress((tmp_path / "t.tar").read_bytes()))
    data.pack(data.shards(tmp_path / "t.tar.gz", tmp_path / "room", 10), tmp_path / "tar", size=32)
    one, other = (epoch(data.packed(tmp_path / name).resize([20, 20]).batch(24)) for name in ("folder", "tar"))
    assert same(one, other)


def pillow_resized(path, size):
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    short = min(width, height)
    return picture.resize((size * width // short, size * height // short), Image.BILINEAR)


@pytest.mark.parametrize("channels", ["rgb", "grey"])
def test_raw_samples_are_pillows_pixels(folder, tmp_path, channels):
    data.pack(folder, tmp_path, kind="raw", size=32)
    chain = data.packed(tmp_path).center_crop(32).dtype("uint8", layout="nhwc")
    chain = chain._with(channels=1) if channels == "grey" else chain
    for turn in range(2):  # with and without comparing checksums
        pixels = numpy.concatenate([images for images, _ in chain.batch(5)])
        for path, got in zip(sorted(folder.glob("*/*.jpg")), pixels):
            picture = pillow_resized(path, 32)
            left, top = round((picture.width - 32) / 2), round((picture.height - 32) / 2)
            picture = picture.crop((left, top, left + 32, top + 32))
            expected = numpy.asarray(picture.convert("L") if channels == "grey" else picture).reshape(got.shape)
            assert numpy.abs(got.astype(int) - expected.astype(int)).max() <= 1, path


def test_smaller_jpegs_are_those_that_pillow_writes(folder, tmp_path):
    report = data.pack(folder, tmp_path, size=32, quality=90)
    assert report["bytes"] < sum(path.stat().st_size for path in folder.glob("*/*.jpg"))
    pixels = numpy.concatenate([images for images, _ in data.packed(tmp_path).center_crop(32).dtype("uint8", "nhwc").batch(5)])
    for path, got in zip(sorted(folder.glob("*/*.jpg")), pixels):
        written = io.BytesIO()
        pillow_resized(path, 32).save(written, "JPEG", quality=90, subsampling="4:2:0")
        picture = Image.open(written)
        left, top = round((picture.width - 32) / 2), round((picture.height - 32) / 2)
        expected = numpy.asarray(picture.crop((left, top, left + 32, top + 32)))
        assert numpy.abs(got.astype(int) - expected.astype(int)).mean() < 0.5, path


KILLED = """
import os, signal, sys
from flatout import data
def progress(done, total, left_out):
    if done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
data.pack(sys.argv[1], sys.argv[2], size=32, shard_bytes=4000, progress=progress)
"""


def test_a_kill_loses_no_more_than_a_shard(folder, tmp_path):
    whole = data.pack(folder, tmp_path / "whole", size=32, shard_bytes=4000)
    assert whole["shards"] >= 4
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for moment in (1, 13, 24):
        done = subprocess.run([sys.executable, "-c", KILLED, folder, tmp_path / "killed", str(moment)], env=environment)
        assert done.returncode == -signal.SIGKILL
        with pytest.raises(data.LoaderError, match="run flatout pack again"):
            data.packed(tmp_path / "killed").resize([8, 8]).batch(1)
    seen = []
    report = data.pack(folder, tmp_path / "killed", size=32, shard_bytes=4000, progress=lambda *at: seen.append(at))
    assert 0 < report["kept_shards"] < report["shards"] and seen[-1] == (24, 24, 0)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_what_progress_raises_ends_it(folder, tmp_path):
    def progress(done, total, left_out):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        data.pack(folder, tmp_path, progress=progress)
    assert data.pack(folder, tmp_path)["samples"] == 24


def test_a_cut_shard_loses_its_end_only(folder, tmp_path):
    data.pack(folder, tmp_path, kind="raw", size=32)
    shard = tmp_path / "shard-00000.data"
    os.truncate(shard, shard.stat().st_size // 2)
    chain = data.packed(tmp_path).resize([8, 8])
    loader = chain.batch(24, on_bad_sample="skip")
    (images, _), = loader
    assert 8 < len(images) < 16 and loader.stats()["skipped_samples"] == 24 - len(images)
    with pytest.raises(data.LoaderError, match=r"sample \d+: .*shard-00000.data: .*\d\d.jpg: the shard was cut"):
        epoch(chain.batch(24))


def test_what_is_wrong_is_named(folder, tmp_path):
    (tmp_path / "from" / "a").mkdir(parents=True)
    (tmp_path / "from" / "a" / "0.jpg").write_bytes(next(folder.glob("a/*.jpg")).read_bytes())
    (tmp_path / "from" / "a" / "1.jpg").write_bytes(b"GIF89a")
    report = data.pack(tmp_path / "from", tmp_path / "to")
    assert report["left_out"] == 1 and "1.jpg" in report["named"][0]["why"] and report["named"][0]["index"] == 1
    assert json.loads((tmp_path / "to" / "pack.json").read_text())["left_out"] == 1
    for wrong, words in (({"kind": "png"}, "png"), ({"size": 0}, "size"), ({"quality": 300}, "quality"), ({"quality": 50}, "another set")):
        with pytest.raises(data.LoaderError, match=words):
            data.pack(tmp_path / "from", tmp_path / "to", **wrong)


def test_the_verb_packs_the_same_bytes_and_shows_a_bar_on_a_terminal(folder, tmp_path):
    data.pack(folder, tmp_path / "expected", size=32, shard_bytes=1 << 20)
    command = [flatout_bin(), "pack", folder, tmp_path / "to", "--size", "32", "--shard-mb", "1"]
    terminal, end = os.openpty()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, text=True)
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == 0 and "24 samples in 1 shard" in done.stdout, done.stdout
    assert "24 of 24" in shown and files(tmp_path / "to") == files(tmp_path / "expected")
    again = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    assert again.stderr == "" and json.loads(again.stdout)["kept_shards"] == 1
    other = subprocess.run([*command, "--quality", "50"], capture_output=True, text=True)
    assert (other.returncode, other.stdout) == (1, "") and other.stderr.count("\n") == 1 and "another set" in other.stderr
    (tmp_path / "from" / "a").mkdir(parents=True)
    (tmp_path / "from" / "a" / "good.jpg").write_bytes(next(folder.glob("a/*.jpg")).read_bytes())
    (tmp_path / "from" / "a" / "bad.jpg").write_bytes(b"GIF89a")
    bad = subprocess.run([flatout_bin(), "pack", tmp_path / "from", tmp_path / "bad"], capture_output=True, text=True)
    assert bad.returncode == 1 and "1 bad sample left out" in bad.stdout and "left out: " in bad.stderr and "bad.jpg" in bad.stderr
