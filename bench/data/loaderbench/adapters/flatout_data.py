"""flatout's own engine, through the interface that its users have."""

import pathlib
import re
import subprocess

from ..image_folder import MEAN, PACKED_QUALITY, PACKED_SIDE, SIDE, STD
from .base import Adapter

ROOT = pathlib.Path(__file__).resolve().parents[4]


class Flatout(Adapter):
    venv = "own"
    modules = ("flatout.data",)
    packages = ("flatout",)

    def versions(self):
        """Of the package; in a work tree, the version that it will have, and the day of its last commit."""
        return super().versions() or {"flatout": f"{_version_to_be()}, work tree{_day_of_last_commit()}"}

    def thread_counts(self, cores):
        return [cores]  # it finds its own

    def open(self, folder, packed, batch_size, threads, seed):
        return (self.source(folder, packed).shuffle(seed=seed).random_resized_crop(SIDE).flip().normalize(MEAN, STD)
                .batch(batch_size, tune=False))  # stopped while others are measured, which would look like a slow program

    def source(self, folder, packed):
        import flatout.data

        return flatout.data.images(folder)

    def stages(self, loader):
        figures = loader.stats()  # its idle time is left out: it has the time in which others were measured
        return {stage: figures[f"{stage}_ns"] for stage in ("read", "decode", "transform")}


def _version_to_be():
    found = re.search(r"project\(flatout VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found[1] if found else "of unknown version"


def _day_of_last_commit():
    told = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cs"], capture_output=True, text=True)
    return f" of {told.stdout.strip()}" if told.returncode == 0 else ""


class FlatoutPacked(Flatout):
    """From flatout's own shards, packed by its Python interface."""

    packed = True
    differs = ("reads its own shards: the pictures resized to 256 pixels on the shorter side, once",)

    def __init__(self, kind):
        self.kind = kind

    def prepare(self, folder, packed):
        import flatout.data

        return flatout.data.pack(folder, packed, kind=self.kind, size=PACKED_SIDE, quality=PACKED_QUALITY)["bytes"]

    def source(self, folder, packed):
        import flatout.data

        return flatout.data.packed(packed)


ADAPTERS = {"flatout": Flatout(), "flatout-jpeg256": FlatoutPacked("jpeg"), "flatout-raw256": FlatoutPacked("raw")}
