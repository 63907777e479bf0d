"""Grain: a map dataset of files, OpenCV's decoder in worker processes, one endless stream cut into epochs."""

import random

from .. import decoding
from ..image_folder import samples
from .base import Adapter


class Decode:
    """Called in the workers; grain hands each sample a NumPy generator of its own, from which Python's is seeded."""

    def __call__(self, sample, rng):
        path, label = sample
        random.seed(int(rng.integers(2**63)))
        with open(path, "rb") as file:
            return decoding.with_opencv(file.read()), label


class Loader:
    """Workers take a second to start, so they live on: each iter() takes the next epoch's batches off one stream."""

    def __init__(self, folder, batch_size, threads, seed):
        import grain

        listed = samples(folder)
        batches = (grain.MapDataset.source(listed).seed(seed).shuffle(seed).random_map(Decode()).batch(batch_size).repeat())
        stream = batches.to_iter_dataset(grain.ReadOptions(num_threads=1, prefetch_buffer_size=2))
        self.batches_an_epoch = -(-len(listed) // batch_size)
        self.stream = iter(stream.mp_prefetch(grain.MultiprocessingOptions(num_workers=threads)))

    def __iter__(self):
        for _ in range(self.batches_an_epoch):
            yield next(self.stream)


class Grain(Adapter):
    modules = ("numpy", "cv2", "grain")
    packages = ("grain", "opencv-python-headless", "numpy")
    differs = ("OpenCV decodes; resizes without antialiasing", "the stream runs on over the end of an epoch")

    def open(self, folder, packed, batch_size, threads, seed):
        import cv2

        cv2.setNumThreads(0)
        return Loader(folder, batch_size, threads, seed)


ADAPTERS = {"grain": Grain()}
