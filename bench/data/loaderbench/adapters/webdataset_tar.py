"""WebDataset: tar shards of the same JPEG bytes, batched in the workers, unbatched loader."""

import io
import os
import pathlib
import tarfile

from .. import decoding
from ..image_folder import samples
from .base import Adapter

SHARDS = 12  # a multiple of 2, 3 and 4 workers


def write_shards(folder, packed):
    """Writes the shards unless they are there; their bytes."""
    packed = pathlib.Path(packed)
    packed.mkdir(parents=True, exist_ok=True)
    listed = samples(folder)
    # Classes are spread over the shards, as WebDataset's own tools do by shuffling before they write.
    for shard in range(SHARDS):
        path = packed / f"{shard:03d}.tar"
        if path.is_file():
            continue
        part = path.with_suffix(".part")
        with tarfile.open(part, "w") as tar:
            for index in range(shard, len(listed), SHARDS):
                source, label = listed[index]
                tar.add(source, f"{index:06d}.jpg")
                text = str(label).encode()
                entry = tarfile.TarInfo(f"{index:06d}.cls")
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text))
        os.rename(part, path)
    return sum(path.stat().st_size for path in packed.glob("*.tar"))


def _sample(pair):
    data, label = pair
    return decoding.with_pil(data), int(label)


def _collate(pairs):
    import numpy as np
    import torch

    images, labels = zip(*pairs)
    out = torch.empty((len(images), 3, 224, 224)).share_memory_()  # so that the worker's queue hands it over without a copy
    np.stack(images, out=out.numpy())
    return out, torch.tensor(labels)


class WebDataset(Adapter):
    modules = ("torch", "torch.utils.data", "numpy", "PIL.Image", "webdataset")
    packages = ("webdataset", "torch", "pillow")
    packed = True
    differs = ("reads tar shards of the same JPEG bytes", "shuffles shards and within a buffer of 1000 samples",
               "each worker's last batch may be short")

    def thread_counts(self, cores):
        return [max(1, cores - 1), cores, cores + 1]

    def prepare(self, folder, packed):
        return write_shards(folder, packed)

    def open(self, folder, packed, batch_size, threads, seed):
        import torch
        import webdataset

        torch.set_num_threads(1)
        urls = [str(path) for path in sorted(pathlib.Path(packed).glob("*.tar"))]
        dataset = (webdataset.WebDataset(urls, shardshuffle=len(urls), seed=seed, empty_check=False,
                                         nodesplitter=webdataset.single_node_only)
                   .shuffle(1000).to_tuple("jpg", "cls").map(_sample).batched(batch_size, collation_fn=_collate, partial=True))
        return webdataset.WebLoader(dataset, batch_size=None, num_workers=threads, persistent_workers=True)


ADAPTERS = {"webdataset": WebDataset()}
