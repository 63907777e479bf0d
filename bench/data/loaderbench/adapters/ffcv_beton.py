"""FFCV: its own file of re-encoded JPEG (quality 95, same size in pixels), its compiled pipeline on threads."""

import pathlib

from ..image_folder import MEAN, PACKED_QUALITY, PACKED_SIDE, SIDE, STD, samples
from .base import Adapter

QUALITY = 95


class Pictures:
    def __init__(self, folder, side):
        self.samples, self.side = samples(folder), side

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        from PIL import Image

        path, label = self.samples[index]
        picture = Image.open(path).convert("RGB")
        short = min(picture.size)
        if self.side is not None and short > self.side:
            picture = picture.resize([self.side * side // short for side in picture.size], Image.BILINEAR)
        return picture, label


class Ffcv(Adapter):
    venv = "ffcv"
    modules = ("numpy", "torch", "cv2", "ffcv.loader", "ffcv.transforms", "ffcv.fields")
    packages = ("ffcv", "torch", "numba", "numpy", "opencv-python-headless")
    packed = True
    differs = (f"reads its own file: the pictures encoded again at quality {QUALITY}", "decodes whole, resizes by area average")

    side = None  # of the pictures that are written: the shorter one; None: as they are
    image = {"write_mode": "jpg", "jpeg_quality": QUALITY}

    def thread_counts(self, cores):
        return [cores]  # Numba refuses more

    def prepare(self, folder, packed):
        from ffcv.fields import IntField, RGBImageField
        from ffcv.writer import DatasetWriter

        path = pathlib.Path(packed) / "set.beton"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            fields = {"image": RGBImageField(**self.image), "label": IntField()}
            DatasetWriter(str(part), fields, num_workers=1).from_indexed_dataset(Pictures(folder, self.side))
            part.rename(path)
        return path.stat().st_size

    def open(self, folder, packed, batch_size, threads, seed):
        import numpy as np
        from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder
        from ffcv.loader import Loader, OrderOption
        from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, Squeeze, ToTensor, ToTorchImage

        mean, std = np.array(MEAN) * 255, np.array(STD) * 255
        image = [RandomResizedCropRGBImageDecoder((SIDE, SIDE)), RandomHorizontalFlip(), NormalizeImage(mean, std, np.float32),
                 ToTensor(), ToTorchImage(channels_last=False)]
        return Loader(str(pathlib.Path(packed) / "set.beton"), batch_size=batch_size, num_workers=threads, order=OrderOption.RANDOM,
                      os_cache=True, batches_ahead=3, drop_last=False, seed=seed,
                      pipelines={"image": image, "label": [IntDecoder(), ToTensor(), Squeeze()]})


class FfcvPacked(Ffcv):
    """The same pictures as the other packed sets: Pillow resizes them before they are written."""

    side = PACKED_SIDE

    def __init__(self, image, what):
        self.image = image
        self.differs = (f"reads its own file: the pictures resized to {PACKED_SIDE} pixels on the shorter side, {what}",
                        "resizes by area average")


ADAPTERS = {"ffcv": Ffcv(),
            "ffcv-jpeg256": FfcvPacked({"write_mode": "jpg", "jpeg_quality": PACKED_QUALITY},
                                       f"encoded again at quality {PACKED_QUALITY}; decodes whole"),
            "ffcv-raw256": FfcvPacked({"write_mode": "raw"}, "as pixels")}
