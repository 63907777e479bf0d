"""flatout.data.Images: what is made of pictures, step by step."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Sequence, Union

from flatout.data_arguments import Argument
from flatout.data_library import ArgumentError
from flatout.data_loader import Loader
from flatout.data_shown import shown_spec

if TYPE_CHECKING:
    Size = Union[int, Sequence[int]]  # a side, or (height, width), in pixels
    Range = Union[float, Sequence[float]]  # d for [-d, d], or (low, high)
    Fill = Union[float, Sequence[float]]  # 0 to 255, of all channels or one each
    WarpFilter = Literal["nearest", "bilinear", "bicubic"]
    Filter = Literal["bilinear", "bicubic", "box", "hamming", "lanczos"]

__all__ = ["Images"]

_WARP_FILTERS = ("nearest", "bilinear", "bicubic")
_FILTERS = ("bilinear", "bicubic", "box", "hamming", "lanczos")


class Images:
    """A description of pictures and steps, which never changes: each call gives another one, and batch() ends it. Pickles."""

    __module__ = "flatout.data"  # where users have it from

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec

    def __repr__(self) -> str:
        return f"<flatout.data.Images: {shown_spec(self._spec)}>"

    def _with(self, **more: Any) -> Images:
        return Images({**self._spec, **more})

    def _step(self, name: str, **parameters: Any) -> Images:
        return self._with(steps=[*self._spec.get("steps", []), {name: parameters}])

    def shuffle(self, seed: int = 0) -> Images:
        """Each epoch in an order of its own, which depends on the seed and the epoch's number alone. Random steps draw by the same seed."""
        return self._with(shuffle=True, seed=Argument("shuffle", "seed", seed).seed())

    def random_resized_crop(self, size: Size, scale: Sequence[float] = (0.08, 1.0), ratio: Sequence[float] = (3 / 4, 4 / 3),
                            interpolation: Filter | Literal["random"] = "bilinear") -> Images:
        """torchvision's RandomResizedCrop: a box of a share of the area from `scale` and of a `ratio` of width to height, resized to `size`."""
        of = partial(Argument, "random_resized_crop")
        return self._step("random_resized_crop", size=of("size", size).size(), scale=of("scale", scale).reals(2),
                          ratio=of("ratio", ratio).reals(2), interpolation=of("interpolation", interpolation).word(*_FILTERS, "random"))

    decode_crop_resize = random_resized_crop

    def resize(self, size: Size, interpolation: Filter = "bilinear") -> Images:
        """The shorter side to a number of pixels, or the picture to (height, width)."""
        of = partial(Argument, "resize")
        return self._step("resize", size=of("size", size).size(), interpolation=of("interpolation", interpolation).word(*_FILTERS))

    def center_crop(self, size: Size) -> Images:
        """The middle, as a square or (height, width); zeros where the picture is smaller."""
        return self._step("center_crop", size=Argument("center_crop", "size", size).size())

    def flip(self, p: float = 0.5) -> Images:
        """Left to right, with probability p."""
        return self._step("random_horizontal_flip", p=Argument("flip", "p", p).real())

    def vertical_flip(self, p: float = 0.5) -> Images:
        """Top to bottom, with probability p."""
        return self._step("random_vertical_flip", p=Argument("vertical_flip", "p", p).real())

    def random_crop(self, size: Size, padding: int = 0, pad_if_needed: bool = False) -> Images:
        """A box of that size, after `padding` pixels of zeros on each side; pad_if_needed: more of them where the picture is smaller."""
        of = partial(Argument, "random_crop")
        return self._step("random_crop", size=of("size", size).size(), padding=of("padding", padding).whole(0),
                          pad_if_needed=of("pad_if_needed", pad_if_needed).flag())

    def grayscale(self, p: float = 1.0) -> Images:
        """Three equal channels, with probability p."""
        return self._step("random_grayscale", p=Argument("grayscale", "p", p).real())

    def color_jitter(self, brightness: Sequence[float] = (1, 1), contrast: Sequence[float] = (1, 1), saturation: Sequence[float] = (1, 1),
                     hue: Sequence[float] = (0, 0)) -> Images:
        """Factors are drawn from these ranges; torchvision's brightness=0.4 is (0.6, 1.4)."""
        of = partial(Argument, "color_jitter")
        return self._step("color_jitter", brightness=of("brightness", brightness).reals(2), contrast=of("contrast", contrast).reals(2),
                          saturation=of("saturation", saturation).reals(2), hue=of("hue", hue).reals(2))

    def rotation(self, degrees: Range, interpolation: WarpFilter = "nearest", expand: bool = False,
                 center: Sequence[float] | None = None, fill: Fill = 0) -> Images:
        """By an angle from [-degrees, degrees], or from the range that two numbers give; about `center` (x, y), or the middle."""
        of = partial(Argument, "rotation")
        about = {} if center is None else {"center": of("center", center).reals(2)}
        return self._step("random_rotation", degrees=of("degrees", degrees).real_or_reals(2), expand=of("expand", expand).flag(),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3), **about)

    def affine(self, degrees: Range, translate: Sequence[float] = (0, 0), scale: Sequence[float] = (1, 1), shear: Range = 0,
               interpolation: WarpFilter = "nearest", center: Sequence[float] | None = None, fill: Fill = 0) -> Images:
        """torchvision's RandomAffine: shares of width and height, factors, degrees."""
        of = partial(Argument, "affine")
        about = {} if center is None else {"center": of("center", center).reals(2)}
        return self._step("random_affine", degrees=of("degrees", degrees).real_or_reals(2), translate=of("translate", translate).reals(2),
                          scale=of("scale", scale).reals(2), shear=of("shear", shear).real_or_reals(2, 4),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3), **about)

    def perspective(self, distortion_scale: float = 0.5, p: float = 0.5, interpolation: WarpFilter = "bilinear", fill: Fill = 0) -> Images:
        """torchvision's RandomPerspective."""
        of = partial(Argument, "perspective")
        return self._step("random_perspective", distortion_scale=of("distortion_scale", distortion_scale).real(), p=of("p", p).real(),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3))

    def invert(self, p: float = 0.5) -> Images:
        """torchvision's RandomInvert: each value v becomes 255 - v, with probability p."""
        return self._step("random_invert", p=Argument("invert", "p", p).real())

    def posterize(self, bits: int, p: float = 0.5) -> Images:
        """torchvision's RandomPosterize: the upper `bits` (1 to 8) of each value are kept, with probability p."""
        of = partial(Argument, "posterize")
        return self._step("random_posterize", bits=of("bits", bits).whole(1, 8), p=of("p", p).real())

    def solarize(self, threshold: float, p: float = 0.5) -> Images:
        """torchvision's RandomSolarize: values from `threshold` on are inverted, with probability p."""
        of = partial(Argument, "solarize")
        return self._step("random_solarize", threshold=of("threshold", threshold).real(), p=of("p", p).real())

    def autocontrast(self, p: float = 0.5) -> Images:
        """torchvision's RandomAutocontrast, with probability p."""
        return self._step("random_autocontrast", p=Argument("autocontrast", "p", p).real())

    def equalize(self, p: float = 0.5) -> Images:
        """torchvision's RandomEqualize, with probability p."""
        return self._step("random_equalize", p=Argument("equalize", "p", p).real())

    def sharpness(self, factor: float, p: float = 0.5) -> Images:
        """torchvision's RandomAdjustSharpness: 0 blurs, 1 changes nothing, 2 sharpens; with probability p."""
        of = partial(Argument, "sharpness")
        return self._step("random_adjust_sharpness", sharpness_factor=of("factor", factor).real(), p=of("p", p).real())

    def blur(self, kernel_size: Size, sigma: Range = (0.1, 2.0)) -> Images:
        """torchvision's GaussianBlur: kernel_size is odd, or (columns, rows), in pixels; sigma is drawn from the range, or is the number."""
        of = partial(Argument, "blur")
        return self._step("gaussian_blur", kernel_size=of("kernel_size", kernel_size).size(), sigma=of("sigma", sigma).real_or_reals(2))

    def rand_augment(self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation: WarpFilter = "nearest",
                     fill: Fill = 0) -> Images:
        """torchvision's RandAugment: `num_ops` operations, each of `magnitude` out of num_magnitude_bins."""
        of = partial(Argument, "rand_augment")
        return self._step("rand_augment", num_ops=of("num_ops", num_ops).whole(0), magnitude=of("magnitude", magnitude).whole(0),
                          num_magnitude_bins=of("num_magnitude_bins", num_magnitude_bins).whole(2),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3))

    def trivial_augment(self, num_magnitude_bins: int = 31, interpolation: WarpFilter = "nearest", fill: Fill = 0) -> Images:
        """torchvision's TrivialAugmentWide."""
        of = partial(Argument, "trivial_augment")
        return self._step("trivial_augment_wide", num_magnitude_bins=of("num_magnitude_bins", num_magnitude_bins).whole(2),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3))

    def auto_augment(self, policy: Literal["imagenet", "cifar10", "svhn"] = "imagenet", interpolation: WarpFilter = "nearest",
                     fill: Fill = 0) -> Images:
        """torchvision's AutoAugment by the policy of that name."""
        of = partial(Argument, "auto_augment")
        return self._step("auto_augment", policy=of("policy", policy).word("imagenet", "cifar10", "svhn"),
                          interpolation=of("interpolation", interpolation).word(*_WARP_FILTERS), fill=of("fill", fill).real_or_reals(3))

    def random_erasing(self, p: float = 0.5, scale: Sequence[float] = (0.02, 0.33), ratio: Sequence[float] = (0.3, 3.3),
                       value: Sequence[float] = (0, 0, 0), noise: bool = False) -> Images:
        """Behind normalize(): values are those of the result."""
        of = partial(Argument, "random_erasing")
        return self._step("random_erasing", p=of("p", p).real(), scale=of("scale", scale).reals(2), ratio=of("ratio", ratio).reals(2),
                          value=of("value", value).reals(3), noise=of("noise", noise).flag())

    def exif_orientation(self, turned: bool = True) -> Images:
        """Pictures as PIL.ImageOps.exif_transpose turns them; without it they are as PIL.Image.open has them."""
        return self._with(exif_orientation=Argument("exif_orientation", "turned", turned).flag())

    def fast(self, fast: bool = True) -> Images:
        """JPEG files are decoded at 1/2, 1/4 or 1/8 of their size where the first resize makes them smaller still: other pixels than
        the full decode's, in less time. docs/data.md says how far they differ. Other formats, and crops without a resize, are as before."""
        return self._with(decode="fast" if Argument("fast", "fast", fast).flag() else "exact")

    def normalize(self, mean: Sequence[float], std: Sequence[float]) -> Images:
        """(value / 255 - mean) / std of each of three channels, as ToTensor and Normalize of torchvision's."""
        of = partial(Argument, "normalize")
        return self._with(normalize={"mean": of("mean", mean).reals(3), "std": of("std", std).reals(3)})

    def mix(self, mixup: float | None = None, cutmix: float | None = None, classes: int | None = None) -> Images:
        """torchvision's MixUp and CutMix of whole batches, each with its alpha; of both one a batch, equally likely. Labels become
        float32 (batch, classes); `classes` is the folder's where nothing is said."""
        of = partial(Argument, "mix")
        kinds = [{name: {"alpha": of(name, alpha).real()}} for name, alpha in (("mixup", mixup), ("cutmix", cutmix)) if alpha is not None]
        return self._with(mix=kinds, **({} if classes is None else {"classes": of("classes", classes).whole(0)}))

    def dtype(self, name: Literal["float32", "float16", "bfloat16", "uint8"], layout: Literal["nchw", "nhwc"] = "nchw") -> Images:
        """What a batch's numbers are, and the order of its axes. NumPy has no bfloat16: such batches are uint16, of the same bits."""
        of = partial(Argument, "dtype")
        return self._with(dtype=of("name", name, "dtype").word("float32", "float16", "bfloat16", "uint8"),
                          layout=of("layout", layout).word("nchw", "nhwc"))

    def cache(self, memory_mb: int | Literal["auto"] | None = "auto", folder: str | os.PathLike[str] | None = None,
              disk_mb: int | None = None, keep: Literal["encoded", "decoded"] = "encoded") -> Images:
        """Keeps samples once they were read. memory_mb: MiB of memory, "auto" for half of what is free above 1 GiB, shared among the
        ranks, or None; keep: "encoded" (files as they are) or "decoded" (pictures as pixels). folder: on a near disk, files for
        the next process too, at most disk_mb MiB. docs/data.md#caches says when it pays."""
        of = partial(Argument, "cache")
        kept: dict[str, Any] = {"keep": of("keep", keep).word("encoded", "decoded")}
        if memory_mb is not None:
            kept["memory_mb"] = "auto" if memory_mb == "auto" else of("memory_mb", memory_mb).whole(1)
        if folder is not None:
            kept["folder"] = of("folder", folder).path()
        if disk_mb is not None:
            kept["disk_mb"] = of("disk_mb", disk_mb).whole(1)
        return self._with(cache=kept)

    def shard(self, rank: int, ranks: int, drop_uneven: bool = False) -> Images:
        """Every ranks-th sample, from the rank-th on, as DistributedSampler shares them out. drop_uneven: leaves out the last samples
        where they do not divide by the ranks, in place of drawing the first ones again."""
        return self._with(**sharded(rank, ranks, drop_uneven))

    def batch(self, size: int, drop_last: bool = False, threads: int = 0, ahead: int = 0,
              on_bad_sample: Literal["raise", "skip"] = "raise", tune: bool | None = None) -> Loader:
        """Opens the files and starts the threads. threads 0: one for each core; ahead 0: two batches. tune: with those that are 0 as a
        beginning (docs/data-tuning.md); None: where threads is 0. on_bad_sample "skip" leaves samples that cannot be read out."""
        return Loader({**self._spec, **batched(size, drop_last, threads, ahead, on_bad_sample, tune)})


def sharded(rank: int, ranks: int, drop_uneven: bool) -> dict[str, Any]:
    """What shard() of any description adds to its spec."""
    of = partial(Argument, "shard")
    checked = of("ranks", ranks).whole(1)
    if of("rank", rank).whole(0) >= checked:
        raise ArgumentError(f'flatout.data: shard(rank={rank!r}, ranks={ranks!r}): "rank" is no whole number from 0 to {checked - 1}')
    return {"rank": of("rank", rank).whole(), "ranks": checked, "drop_uneven": of("drop_uneven", drop_uneven).flag()}


def batched(size: int, drop_last: bool, threads: int, ahead: int, on_bad_sample: str, tune: bool | None) -> dict[str, Any]:
    """What batch() of any description adds to its spec."""
    of = partial(Argument, "batch")
    many = of("threads", threads).whole(0, 1024)
    return {"batch_size": of("size", size, "batch_size").whole(1), "drop_last": of("drop_last", drop_last).flag(), "threads": many,
            "ahead": of("ahead", ahead).whole(0), "on_bad_sample": of("on_bad_sample", on_bad_sample).word("raise", "skip"),
            "tune": many == 0 if tune is None else of("tune", tune).flag()}
