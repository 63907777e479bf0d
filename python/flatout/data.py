"""Batches of pictures, made by native threads: files to arrays, decoded, cropped, flipped and normalized in one pass.

    loader = flatout.data.images("train/").shuffle(seed=0).random_resized_crop(224).flip().normalize(MEAN, STD).batch(64)
    for epoch in range(90):
        for images, labels in loader:          # NumPy arrays; torch.from_numpy(images) shares their memory
            ...

Each call gives a new description and changes none. Every sample depends on (seed, epoch, its number) alone: the number of
threads changes nothing. An array's memory is the engine's, and goes back to it when the array is gone.
Errors: LoaderError, whose text names the file and the sample, or what the description has wrong; ValueError of a loader that is closed.
"""

import ctypes
import json
import operator
import os
import threading
import weakref

import numpy

from flatout.data_files import named_files
from flatout.data_library import END, LoaderError, Progress, check, native
from flatout.native_form import open_engines

__all__ = ["LoaderError", "arrays", "images", "pack", "packed", "shards", "tokens"]

_DTYPES = {"float32": numpy.float32, "float16": numpy.float16, "bfloat16": numpy.uint16, "uint8": numpy.uint8}


def images(root, index_cache=True):
    """A folder with one folder of JPEG, PNG or WebP files a class, as torchvision.datasets.ImageFolder reads it.

    The list of 10 000 files and more is kept in ~/.cache/flatout/index and used until a folder changes; index_cache=False does neither.
    """
    return Images({"images": os.fspath(root), **({} if index_cache else {"index_cache": False})})


def shards(pattern, unpack=None, unpack_mb=None):
    """Tar files as WebDataset writes them: a path, a list of paths, or "train-{0000..0146}.tar"; wildcards are allowed.

    Members of one name are a sample; its picture is its .jpg (.jpeg, .png, .webp), its label the number in its .cls. Other members are left alone.
    Compressed ones (.tar.gz, .tar.zst) are unpacked once, into the folder `unpack`, which may take `unpack_mb` MiB: later loaders find them there.
    """
    paths = named_files(pattern)
    if not paths:
        raise LoaderError("flatout.data.shards: no tar file was named")
    if (unpack is None) != (unpack_mb is None):
        raise LoaderError("flatout.data.shards: unpack, a folder, and unpack_mb, how many MiB it may have, go together")
    return Images({"shards": paths, **({} if unpack is None else {"unpack": {"folder": os.fspath(unpack), "disk_mb": unpack_mb}})})


def packed(root):
    """A folder that flatout pack wrote, of whatever kind."""
    return Images({"packed": os.fspath(root)})


def tokens(files, dtype=None, header_bytes=0, end_of_text=None, index=None):
    """Token files for language models, as windows, packed or padded: see flatout.data_arrays.tokens."""
    from flatout import data_arrays
    return data_arrays.tokens(files, dtype, header_bytes, end_of_text, index)


def arrays(data, labels=None):
    """Rows of .npy files: see flatout.data_arrays.arrays."""
    from flatout import data_arrays
    return data_arrays.arrays(data, labels)


def pack(source, to, kind="jpeg", size=256, quality=90, shard_bytes=1 << 28, threads=0, progress=None):
    """Rewrites images(...) or shards(...), or a folder of class folders, into a folder that packed() reads: `flatout pack`.

    kind: "jpeg" (shorter side to `size`, encoded again at `quality`), "raw" (the same, as pixels) or "original" (bytes as they are).
    What was interrupted goes on when it is called again. progress(done, total, left_out) is called after each sample; what it raises
    ends packing and is raised. What was done, as a dict: samples, left_out, shards, kept_shards, bytes, and named, a list of
    {"index", "why"} of samples that this call left out because they are no good.
    """
    spec = source._spec if isinstance(source, Images) else {"images": os.fspath(source)}
    raised = []

    def tell(_, done, total, left_out):
        try:
            if progress is not None:
                progress(done, total, left_out)
        except BaseException as error:
            raised.append(error)
        return 1 if raised else 0

    report = ctypes.c_char_p()
    told = {**spec, "to": os.fspath(to), "kind": kind, "size": size, "quality": quality, "shard_bytes": shard_bytes, "threads": threads}
    # Also without progress: a Ctrl-C is raised there.
    status = native.flatout_pack(json.dumps(told).encode(), Progress(tell), None, ctypes.byref(report))
    if raised:
        raise raised[0]
    check(status)
    return json.loads(report.value)


