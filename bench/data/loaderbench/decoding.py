"""One sample of the Python peers: bytes of a JPEG to a float32 tensor, 3 x 224 x 224, by the decoder that the peer is named after.

Each function draws from the `random` module, which torch seeds anew in every
worker. Libraries are imported on first use: no venv has all of them.
"""

import io
import random

import numpy as np

from . import crop
from .image_folder import MEAN, SIDE, STD

_SCALE = np.array([1 / (255 * s) for s in STD], dtype=np.float32)
_BIAS = np.array([-m / s for m, s in zip(MEAN, STD)], dtype=np.float32)


def normalized(pixels):
    """float32 CHW of uint8 HWC in RGB, mirrored at random: one pass a channel, written where it stays."""
    if crop.flips(random):
        pixels = pixels[:, ::-1]
    out = np.empty((3, SIDE, SIDE), dtype=np.float32)
    for channel in range(3):
        np.multiply(pixels[:, :, channel], _SCALE[channel], out=out[channel])
        out[channel] += _BIAS[channel]
    return out


def with_pil(data):
    """As torchvision does it: Pillow decodes, crops and resizes with antialiasing."""
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    left, top, width, height = crop.random_crop(random, *image.size)
    image = image.crop((left, top, left + width, top + height)).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
    return normalized(np.asarray(image))


def with_opencv(data):
    """OpenCV decodes whole and resizes bilinearly without antialiasing, its fastest."""
    import cv2

    image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    left, top, width, height = crop.random_crop(random, image.shape[1], image.shape[0])
    small = cv2.resize(image[top:top + height, left:left + width], (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
    return normalized(small[:, :, ::-1])


def _cropped_and_resized(pixels, left, top, width, height):
    from PIL import Image

    image = Image.fromarray(pixels[top:top + height, left:left + width])
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BILINEAR))


def with_torchvision(data):
    """torchvision's decode_jpeg, whole and exact, and its own resize with antialiasing, on uint8."""
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms.v2 import functional

    pixels = decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode=ImageReadMode.RGB)
    left, top, width, height = crop.random_crop(random, pixels.shape[2], pixels.shape[1])
    small = functional.resized_crop(pixels, top, left, height, width, [SIDE, SIDE], antialias=True)
    return normalized(small.numpy().transpose(1, 2, 0))


def with_simplejpeg(data):
    """libjpeg-turbo through simplejpeg, whole and exact; Pillow resizes with antialiasing."""
    import simplejpeg

    pixels = simplejpeg.decode_jpeg(data, colorspace="RGB")
    box = crop.random_crop(random, pixels.shape[1], pixels.shape[0])
    return normalized(_cropped_and_resized(pixels, *box))


def with_scaled_simplejpeg(data):
    """The same with the smallest scaled inverse DCT that leaves the crop 224 pixels, and the fast DCT and upsampling."""
    import simplejpeg

    height, width, _, _ = simplejpeg.decode_jpeg_header(data)
    left, top, w, h = crop.random_crop(random, width, height)
    # min_factor 1: scale to any n/8 that keeps both sides of the crop at least SIDE.
    pixels = simplejpeg.decode_jpeg(data, colorspace="RGB", fastdct=True, fastupsample=True, min_factor=1,
                                    min_width=-(-width * SIDE // w), min_height=-(-height * SIDE // h))
    fx, fy = pixels.shape[1] / width, pixels.shape[0] / height
    box = int(left * fx), int(top * fy), max(1, int(w * fx)), max(1, int(h * fy))
    return normalized(_cropped_and_resized(pixels, *box))
