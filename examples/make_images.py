#!/usr/bin/env python3
"""Write a folder of JPEG files that cost what photographs cost to read.

    make_images.py FOLDER [--count 3000] [--seed 1]

What a loader pays for a picture depends on its size, its file size and its
chroma subsampling, so those follow ImageNet: sides around 500x375 in both
orientations, 4:2:0, a mean near 110 KB with a wide spread. The pixels have the
1/f spectrum of natural images (Field, JOSA A 4, 1987) over smooth shading with
a few sharp-edged objects, so that no JPEG block is trivially flat. Each class
has its own range of hues and shapes: a classifier can learn something.

The same count and seed give the same files with the same library versions.
A folder that is already complete is left alone.
"""

import argparse
import colorsys
import json
import multiprocessing
import os
import pathlib
import sys
import time

import numpy as np
from PIL import Image, ImageDraw

CLASSES = ("bird", "boat", "bread", "brick", "cloud", "fruit", "leaf", "stone")
# (width, height, share): the shapes that dominate ImageNet's training set.
SHAPES = ((500, 375, 0.52), (375, 500, 0.16), (500, 333, 0.16), (333, 500, 0.06), (500, 500, 0.06), (640, 480, 0.04))
FIELD_SIDE = 1024  # side of a texture; pictures are cut from it at random places
FIELDS = 12
FIELD_SEED = 20_000
RECIPE = 1  # raise it when the pictures change, so that an old folder is written again

_fields = []


def texture(rng):
    """A field with a 1/f amplitude spectrum, mean 0, deviation 1; it wraps around at its borders."""
    fy = np.fft.fftfreq(FIELD_SIDE)[:, None]
    fx = np.fft.rfftfreq(FIELD_SIDE)[None, :]
    frequency = np.hypot(fy, fx)
    frequency[0, 0] = 1.0
    phase = rng.uniform(0, 2 * np.pi, frequency.shape)
    spectrum = np.exp(1j * phase) / frequency ** rng.uniform(0.95, 1.25)
    spectrum[0, 0] = 0
    field = np.fft.irfft2(spectrum, s=(FIELD_SIDE, FIELD_SIDE))
    return (field / field.std()).astype(np.float32)


def prepare():
    """Once a process: a few textures serve all pictures, for a transform each would cost more than the JPEG."""
    _fields[:] = [texture(np.random.default_rng(FIELD_SEED + i)) for i in range(FIELDS)]


def cut(rng, width, height):
    field = _fields[rng.integers(len(_fields))]
    y, x = rng.integers(0, FIELD_SIDE - height), rng.integers(0, FIELD_SIDE - width)
    piece = field[y:y + height, x:x + width]
    return piece[:, ::-1] if rng.random() < 0.5 else piece


def draw_objects(image, rng, class_index):
    """Sharp-edged things in the hues of the class; a later class has more corners."""
    canvas = ImageDraw.Draw(image)
    width, height = image.size
    for _ in range(int(rng.integers(3, 9))):
        hue = (class_index / len(CLASSES) + rng.normal(0, 0.05)) % 1.0
        rgb = colorsys.hsv_to_rgb(hue, rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.95))
        colour = tuple(int(255 * channel) for channel in rgb)
        cx, cy = rng.uniform(0, width), rng.uniform(0, height)
        radius = rng.uniform(0.05, 0.28) * min(width, height)
        if rng.random() < 0.4:
            canvas.ellipse((cx - radius, cy - radius * 0.7, cx + radius, cy + radius * 0.7), fill=colour)
            continue
        corners = 3 + class_index
        angles = np.linspace(0, 2 * np.pi, corners, endpoint=False) + rng.uniform(0, 2 * np.pi)
        reach = radius * rng.uniform(0.7, 1.2, corners)
        canvas.polygon([(cx + r * np.cos(a), cy + r * np.sin(a)) for a, r in zip(angles, reach)], fill=colour)


def picture(rng, class_index):
    widths, heights, shares = zip(*SHAPES)
    shape = rng.choice(len(SHAPES), p=shares)
    width, height = widths[shape], heights[shape]
    # Shading: a 3x3 grid of colours stretched over the whole picture.
    grid = rng.uniform(40, 215, (3, 3, 1)) + rng.normal(0, 18, (3, 3, 3))
    shading = Image.fromarray(grid.clip(0, 255).astype(np.uint8)).resize((width, height), Image.Resampling.BICUBIC)
    draw_objects(shading, rng, class_index)
    pixels = np.asarray(shading, dtype=np.float32)
    # Detail is mostly in brightness; colour varies slowly, as it does outdoors.
    contrast = float(np.clip(rng.lognormal(np.log(42), 0.45), 8, 110))
    light = cut(rng, width, height) * contrast
    tint = cut(rng, width, height) * contrast * 0.2
    noise = rng.standard_normal((height, width), dtype=np.float32) * rng.uniform(1, 5)
    light = light + noise
    pixels = pixels + np.stack((light + tint, light, light - tint), axis=2)
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def write(job):
    folder, seed, index = job
    rng = np.random.default_rng((seed, index))
    class_index = index % len(CLASSES)
    path = pathlib.Path(folder) / CLASSES[class_index] / f"{index:05d}.jpg"
    picture(rng, class_index).save(path, quality=int(rng.integers(88, 97)), subsampling="4:2:0")
    return path.stat().st_size


def complete(folder, manifest):
    """True if `folder` holds exactly what `manifest` asks for."""
    note = folder / "made.json"
    if not note.is_file() or json.loads(note.read_text()) != manifest:
        return False
    return sum(1 for _ in folder.glob("*/*.jpg")) == manifest["count"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    manifest = {"count": options.count, "seed": options.seed, "recipe": RECIPE}
    if complete(options.folder, manifest):
        print(f"{options.count} pictures are already in {options.folder}")
        return
    for name in CLASSES:
        (options.folder / name).mkdir(parents=True, exist_ok=True)
        for stale in (options.folder / name).glob("*.jpg"):
            stale.unlink()
    began, total_bytes = time.monotonic(), 0
    jobs = ((str(options.folder), options.seed, index) for index in range(options.count))
    cores = len(os.sched_getaffinity(0))
    with multiprocessing.Pool(cores, initializer=prepare) as pool:
        for done, size in enumerate(pool.imap_unordered(write, jobs, chunksize=16), 1):
            total_bytes += size
            if done % 100 == 0 or done == options.count:
                show(done, options.count, time.monotonic() - began)
    (options.folder / "made.json").write_text(json.dumps(manifest) + "\n")
    mean_kb = total_bytes / max(1, options.count) / 1000
    print(f"{options.count} pictures in {options.folder}: {total_bytes / 1e6:.0f} MB, {mean_kb:.0f} kB in the mean")


def show(done, count, seconds):
    """One line that moves on a terminal; a line every tenth in a log file."""
    left = seconds / done * (count - done)
    text = f"writing pictures: {done} of {count}, {left:.0f} s left"
    if sys.stdout.isatty():
        print(f"\r{text}   ", end="\n" if done == count else "", flush=True)
    elif done % max(100, count // 10) < 100:
        print(text, flush=True)


if __name__ == "__main__":
    main()
