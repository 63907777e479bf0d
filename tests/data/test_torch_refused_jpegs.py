"""JPEG files whose pixels depend on the version of libjpeg-turbo: the engine leaves them, by name, to Pillow, which has one of its own."""

import io

import numpy
import pytest
import torch
from PIL import Image, UnidentifiedImageError
from torch.utils.data import DataLoader as Theirs

from test_torch_native import evaluation, made
from flatout import data

SCAN, END = b"\xff\xda", b"\xff\xd9"


def progressive():
    draw = numpy.random.default_rng(2)
    coarse = Image.fromarray(draw.integers(0, 256, (9, 12, 3), dtype=numpy.uint8))
    out = io.BytesIO()
    coarse.resize((96, 72), Image.Resampling.BICUBIC).save(out, "JPEG", progressive=True, quality=80)
    return out.getvalue()


def cut_at_each_scan():
    """The file with its first scan, its first two, and so on; the last is whole."""
    whole = progressive()
    begins = [at for at in range(len(whole)) if whole.startswith(SCAN, at)]
    return [whole[:at] + END for at in begins[1:]] + [whole]


def lossless():
    """8 x 8, one predictor, all differences 0."""
    table = bytes([0xFF, 0xC4, 0, 20, 0, 1] + [0] * 15 + [0])
    frame = bytes([0xFF, 0xC3, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    scan = SCAN + bytes([0, 8, 1, 1, 0, 1, 0, 0])
    return b"\xff\xd8" + table + frame + scan + bytes(8) + END


def folder_of(root, files):
    for number, file in enumerate(files):
        path = root / "a" / ("%02d.jpg" % number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file)
    return root


def test_progressive_files_with_some_of_their_scans(tmp_path):
    files = cut_at_each_scan()
    assert len(files) > 5
    dataset = evaluation(folder_of(tmp_path, files))
    loader = made(dataset, batch_size=3)
    for (ours, labels), (theirs, expected) in zip(loader, Theirs(dataset, batch_size=3), strict=True):
        assert torch.equal(ours, theirs) and torch.equal(labels, expected)
    stats = loader.stats()
    assert stats["fallback_samples"] == len(files) - 1, "all but the whole one"
    assert "progressive file that lacks scans" in stats["first_fallback"]


def test_a_lossless_file_is_what_pillow_makes_of_it(tmp_path):
    files = [lossless(), progressive()]
    dataset = evaluation(folder_of(tmp_path, files))
    loader = made(dataset, batch_size=1)
    try:
        theirs = list(Theirs(dataset, batch_size=1))
    except (OSError, UnidentifiedImageError) as error:
        with pytest.raises(type(error)):
            list(loader)
    else:
        assert all(torch.equal(a, b) for (a, _), (b, _) in zip(loader, theirs, strict=True))
    assert "lossless file (SOF3)" in loader.stats()["first_fallback"]


@pytest.mark.parametrize("file, why", [(cut_at_each_scan()[2], "lacks scans"), (lossless(), "SOF3")])
def test_without_pillow_they_are_errors_by_name(tmp_path, file, why):
    loader = data.images(folder_of(tmp_path, [file])).resize(8).center_crop(8).batch(1)
    with pytest.raises(data.LoaderError, match=why):
        next(iter(loader))
