"""NVIDIA DALI without a GPU: its reader, its decoder of regions, its resize and normalise, on its threads."""

import random

from ..image_folder import MEAN, SIDE, STD, samples
from .base import Adapter


class Loader:
    """A pipeline an epoch, over a list that is shuffled here: DALI's own shuffling is only within a buffer."""

    def __init__(self, folder, batch_size, threads, seed):
        self.samples, self.batch_size, self.threads = samples(folder), batch_size, threads
        self.order = random.Random(seed)

    def pipeline(self, files, labels, seed):
        from nvidia.dali import fn, pipeline_def, types

        @pipeline_def(batch_size=self.batch_size, num_threads=self.threads, device_id=None, seed=seed, prefetch_queue_depth=2)
        def graph():
            encoded, label = fn.readers.file(files=files, labels=labels, pad_last_batch=True, name="reader")
            images = fn.decoders.image_random_crop(encoded, device="cpu", output_type=types.RGB, use_fast_idct=True,
                                                   random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3], num_attempts=10)
            images = fn.resize(images, size=[SIDE, SIDE], interp_type=types.INTERP_LINEAR, antialias=False)
            images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mirror=fn.random.coin_flip(),
                                              mean=[255 * m for m in MEAN], std=[255 * s for s in STD])
            return images, label

        return graph()

    def __iter__(self):
        import numpy as np

        listed = list(self.samples)
        self.order.shuffle(listed)
        pipeline = self.pipeline([path for path, _ in listed], [label for _, label in listed], self.order.randrange(2**31))
        pipeline.build()
        left = len(listed)
        while left > 0:
            images, labels = pipeline.run()
            count = min(self.batch_size, left)  # the reader pads the last batch with its last sample
            left -= count
            yield np.asarray(images.as_tensor())[:count], np.asarray(labels.as_tensor())[:count, 0]


class Dali(Adapter):
    modules = ("numpy", "nvidia.dali")
    packages = ("nvidia-dali-cuda120", "nvidia-nvimgcodec-cu12", "numpy")
    differs = ("fast inverse DCT", "resizes without antialiasing", "decodes the crop only", "builds its pipeline anew each epoch")

    def open(self, folder, packed, batch_size, threads, seed):
        return Loader(folder, batch_size, threads, seed)


ADAPTERS = {"dali": Dali()}
