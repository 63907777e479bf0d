"""Tar shards with any names and labels: flatout's reader against webdataset's own, on pictures, labels and their number.

flatout gives the samples that webdataset gives, or an error that names the file and a member; it never leaves a picture or a label out,
nor gives a sample a label that is another's."""

import io
import re
import sys
import tarfile
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image
from pictures import fetched, native, refusal, torchvision
from torch.utils.data import DataLoader

import vision

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from flatout import data  # noqa: E402

PICTURES = ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm", "webp")
NOT_DECODED = ("gif", "bmp", "tif", "tiff", "avif", "heic", "heif", "jp2", "jxl", "jfif")
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
NOTES = re.compile(r"__[^/]*__($|/)")
LINKS = (tarfile.LNKTYPE, tarfile.SYMTYPE)
SETTINGS = settings(max_examples=50, deadline=None, derandomize=True,
                    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])  # fmt: skip


@pytest.fixture(scope="module")
def wds():
    torchvision()
    return fetched(vision.load_webdataset, "webdataset", "webdataset")


def colour(number):
    return (number * 37 % 256, number * 11 % 256, 255 - number % 256)


def picture(number):
    out = io.BytesIO()
    Image.new("RGB", (4, 4), colour(number)).save(out, "PNG")
    return out.getvalue()


def content_of(name, number, label):
    """Of what is no picture and no label of its sample nothing that webdataset's decode() refuses: the engine does not read it."""
    part = (wds_part(name) or "").lower()
    if part == "cls":
        return label
    if ending(part) == "cls":
        return b"1"
    return b"{}" if ending(part) in ("json", "txt") else picture(number)


def wds_part(name):
    return sys.modules["webdataset.tariterators"].base_plus_ext(name)[1]


def written(path, members, kind="pax"):
    """(name, type, label) each. Pictures have a colour of their own."""
    with tarfile.open(path, "w", format=FORMATS[kind]) as tar:
        for number, (name, kind, label) in enumerate(members):
            entry = tarfile.TarInfo(name)
            entry.type = kind
            content = content_of(name, number, label)
            if kind == tarfile.REGTYPE:
                entry.size = len(content)
            else:
                entry.linkname = "elsewhere"
            tar.addfile(entry, io.BytesIO(content))
    return str(path)


def samples_of_webdataset(wds, path):
    tars = wds.tariterators
    with open(path, "rb") as stream:
        return list(tars.group_by_keys(tars.tar_file_expander([{"url": path, "stream": stream}])))


def ending(part):
    return part.rpartition(".")[2]


def shown(name):
    return name.encode(errors="surrogateescape").decode(errors="replace")


def parts_of(sample):
    return [part for part in sample if not part.startswith("__")]


def expected(wds, path):
    """(pixel, label) of each sample; None where some of what webdataset reads is a sample only by halves, or has no number."""
    samples, labelled = [], set()
    for sample in samples_of_webdataset(wds, path):
        parts = parts_of(sample)
        pictures = [part for part in parts if part in PICTURES]
        labels = [part for part in parts if ending(part) == "cls"]
        if not pictures:
            if labels or any(ending(part) in PICTURES + NOT_DECODED for part in parts):
                return None
            continue
        dotted = {part[:-3] for part in labels if part != "cls"}
        if labels and "cls" not in labels or any(stem + one in parts for stem in dotted for one in PICTURES):
            return None
        label = 0
        if "cls" in sample:
            try:
                label = int(sample["cls"])
            except ValueError:
                return None
            if not -(2**63) <= label < 2**63:
                return None
        labelled.add("cls" in sample)
        samples.append((Image.open(io.BytesIO(sample[pictures[0]])).getpixel((0, 0)), label))
    return None if len(labelled) > 1 or not samples else samples


def read(path):
    loader = data.shards([path]).center_crop(4).dtype("uint8", "nhwc").batch(1)
    return [(tuple(map(int, images[0, 0, 0])), int(labels[0])) for images, labels in loader]


