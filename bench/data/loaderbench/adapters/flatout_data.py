"""flatout's own engine, through the interface that its users have."""

import pathlib
import subprocess

from ..image_folder import MEAN, PACKED_QUALITY, PACKED_SIDE, SIDE, STD
from .base import Adapter


class Flatout(Adapter):
    venv = "own"
    modules = ("flatout.data",)
    packages = ("flatout",)

    def versions(self):
        """Of the package; in a work tree, the commit."""
        command = ["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short", "HEAD"]
        return super().versions() or {"commit": subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"}

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
