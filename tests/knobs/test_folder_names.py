"""Folders with any names: flatout.data.images against torchvision's ImageFolder, on pictures, labels, order and classes."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pictures import torchvision
from test_shard_names import picture

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout import data  # noqa: E402

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True,
                    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])  # fmt: skip
FOLDERS = st.sampled_from(["a", "b.c", "B", "10", "9", ".hidden", "\u00e9", "a/x", "a/x.y", "b.c/d/e", "\U0001f600", "a b", "__n__"])
FILES = st.builds(lambda base, end: base + end, st.sampled_from(["1", "2.0 (clean)", ".hid", "\u00e9", "a\nb", "", "x" * 200]),
                  st.sampled_from([".jpg", ".JPG", ".png", ".jpeg", ".tif", ".bmp", ".PnG", ".webp", ".gif", ".txt", ""]))  # fmt: skip
KINDS = st.sampled_from(["file"] * 6 + ["link"])
ENTRIES = st.lists(st.tuples(FOLDERS, FILES, KINDS), min_size=1, max_size=8)


def written(root, entries):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    (root / "loose.jpg").write_bytes(picture(200))  # of no class: in neither
    for number, (folder, file, kind) in enumerate(entries):
        path = root / folder / (file or "none")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() or os.path.lexists(path):
            continue
        if kind == "link":
            target = root.parent / ("elsewhere-%d" % number)
            target.write_bytes(picture(number))
            path.symlink_to(target)
        else:
            path.write_bytes(picture(number))


@SETTINGS
@given(entries=ENTRIES)
@example(entries=[("a", "2.0 (clean).png", "file"), ("a", ".hid.jpg", "file"), ("b.c", "1.JPG", "link")])
@example(entries=[(".hidden", "1.jpg", "file"), ("a/x", "1.jpg", "file"), ("a", "1.jpg", "file")])
@example(entries=[("a", "1.gif", "file")])
@example(entries=[("\U0001f600", "1.jpg", "file"), ("\u00e9", "1.jpg", "file")])
def test_a_folder_is_read_as_torchvision_reads_it(tmp_path, entries):
    root = tmp_path / "root"
    written(root, entries)
    try:
        theirs = torchvision().datasets.ImageFolder(str(root))
    except FileNotFoundError:
        with pytest.raises(data.LoaderError, match="root"):
            data.images(root, index_cache=False).center_crop(4).dtype("uint8", "nhwc").batch(1)
        return
    loader = data.images(root, index_cache=False).center_crop(4).dtype("uint8", "nhwc").batch(1)
    ours = [(tuple(map(int, images[0, 0, 0])), int(labels[0])) for images, labels in loader]
    assert ours == [(image.getpixel((0, 0)), label) for image, label in theirs]
    assert loader.classes == theirs.classes