def hostile(members):
    """A tar file with links, which webdataset passes over without a word, in place of a picture or a label."""
    return any(kind in LINKS and ending((wds_part(name) or "").lower()) in (*PICTURES, "cls") and not NOTES.match(name) for name, kind, _label in members)


def check(wds, path, members, kind):
    written(path, members, kind)
    try:
        wanted = expected(wds, str(path))
    except ValueError:  # a part that comes twice
        wanted = None
    if hostile(members):
        wanted = None
    if wanted is None:
        with pytest.raises(data.LoaderError) as error:
            read(str(path))
        said = str(error.value)
        assert str(path) in said and (any(shown(name) in said for name, _kind, _label in members) or "no sample" in said), said
    else:
        assert read(str(path)) == wanted


ENDINGS = st.sampled_from(["jpg", "JPG", "png", "cls", "CLS", "json", "seg.png", "0 (clean).png", "0 (clean).cls", "gif", "txt", "", "2"])
BASES = st.sampled_from(["a", "b", "track 2", "", ".", "x.1", "\u00e9", "\udc80", "__n__", "____", "a\nb", "0" * 120])
FOLDERS = st.sampled_from(["", "d/", "a.b/", "./", "d/e/", "__notes__/", "/", "d//", "\u00e9/", "f" * 110 + "/"])
NAMES = st.builds(lambda folder, base, end: folder + base + ("." + end if end is not None else ""), FOLDERS, BASES, st.none() | ENDINGS)
LABELS = st.sampled_from([b"0", b"7\n", b" 8 ", b"-2", b"cat", b"", b"1_0", b"99999999999999999999", b"+3"])
TYPES = st.sampled_from([tarfile.REGTYPE] * 12 + [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
MEMBERS = st.tuples(NAMES, TYPES, LABELS)
# Mostly whole samples, so that many sets are read and not refused.
WHOLE = st.builds(lambda folder, base, end, label: [(f"{folder}{base}.{end}", tarfile.REGTYPE, label), (f"{folder}{base}.cls", tarfile.REGTYPE, label)],
                  FOLDERS, st.sampled_from("abcdef"), st.sampled_from(["jpg", "png", "JPG", "webp"]), st.sampled_from([b"0", b"7\n", b" 8 "]))  # fmt: skip
SETS = st.one_of(
    st.lists(WHOLE, min_size=1, max_size=5).map(lambda all: [one for pair in all for one in pair]),
    st.tuples(st.lists(WHOLE, max_size=3), st.lists(MEMBERS, max_size=3)).map(lambda two: [one for pair in two[0] for one in pair] + two[1]),
    st.lists(MEMBERS, max_size=6),
)
R = tarfile.REGTYPE


def pair(name, label=b"1"):
    return [(name + ".png", R, label), (name + ".cls", R, label)]


@SETTINGS
@given(members=SETS, kind=st.sampled_from(list(FORMATS)))
@example(members=pair("0") + pair("track 2.0 (clean)"), kind="pax")
@example(members=pair("a.b/c.d"), kind="gnu")
@example(members=pair("d/.hidden"), kind="ustar")
@example(members=pair("d/"), kind="ustar")
@example(members=[("a.png", R, b""), ("b.", R, b""), ("a.cls", R, b"1")], kind="pax")
@example(members=[*pair("a"), ("b.png", R, b"")], kind="pax")
@example(members=[*pair("a"), ("b.gif", R, b"")], kind="pax")
@example(members=[("a.png", R, b""), ("b.png", R, b""), ("a.cls", R, b"1"), ("b.cls", R, b"2")], kind="pax")
@example(members=[*pair("a"), *pair("b"), *pair("a")], kind="pax")
@example(members=[("a.png", R, b""), ("A.png", R, b""), ("a.PNG", R, b"")], kind="pax")
@example(members=[("x" * 150 + "/" + "y" * 200 + ".png", R, b"")], kind="pax")
@example(members=[("x" * 150 + "/" + "y" * 200 + ".png", R, b"")], kind="gnu")
@example(members=[], kind="pax")
def test_what_webdataset_reads_or_an_error_that_names_it(wds, tmp_path, members, kind):
    try:
        check(wds, tmp_path / "0.tar", members, kind)
    except ValueError as error:
        if "too long" not in str(error):  # ustar has room for short names alone
            raise


@SETTINGS
@given(label=st.text(" \t\n\r\v\f\0+-_0123456789xe.", max_size=6).map(str.encode) | st.integers(-(2**64), 2**64).map(lambda one: b"%d" % one))
@example(label=b" 8 ")
@example(label=b"")
@example(label=b" " * 300 + b"4")
def test_a_label_is_what_python_reads(wds, tmp_path, label):
    check(wds, tmp_path / "0.tar", [("a.png", R, b""), ("a.cls", R, label)], "pax")


def by_the_pipeline(wds, path):
    T = torchvision().transforms
    pipeline = wds.WebDataset(path, shardshuffle=False).decode("pil").to_tuple("jpg;png;jpeg;webp", "cls").map_tuple(T.Compose([T.Resize((4, 4)), T.ToTensor()]), None)
    return DataLoader(pipeline, batch_size=2)


def epoch(batches):
    """The samples that come, and the kind of error that it ends with."""
    seen = []
    try:
        for pictures, labels in batches:
            seen.append((pictures.numpy().tobytes(), labels.tolist()))
    except Exception as error:
        return seen, type(error)
    return seen, None


@SETTINGS
@given(members=SETS)
@example(members=pair("d/") + pair("d/0"))
@example(members=pair("a") + pair("a.b/.x") + pair("b"))
@example(members=[*pair("a"), ("b.", R, b""), *pair("c")])
@example(members=[*pair("a", b"1"), *pair("b", b"2"), *pair("a", b"3")])
def test_a_pipeline_with_the_engine_gives_what_it_gives_without(knobs, wds, tmp_path, members):
    path = written(tmp_path / "0.tar", members)
    loader = by_the_pipeline(wds, path)
    bare = epoch(loader)
    if refusal(knobs, torch, loader) is None:
        by_engine = native(knobs, torch, by_the_pipeline(wds, path))
        assert epoch(by_engine) == bare


def test_a_picture_is_never_given_with_anothers_label(knobs, wds, tmp_path, monkeypatch):
    """Even if the two readers of a shard counted differently: as if the engine had one sample more."""
    path = written(tmp_path / "0.tar", [*pair("a", b"1"), *pair("b", b"2"), *pair("c", b"3")])
    loader = by_the_pipeline(wds, path)
    bare = epoch(loader)
    assert refusal(knobs, torch, loader) is None
    members = sys.modules["_flatout_hooks.native_form.web_members"]
    expanded = members.expanded
    monkeypatch.setattr(members, "expanded", lambda source, first: expanded(source, {name: number + 1 for name, number in first.items()}))
    by_engine = native(knobs, torch, loader)
    assert epoch(by_engine) == bare and by_engine.fetches.batches == 2
    assert "0.tar: a.png is another sample for the engine" in by_engine.fetches.reason


def test_a_sample_whose_name_comes_again_is_read_at_its_own_place(knobs, wds, tmp_path):
    """Pictures that only Python reads, of two samples of one name."""
    gif = io.BytesIO()
    Image.new("RGB", (4, 4), (1, 2, 3)).save(gif, "GIF")
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        for name, content in (("a.png", picture(0)), ("a.cls", b"1"), ("b.png", picture(1)), ("b.cls", b"2"), ("a.png", gif.getvalue()), ("a.cls", b"3")):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    loader = by_the_pipeline(wds, str(tmp_path / "0.tar"))
    bare = epoch(loader)
    by_engine = native(knobs, torch, loader)
    assert epoch(by_engine) == bare and by_engine.fetches.batches == 1