def _pair(values):
    """A number, or a list of a few."""
    return values if isinstance(values, (int, float)) else list(values)


def _given(**parameters):
    return {name: list(value) for name, value in parameters.items() if value is not None}


class Images:
    """A description; batch() ends it."""

    def __init__(self, spec):
        self._spec = spec

    def _with(self, **more):
        return Images({**self._spec, **more})

    def _step(self, name, **parameters):
        return self._with(steps=[*self._spec.get("steps", []), {name: parameters}])

    def shuffle(self, seed=0):
        return self._with(shuffle=True, seed=seed)

    def random_resized_crop(self, size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation="bilinear"):
        return self._step("random_resized_crop", size=size, scale=list(scale), ratio=list(ratio), interpolation=interpolation)

    decode_crop_resize = random_resized_crop

    def resize(self, size, interpolation="bilinear"):
        return self._step("resize", size=size, interpolation=interpolation)

    def center_crop(self, size):
        return self._step("center_crop", size=size)

    def flip(self, p=0.5):
        return self._step("random_horizontal_flip", p=p)

    def vertical_flip(self, p=0.5):
        return self._step("random_vertical_flip", p=p)

    def random_crop(self, size, padding=0, pad_if_needed=False):
        return self._step("random_crop", size=size, padding=padding, pad_if_needed=pad_if_needed)

    def grayscale(self, p=1.0):
        """Three equal channels, with probability p."""
        return self._step("random_grayscale", p=p)

    def color_jitter(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        """Factors are drawn from these ranges; torchvision's brightness=0.4 is (0.6, 1.4)."""
        return self._step("color_jitter", brightness=list(brightness), contrast=list(contrast), saturation=list(saturation),
                          hue=list(hue))

    def rotation(self, degrees, interpolation="nearest", expand=False, center=None, fill=0):
        """By an angle from [-degrees, degrees], or from the range that two numbers give; about `center` (x, y), or the middle."""
        return self._step("random_rotation", degrees=_pair(degrees), interpolation=interpolation, expand=expand, fill=_pair(fill),
                          **_given(center=center))

    def affine(self, degrees, translate=(0, 0), scale=(1, 1), shear=0, interpolation="nearest", center=None, fill=0):
        """torchvision's RandomAffine: shares of width and height, factors, degrees."""
        return self._step("random_affine", degrees=_pair(degrees), translate=list(translate), scale=list(scale), shear=_pair(shear),
                          interpolation=interpolation, fill=_pair(fill), **_given(center=center))

    def perspective(self, distortion_scale=0.5, p=0.5, interpolation="bilinear", fill=0):
        """torchvision's RandomPerspective."""
        return self._step("random_perspective", distortion_scale=distortion_scale, p=p, interpolation=interpolation, fill=_pair(fill))

    def invert(self, p=0.5):
        return self._step("random_invert", p=p)

    def posterize(self, bits, p=0.5):
        return self._step("random_posterize", bits=bits, p=p)

    def solarize(self, threshold, p=0.5):
        return self._step("random_solarize", threshold=threshold, p=p)

    def autocontrast(self, p=0.5):
        return self._step("random_autocontrast", p=p)

    def equalize(self, p=0.5):
        return self._step("random_equalize", p=p)

    def sharpness(self, factor, p=0.5):
        return self._step("random_adjust_sharpness", sharpness_factor=factor, p=p)

    def blur(self, kernel_size, sigma=(0.1, 2.0)):
        """torchvision's GaussianBlur."""
        return self._step("gaussian_blur", kernel_size=_pair(kernel_size), sigma=_pair(sigma))

    def rand_augment(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation="nearest", fill=0):
        return self._step("rand_augment", num_ops=num_ops, magnitude=magnitude, num_magnitude_bins=num_magnitude_bins,
                          interpolation=interpolation, fill=_pair(fill))

    def trivial_augment(self, num_magnitude_bins=31, interpolation="nearest", fill=0):
        """torchvision's TrivialAugmentWide."""
        return self._step("trivial_augment_wide", num_magnitude_bins=num_magnitude_bins, interpolation=interpolation, fill=_pair(fill))

    def auto_augment(self, policy="imagenet", interpolation="nearest", fill=0):
        return self._step("auto_augment", policy=policy, interpolation=interpolation, fill=_pair(fill))

    def random_erasing(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=(0, 0, 0), noise=False):
        """Behind normalize(): values are those of the result."""
        return self._step("random_erasing", p=p, scale=list(scale), ratio=list(ratio), value=list(value), noise=noise)

    def exif_orientation(self, turned=True):
        """Pictures as PIL.ImageOps.exif_transpose turns them; without it they are as PIL.Image.open has them."""
        return self._with(exif_orientation=turned)

    def fast(self, fast=True):
        """JPEG files are decoded at 1/2, 1/4 or 1/8 of their size where the first resize makes them smaller still: other pixels than
        the full decode's, in less time. docs/data.md says how far they differ. Other formats, and crops without a resize, are as before."""
        return self._with(decode="fast" if fast else "exact")

    def normalize(self, mean, std):
        return self._with(normalize={"mean": list(mean), "std": list(std)})

    def mix(self, mixup=None, cutmix=None, classes=None):
        """torchvision's MixUp and CutMix of whole batches, each with its alpha; of both one a batch, equally likely. Labels become
        float32 (batch, classes); `classes` is the folder's where nothing is said."""
        kinds = [{name: {"alpha": alpha}} for name, alpha in (("mixup", mixup), ("cutmix", cutmix)) if alpha is not None]
        return self._with(mix=kinds, **({} if classes is None else {"classes": classes}))

    def dtype(self, name, layout="nchw"):
        return self._with(dtype=name, layout=layout)

    def cache(self, memory_mb="auto", folder=None, disk_mb=None, keep="encoded"):
        """Keeps samples once they were read. memory_mb: MiB of memory, "auto" for half of what is free above 1 GiB, shared among the
        ranks, or None; keep: "encoded" (files as they are) or "decoded" (pictures as pixels). folder: on a near disk, files for
        the next process too, at most disk_mb MiB. docs/data.md#caches says when it pays."""
        kept = {"memory_mb": memory_mb, "folder": None if folder is None else os.fspath(folder), "disk_mb": disk_mb}
        return self._with(cache={**{key: value for key, value in kept.items() if value is not None}, "keep": keep})

    def shard(self, rank, ranks, drop_uneven=False):
        return self._with(rank=rank, ranks=ranks, drop_uneven=drop_uneven)

    def batch(self, size, drop_last=False, threads=0, ahead=0, on_bad_sample="raise", tune=None):
        """threads 0: one for each core; ahead 0: two batches. tune: with those that are 0 as a beginning (docs/data-tuning.md);
        None: where threads is 0."""
        return Loader({**self._spec, "batch_size": size, "drop_last": drop_last, "threads": threads, "ahead": ahead,
                       "on_bad_sample": on_bad_sample, "tune": threads == 0 if tune is None else tune})


class _Epoch:
    """One iteration. A batch with a bad file raises LoaderError, and the next call continues after it."""

    def __init__(self, loader, turn):
        self._loader, self._turn = loader, turn

    def __iter__(self):
        return self

    def __next__(self):
        if self._loader._turn != self._turn:  # over, or another one has begun since
            raise StopIteration
        batch = self._loader._next()
        if batch is None:
            self._loader._stop()
            raise StopIteration
        return batch


class Loader:
    """Epochs of (images, labels). Each iteration is the next epoch; `epoch` may be set before one."""

    def __init__(self, spec):
        handle = ctypes.c_void_p()
        check(native.flatout_loader_open(json.dumps(spec).encode(), ctypes.byref(handle)))
        self._handle = handle
        self._close = open_engines.closer(self, native.flatout_loader_close, handle)
        self._texts = threading.RLock()  # the engine keeps one text of each kind; a finalizer may ask while it is held
        shape = (ctypes.c_int64 * 3)()
        native.flatout_loader_shape(handle, shape)
        self._shape = tuple(shape)
        self._dtype = numpy.dtype(_DTYPES[spec.get("dtype", "float32")])
        self.samples = native.flatout_loader_samples(handle)
        self.classes = [native.flatout_loader_class(handle, label).decode(errors="surrogateescape")
                        for label in range(native.flatout_loader_classes(handle))]
        self.epoch = 0
        self._drawn = 0  # of the next epoch, where it is resumed
        self._begun = None  # the epoch that is under way
        self._turn = 0  # its iteration, counted
        self._on_device = False
        self._as_torch = False

    def __iter__(self):
        check(native.flatout_loader_resume(self._handle, _number("epoch", self.epoch, _EPOCHS), self._drawn))
        self._drawn = 0
        self._stop()
        self._begun = self.epoch
        self.epoch += 1
        return _Epoch(self, self._turn)

    def _stop(self):
        """Whatever iteration is under way gives no more batches."""
        self._turn += 1
        self._begun = None

    def state_dict(self):
        """Where it stands, two numbers: also in the middle of an epoch, and for another number of ranks."""
        self._check_open()
        if self._begun is None:
            return {"epoch": self.epoch, "drawn": self._drawn}
        return {"epoch": self._begun, "drawn": native.flatout_loader_drawn(self._handle)}

    def load_state_dict(self, state):
        """The next iteration goes on there; what it gives is what would have come without the interruption."""
        self._check_open()
        missing = [name for name in ("epoch", "drawn") if name not in state]
        if missing:
            raise ValueError("load_state_dict: this is no state of a flatout.data loader (it has no %r)" % missing[0])
        epoch, drawn = _number("epoch", state["epoch"], _EPOCHS), _number("drawn", state["drawn"], _SAMPLES)
        self._stop()
        self.epoch, self._drawn = epoch, drawn

    def _next(self):
        handle = ctypes.c_void_p()
        status = native.flatout_loader_next(self._handle, ctypes.byref(handle))
        if status == END:
            return None
        check(status)
        return self._given_on_device(handle) if self._on_device else self._given(handle)

    def _given(self, handle):
        size = native.flatout_batch_size(handle)
        images = _array(handle, native.flatout_batch_data(handle), (size, *self._shape), self._dtype)
        labels = numpy.ctypeslib.as_array(
            ctypes.cast(native.flatout_batch_labels(handle), ctypes.POINTER(ctypes.c_int64)), (size,)).copy()
        targets, classes = native.flatout_batch_targets(handle), native.flatout_batch_classes(handle)
        if targets:
            labels = numpy.ctypeslib.as_array(ctypes.cast(targets, ctypes.POINTER(ctypes.c_float)), (size, classes)).copy()
        return images, labels

    def to(self, device, arrays=None):
        """Batches go to a CUDA device, "cuda" or "cuda:1", while the program computes; before the first epoch. "cpu" changes nothing.

        arrays: "torch" gives torch's tensors there, "dlpack" flatout.data_device.DeviceArray, for any framework; where nothing is said, the
        first where the program has imported a torch that has CUDA. The copy runs on a stream of its own; the stream that is current
        when a batch is handed over waits for it. docs/data.md#to-the-device.
        """
        from flatout import data_device
        name = data_device.device_name(device)
        as_torch = data_device.torch_wanted(arrays)
        check(native.flatout_loader_to_device(self._handle, name.encode()))
        if name != "cpu":
            self._on_device, self._as_torch = True, as_torch
        return self

    def _given_on_device(self, handle):
        from flatout import data_device
        return data_device.arrays_of(handle, self._as_torch)

    def stats(self):
        """Figures since it was opened: samples, batches, threads, nanoseconds by stage."""
        with self._texts:
            told = native.flatout_loader_stats(self._handle)
        self._check_open()
        return json.loads(told)

    def set_threads(self, threads):
        check(native.flatout_loader_set_threads(self._handle, threads))

    def close(self):
        """Ends its threads, also where another thread waits for a batch. Batches that were handed out stay as they are; what else is
        asked of it from now on is a ValueError."""
        self._close()

    def _check_open(self):
        if not self._close.alive:
            raise open_engines.closed("flatout.data: the loader is closed; make another one with batch()")

    def __reduce__(self):
        raise TypeError("flatout.data: an open loader belongs to its process, and is neither pickled nor copied: "
                        "pickle the description, and call batch() where it is used")


_EPOCHS, _SAMPLES = 1 << 32, 1 << 63


def _number(name, value, below):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError("flatout.data: %s=%r is no whole number" % (name, value)) from None
    if not 0 <= number < below:
        raise ValueError("flatout.data: %s=%r is not in 0 to %d" % (name, value, below - 1))
    return number


def _array(handle, address, shape, dtype):
    """An array over the batch's memory, which frees the batch when the last view of it is gone."""
    size = int(numpy.prod(shape)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, native.flatout_batch_free, handle).atexit = False
    return numpy.frombuffer(memory, dtype).reshape(shape)
