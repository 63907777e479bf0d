"""The set of JPEG files: the same bytes for a seed, ImageNet's means, nothing rewritten that is there."""

import io

import make_set
import numpy as np
import pytest
from loaderbench import picture, sizes
from PIL import Image

WITHIN = 0.03


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_processes(tmp_path):
    notes = [make_set.make(tmp_path / str(n), 12, 5, n) for n in (1, 3)]
    assert notes[0] == notes[1]
    for index in range(12):
        first, second = (make_set.path_of(tmp_path / str(n), index).read_bytes() for n in (1, 3))
        assert first == second


def test_another_seed_gives_other_pictures(tmp_path):
    notes = [make_set.make(tmp_path / str(seed), 3, seed, 1) for seed in (0, 1)]
    assert notes[0]["sha256_of_files"] != notes[1]["sha256_of_files"]


def test_two_hundred_files_have_imagenets_means(tmp_path):
    note = make_set.make(tmp_path, 200, 0, 2)
    assert note["mean_pixels"] == pytest.approx(sizes.MEAN_PIXELS, rel=WITHIN)
    assert note["mean_bytes"] == pytest.approx(sizes.MEAN_BYTES, rel=WITHIN)
    assert note["bits_a_pixel"] == pytest.approx(4.6, rel=WITHIN)
    files = sorted(tmp_path.glob("*/*.jpg"))
    assert len(files) == 200
    assert sum(f.stat().st_size for f in files) == note["total_bytes"]
    pixels = [np.prod(Image.open(f).size) for f in files]
    assert np.mean(pixels) == pytest.approx(note["mean_pixels"])
    assert 0.4 < np.std(pixels) / np.mean(pixels) < 1.0


@pytest.mark.parametrize("seed", [0, 1, 2, 11])
@pytest.mark.parametrize("count", [200, 1000, 3000])
def test_sizes_keep_the_means_for_any_count_and_seed(seed, count):
    drawn = np.array(sizes.picture_sizes(seed, count))
    assert np.mean(drawn[:, 0] * drawn[:, 1]) == pytest.approx(sizes.MEAN_PIXELS, rel=0.005)
    assert np.mean(drawn[:, 2]) == pytest.approx(sizes.MEAN_BYTES, rel=0.005)
    assert (drawn[:, 0] > drawn[:, 1]).mean() > 0.5 > (drawn[:, 0] < drawn[:, 1]).mean() > 0.1
    assert drawn[:, :2].min() >= 50 and drawn[:, :2].max() <= 2000


def test_a_file_is_baseline_and_halves_its_chroma(tmp_path):
    make_set.make(tmp_path, 1, 0, 1)
    image = Image.open(make_set.path_of(tmp_path, 0))
    assert image.mode == "RGB" and not image.info.get("progressive")
    assert [layer[1:3] for layer in image.layer] == [(2, 2), (1, 1), (1, 1)]


def test_a_complete_set_is_left_alone_and_a_damaged_one_is_not(tmp_path):
    make_set.make(tmp_path, 3, 0, 1)
    path = make_set.path_of(tmp_path, 1)
    before = path.stat().st_mtime_ns
    make_set.make(tmp_path, 3, 0, 1)
    assert path.stat().st_mtime_ns == before
    path.unlink()
    make_set.make(tmp_path, 3, 0, 1)
    assert path.is_file()
    make_set.make(tmp_path, 2, 0, 1)
    assert sum(1 for _ in tmp_path.glob("*/*.jpg")) == 2


def test_the_quality_is_the_one_nearest_to_the_bytes():
    image = picture.draw(np.random.default_rng(1), 160, 120, np.zeros(3))
    encoded, quality = picture.encode_near(image, 8000)
    assert Image.open(io.BytesIO(encoded)).size == (160, 120)
    for other in (quality - 1, quality + 1):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=other, subsampling="4:2:0")
        assert abs(len(out.getvalue()) - 8000) >= abs(len(encoded) - 8000)


def test_detail_has_the_spectrum_of_photographs():
    """The power of natural images falls with about the square of the frequency."""
    field = picture._detail(np.random.default_rng(3), 512, 512, 0.7)
    power = np.abs(np.fft.fft2(field)) ** 2
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(512), np.fft.fftfreq(512)))
    bands = [(0.02, 0.04), (0.04, 0.08), (0.08, 0.16), (0.16, 0.32)]
    means = [power[(frequency >= low) & (frequency < high)].mean() for low, high in bands]
    slope = np.polyfit(np.log([low for low, _ in bands]), np.log(means), 1)[0]
    assert -3.0 < slope < -1.3
