#!/usr/bin/env python3
"""Write a folder of JPEG files with ImageNet's mean size and bytes, in a folder a class.

    make_set.py DIR [--images 3000] [--seed 0] [--processes N]

The same count and seed give the same bytes with the same versions of Pillow
and NumPy, for any number of processes. A folder that is already complete is
left alone; DIR/set.json says what it holds.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import statistics
import time

import numpy as np
import PIL
from loaderbench import picture, sizes

CLASSES = 20
RECIPE = 1  # raise it when the pictures change, so that an old folder is written again
SET_FILE = "set.json"


def class_of(index):
    return index % CLASSES


def path_of(folder, index):
    return folder / f"class_{class_of(index):02d}" / f"{index:06d}.jpg"


def _hue(class_index):
    """Three offsets in grey levels around a circle of colours, so that a class can be recognised by its colour."""
    angle = 2 * np.pi * (class_index / CLASSES + np.array([0, 1 / 3, 2 / 3]))
    return 18 * np.cos(angle)


def write(job):
    """Writes one picture; what it became."""
    folder, seed, index, (width, height, wanted_bytes) = job
    rng = np.random.default_rng((seed, index, RECIPE))
    encoded, quality = picture.encode_near(picture.draw(rng, width, height, _hue(class_of(index))), wanted_bytes)
    path_of(folder, index).write_bytes(encoded)
    return {"index": index, "pixels": width * height, "bytes": len(encoded), "quality": quality,
            "sha256": hashlib.sha256(encoded).hexdigest()}


def request(images, seed):
    return {"images": images, "seed": seed, "recipe": RECIPE, "pillow": PIL.__version__, "numpy": np.__version__}


def read_set(folder):
    """What DIR/set.json says, or None where there is none."""
    note = pathlib.Path(folder) / SET_FILE
    return json.loads(note.read_text()) if note.is_file() else None


def complete(folder, wanted):
    note = read_set(folder)
    if note is None or note["request"] != wanted:
        return False
    return sum(1 for _ in pathlib.Path(folder).glob("*/*.jpg")) == wanted["images"]


def summary(files):
    pixels, sizes_bytes = [f["pixels"] for f in files], [f["bytes"] for f in files]
    qualities = [f["quality"] for f in files]
    together = hashlib.sha256("".join(f["sha256"] for f in files).encode()).hexdigest()
    return {"mean_pixels": statistics.fmean(pixels), "mean_bytes": statistics.fmean(sizes_bytes),
            "bits_a_pixel": 8 * sum(sizes_bytes) / sum(pixels), "total_bytes": sum(sizes_bytes), "subsampling": "4:2:0",
            "least_pixels": min(pixels), "most_pixels": max(pixels),
            "quality_quartiles": statistics.quantiles(qualities, n=4) if len(qualities) > 1 else qualities * 3,
            "sha256_of_files": together}


def make(folder, images, seed, processes):
    """Writes the set unless it is there; what DIR/set.json says."""
    folder, wanted = pathlib.Path(folder), request(images, seed)
    if complete(folder, wanted):
        return read_set(folder)
    for class_index in range(min(CLASSES, images)):
        (folder / f"class_{class_index:02d}").mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*/*.jpg"):
        stale.unlink()
    jobs = [(folder, seed, i, size) for i, size in enumerate(sizes.picture_sizes(seed, images))]
    with multiprocessing.Pool(processes) as pool:
        files = sorted(pool.imap_unordered(write, jobs, chunksize=16), key=lambda file: file["index"])
    note = {"request": wanted, **summary(files)}
    (folder / SET_FILE).write_text(json.dumps(note, indent=1) + "\n")
    return note


def describe(note):
    low, middle, high = note["quality_quartiles"]
    return (f"{note['request']['images']} JPEG files, {note['total_bytes'] / 1e6:.0f} MB: mean {note['mean_pixels'] / 1e3:.1f} kpx,"
            f" {note['mean_bytes'] / 1e3:.1f} kB, {note['bits_a_pixel']:.2f} bit/px, {note['subsampling']},"
            f" quality {low:.0f}/{middle:.0f}/{high:.0f} (quartiles)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.images < 1:
        parser.error("--images must be at least 1")
    began = time.monotonic()
    note = make(options.folder, options.images, options.seed, options.processes)
    print(f"{describe(note)}; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
