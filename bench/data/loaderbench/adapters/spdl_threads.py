"""SPDL: a pipeline of threads around its native spdl.io, in this process."""

import random

from .. import crop
from ..image_folder import MEAN, SIDE, STD, samples
from .base import Adapter


class Loader:
    def __init__(self, folder, batch_size, threads, seed):
        self.samples, self.batch_size, self.threads = samples(folder), batch_size, threads
        self.order = random.Random(seed)

    def decode(self, sample):
        """FFmpeg's frame of one crop, resized; its filter graph crops, scales and mirrors without the GIL."""
        import spdl.io

        path, label = sample
        packets = spdl.io.demux_image(path)
        width, height = packets.width, packets.height
        left, top, w, h = crop.random_crop(random, width, height)
        mirror = "hflip," if crop.flips(random) else ""
        description = f"crop={w}:{h}:{left}:{top}:exact=1,scale={SIDE}:{SIDE}:flags=bilinear,{mirror}format=pix_fmts=rgb24"
        return spdl.io.decode_packets(packets, filter_desc=description), label

    def batch(self, pairs):
        import spdl.io
        import torch

        frames, labels = zip(*pairs)
        pixels = spdl.io.to_torch(spdl.io.convert_frames(list(frames)))
        scale = torch.tensor([1 / (255 * s) for s in STD]).view(1, 3, 1, 1)
        bias = torch.tensor([-m / s for m, s in zip(MEAN, STD)]).view(1, 3, 1, 1)
        out = torch.empty((len(labels), 3, SIDE, SIDE))
        torch.mul(pixels.permute(0, 3, 1, 2), scale, out=out)
        return out.add_(bias), torch.tensor(labels)

    def __iter__(self):
        from spdl.pipeline import PipelineBuilder

        listed = list(self.samples)
        self.order.shuffle(listed)
        pipeline = (PipelineBuilder().add_source(listed).pipe(self.decode, concurrency=self.threads).aggregate(self.batch_size)
                    .pipe(self.batch).add_sink(2).build(num_threads=self.threads))
        with pipeline.auto_stop():
            yield from pipeline.get_iterator()


class Spdl(Adapter):
    modules = ("torch", "spdl.io", "spdl.pipeline")
    packages = ("spdl-core", "spdl-io", "av", "torch")
    differs = ("FFmpeg decodes, crops in YUV and scales bilinearly (its scaler filters when it shrinks)",)

    def why_not(self):
        """Its native part is loaded at the first call, and wants FFmpeg."""
        reason = super().why_not()
        if reason is None:
            import spdl.io.utils

            try:
                spdl.io.utils.get_ffmpeg_versions()
            except RuntimeError as problem:
                reason = f"spdl.io: {' '.join(str(problem).split())[:200]}"
        return reason

    def thread_counts(self, cores):
        return [cores, cores + 1, cores + 2]

    def open(self, folder, packed, batch_size, threads, seed):
        import torch

        torch.set_num_threads(1)
        return Loader(folder, batch_size, threads, seed)


ADAPTERS = {"spdl": Spdl()}
