"""Batches of pictures, made by native threads: files to arrays, decoded, cropped, flipped and normalized in one pass.

    loader = flatout.data.images("train/").shuffle(seed=0).random_resized_crop(224).flip().normalize(MEAN, STD).batch(64)
    for epoch in range(90):
        for images, labels in loader:          # NumPy arrays; torch.from_numpy(images) shares their memory
            ...

Each call gives a new description and changes none. Every sample depends on (seed, epoch, its number) alone: the number of
threads changes nothing. An array's memory is the engine's, and goes back to it when the array is gone.
Errors: ArgumentTypeError (a TypeError) and ArgumentError (a ValueError) name an argument and its value, where it is given; both are
LoaderErrors, whose text names the file and the sample, or what the description has wrong. ValueError of a loader that is closed.
"""

from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Union

from flatout.data_arguments import Argument
from flatout.data_files import named_files
from flatout.data_images import Images
from flatout.data_library import ArgumentError, ArgumentTypeError, LoaderError, Progress, check, native
from flatout.data_loader import Loader

if TYPE_CHECKING:
    from flatout.data_arrays import Arrays, Tokens

    StrPath = Union[str, "os.PathLike[str]"]

__all__ = ["ArgumentError", "ArgumentTypeError", "Images", "Loader", "LoaderError", "arrays", "images", "pack", "packed", "shards", "tokens"]


def images(root: StrPath, index_cache: bool = True) -> Images:
    """A folder with one folder of JPEG, PNG or WebP files a class, as torchvision.datasets.ImageFolder reads it.

    The list of 10 000 files and more is kept in ~/.cache/flatout/index and used until a folder changes; index_cache=False does neither.
    """
    kept = Argument("images", "index_cache", index_cache).flag()
    return Images({"images": Argument("images", "root", root).path(), **({} if kept else {"index_cache": False})})


def shards(pattern: StrPath | Iterable[StrPath], unpack: StrPath | None = None, unpack_mb: int | None = None) -> Images:
    """Tar files as WebDataset writes them: a path, a list of paths, or "train-{0000..0146}.tar"; wildcards are allowed.

    Members of one name, up to its first dot, are a sample; its picture is its .jpg (.jpeg, .png, .webp), its label the number in its .cls, or 0
    where no sample has one. Other members are left alone. LoaderError, with file and member, of what would be lost or get another's label.
    Compressed ones (.tar.gz, .tar.zst) are unpacked once, into the folder `unpack`, which may take `unpack_mb` MiB: later loaders find them there.
    """
    paths = named_files(pattern, "shards", "pattern")
    if not paths:
        raise ArgumentError(f"flatout.data: shards(pattern={pattern!r}): no tar file was named")
    if unpack is None or unpack_mb is None:
        if unpack is not None or unpack_mb is not None:
            raise ArgumentError(f"flatout.data: shards(unpack={unpack!r}, unpack_mb={unpack_mb!r}): unpack, a folder, and unpack_mb, "
                                "how many MiB it may have, go together")
        return Images({"shards": paths})
    room = {"folder": Argument("shards", "unpack", unpack).path(), "disk_mb": Argument("shards", "unpack_mb", unpack_mb).whole(1)}
    return Images({"shards": paths, "unpack": room})


def packed(root: StrPath) -> Images:
    """A folder that `flatout pack`, or pack(), wrote, of whatever kind."""
    return Images({"packed": Argument("packed", "root", root).path()})


def tokens(files: StrPath | Iterable[StrPath], dtype: Any = None, header_bytes: int = 0, end_of_text: int | None = None,
           index: StrPath | None = None) -> Tokens:
    """Token files for language models, as windows, packed or padded: see flatout.data_arrays.tokens."""
    from flatout import data_arrays
    return data_arrays.tokens(files, dtype, header_bytes, end_of_text, index)


def arrays(data: StrPath, labels: StrPath | None = None) -> Arrays:
    """Rows of .npy files: see flatout.data_arrays.arrays."""
    from flatout import data_arrays
    return data_arrays.arrays(data, labels)


def pack(source: Images | StrPath, to: StrPath, kind: str = "jpeg", size: int = 256, quality: int = 90, shard_bytes: int = 1 << 28,
         threads: int = 0, progress: Callable[[int, int, int], object] | None = None) -> dict[str, Any]:
    """Rewrites images(...) or shards(...), or a folder of class folders, into a folder that packed() reads: `flatout pack`.

    kind: "jpeg" (shorter side to `size` pixels, encoded again at `quality`), "raw" (the same, as pixels) or "original" (bytes as they are).
    What was interrupted goes on when it is called again. progress(done, total, left_out) is called after each sample; what it raises
    ends packing and is raised. What was done, as a dict: samples, left_out, shards, kept_shards, bytes, and named, a list of
    {"index", "why"} of samples that this call left out because they are no good.
    """
    spec = source._spec if isinstance(source, Images) else {"images": Argument("pack", "source", source).path()}
    if progress is not None and not callable(progress):
        raise ArgumentTypeError(f"flatout.data: pack(progress={progress!r}): it is not callable")
    asked = {"to": Argument("pack", "to", to).path(), "kind": Argument("pack", "kind", kind).word("jpeg", "raw", "original"),
             "size": Argument("pack", "size", size).whole(1), "quality": Argument("pack", "quality", quality).whole(1, 100),
             "shard_bytes": Argument("pack", "shard_bytes", shard_bytes).whole(), "threads": Argument("pack", "threads", threads).whole(0)}
    raised: list[BaseException] = []

    def tell(_: object, done: int, total: int, left_out: int) -> int:
        try:
            if progress is not None:
                progress(done, total, left_out)
        except BaseException as error:
            raised.append(error)
        return 1 if raised else 0

    report = ctypes.c_char_p()
    # Also without progress: a Ctrl-C is raised there.
    status = native.flatout_pack(json.dumps({**spec, **asked}).encode(), Progress(tell), None, ctypes.byref(report))
    if raised:
        raise raised[0]
    check(status)
    done: dict[str, Any] = json.loads(report.value or b"{}")
    return done
