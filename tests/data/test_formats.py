"""Pictures of every kind of file, mixed in a folder, against Pillow: bit for bit, and errors where it has errors."""

import io
import struct
import sys
import zlib
from pathlib import Path

import numpy
import pytest
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from flatout import data  # noqa: E402

SIDE = 23
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(colour, depth, interlaced=False, extra=b"", palette=None, seed=0):
    """Any rows with any filters, as no library writes them."""
    draw = numpy.random.default_rng([seed, colour, depth, interlaced])
    rows = b""
    for left, top, right, down in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns = len(range(left, SIDE, right))
        for number, _ in enumerate(range(top, SIDE, down)):
            rows += bytes([number % 5]) + draw.bytes((columns * depth * CHANNELS[colour] + 7) // 8)
    if colour == 3:
        extra = chunk(b"PLTE", draw.bytes(3 * 2**depth) if palette is None else palette) + extra
    header = struct.pack(">IIBBBBB", SIDE, SIDE, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def saved(picture, kind, **options):
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def noise(mode="RGB", seed=1):
    coarse = numpy.random.default_rng(seed).integers(0, 256, (6, 6, 4), dtype=numpy.uint8)
    return Image.fromarray(coarse, "RGBA").resize((SIDE, SIDE), Image.BICUBIC).convert(mode)


def files():
    depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    out = {f"png-{colour}-{depth}-{interlaced}": png(colour, depth, interlaced)
           for colour in depths for depth in depths[colour] for interlaced in (False, True)}
    out["transparent palette"] = png(3, 4, extra=chunk(b"tRNS", b"\0\x80\xff"))
    out["one transparent colour"] = png(2, 8, extra=chunk(b"tRNS", b"\0\1\0\2\0\3"))
    out["short palette"] = png(3, 8, palette=b"\1\2\3\4\5\6\7")
    out["no palette"] = png(3, 8, palette=b"")
    out["animated"] = saved(noise(), "PNG", save_all=True, append_images=[noise(seed=2)])
    out["saved"] = saved(noise("RGBA"), "PNG", optimize=True)
    out["webp"] = saved(noise(), "WEBP", quality=70)
    out["transparent webp"] = saved(noise("RGBA"), "WEBP", exact=True)
    out["lossless webp"] = saved(noise("RGBA"), "WEBP", lossless=True)
    out["webp with a profile"] = saved(noise(), "WEBP", icc_profile=bytes(200), exif=b"Exif\0\0" + bytes(20))
    out["a jpeg"] = saved(noise(), "JPEG")
    return out


def whole(root, **options):
    """Each picture as it is, by its file's name."""
    loader = data.images(root).center_crop(SIDE).dtype("uint8", "nhwc").batch(1, **options)
    names = sorted(path.name for path in root.glob("c/*"))
    return dict(zip(names, [images[0].copy() for images, _ in loader]))


@pytest.mark.filterwarnings("ignore:Palette images")
def test_every_kind_whatever_its_name(tmp_path):
    (tmp_path / "c").mkdir()
    for name, content in files().items():
        (tmp_path / "c" / (name + (".png" if "jpeg" in name else ".jpg"))).write_bytes(content)
    got = whole(tmp_path)
    assert len(got) == len(files())
    for name, pixels in got.items():
        expected = numpy.asarray(Image.open(tmp_path / "c" / name).convert("RGB"))
        assert numpy.array_equal(pixels, expected), name


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_turned_as_the_camera_says(tmp_path, kind):
    (tmp_path / "c").mkdir()
    expected = []
    for orientation in range(10):
        exif = Image.Exif()
        exif[0x0112] = orientation
        path = tmp_path / "c" / f"{orientation}.jpg"
        path.write_bytes(saved(noise().crop((0, 0, SIDE, SIDE - 4)), kind, exif=exif, **({"lossless": True} if kind == "WEBP" else {})))
        with Image.open(path) as picture:
            expected.append(numpy.asarray(ImageOps.exif_transpose(picture).convert("RGB")))
    chain = data.images(tmp_path).center_crop(12).dtype("uint8", "nhwc")
    turned = [images[0].copy() for images, _ in chain.exif_orientation().batch(1)]
    as_it_is = [images[0].copy() for images, _ in chain.batch(1)]
    for orientation, pixels in enumerate(expected):
        top, left = round((pixels.shape[0] - 12) / 2), round((pixels.shape[1] - 12) / 2)
        assert numpy.array_equal(turned[orientation], pixels[top:top + 12, left:left + 12]), orientation
    assert all(numpy.array_equal(pixels, as_it_is[1]) for pixels in as_it_is)
    assert not numpy.array_equal(turned[6], as_it_is[6])


def test_cut_and_damaged_ones_are_errors_where_they_are_pillows(tmp_path):
    sources = [png(2, 8), png(3, 2, True), png(0, 16)]
    draw = numpy.random.default_rng(4)
    (tmp_path / "c").mkdir()
    for number in range(120):
        content = bytearray(sources[number % 3])
        if number % 2:
            del content[int(draw.integers(9, len(content))):]
        else:
            content[int(draw.integers(8, len(content)))] ^= 1 << int(draw.integers(8))
        (tmp_path / "c" / f"{number:03}.png").write_bytes(content)
    loader = iter(data.images(tmp_path).center_crop(SIDE).dtype("uint8", "nhwc").batch(1, threads=1))
    good = 0
    for path in sorted(tmp_path.glob("c/*")):
        try:
            with Image.open(path) as picture:
                expected = picture.size == (SIDE, SIDE) and numpy.asarray(picture.convert("RGB"))
        except (OSError, SyntaxError, ValueError):
            with pytest.raises(data.LoaderError, match=f"{path.name}: "):
                next(loader)
            continue
        pixels = next(loader)[0][0]
        good += 1
        assert expected is False or numpy.array_equal(pixels, expected), path
    assert 3 <= good <= 60, good


def test_what_is_no_picture_says_what_it_begins_with(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c/x.png").write_bytes(saved(noise("RGB"), "GIF"))
    with pytest.raises(data.LoaderError, match=r'sample 0: .*x\.png: .*it begins with "GIF8'):
        next(iter(data.images(tmp_path).resize([8, 8]).batch(1)))
