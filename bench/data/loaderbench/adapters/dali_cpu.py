"""NVIDIA DALI without a GPU: its reader, its decoder of regions, its resize and normalise, on its threads."""

import random

from ..image_folder import MEAN, SIDE, STD, samples
from .base import Adapter


class Loader:
    """One pipeline for all epochs. DALI shuffles the whole list anew after each of them."""

    def __init__(self, folder, batch_size, threads, seed):
        self.samples, self.batch_size, self.threads, self.seed = samples(folder), batch_size, threads, seed
        self.pipeline = None

    def build(self):
        from nvidia.dali import fn, pipeline_def, types

        listed = list(self.samples)
        random.Random(self.seed).shuffle(listed)  # the first epoch's order: DALI's own shuffling begins after it

        @pipeline_def(batch_size=self.batch_size, num_threads=self.threads, device_id=None, seed=self.seed, prefetch_queue_depth=2)
        def graph():
            encoded, label = fn.readers.file(files=[path for path, _ in listed], labels=[label for _, label in listed],
                                             shuffle_after_epoch=True, pad_last_batch=True, name="reader")
            images = fn.decoders.image_random_crop(encoded, device="cpu", output_type=types.RGB, use_fast_idct=True,
                                                   random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3], num_attempts=10)
            images = fn.resize(images, size=[SIDE, SIDE], interp_type=types.INTERP_LINEAR, antialias=False)
            images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mirror=fn.random.coin_flip(),
                                              mean=[255 * m for m in MEAN], std=[255 * s for s in STD])
            return images, label

        pipeline = graph()
        pipeline.build()
        return pipeline

    def __iter__(self):
        import numpy as np

        # An epoch that was left in the middle would go on where it was: then a new pipeline begins the next one.
        pipeline, self.pipeline = self.pipeline or self.build(), None
        left = len(self.samples)
        while left > 0:
            images, labels = pipeline.run()
            count = min(self.batch_size, left)  # the reader pads the last batch with its last sample
            left -= count
            yield np.asarray(images.as_tensor())[:count], np.asarray(labels.as_tensor())[:count, 0]
        pipeline.reset()
        self.pipeline = pipeline


class Dali(Adapter):
    modules = ("numpy", "nvidia.dali")
    packages = ("nvidia-dali-cuda120", "nvidia-nvimgcodec-cu12", "numpy")
    differs = ("fast inverse DCT", "resizes without antialiasing", "decodes the crop only")

    def open(self, folder, packed, batch_size, threads, seed):
        return Loader(folder, batch_size, threads, seed)


ADAPTERS = {"dali": Dali()}
