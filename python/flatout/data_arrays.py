"""Batches of tokens and of NumPy's rows, by the same native threads as pictures: flatout.data.tokens() and flatout.data.arrays()."""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import TYPE_CHECKING, Any, Iterable, Literal, Sequence, TypeVar, Union

import numpy

from flatout.data_arguments import Argument
from flatout.data_files import named_files
from flatout.data_images import batched, sharded
from flatout.data_library import ArgumentError, ArgumentTypeError, ArrayFacts, check, native
from flatout.data_loader import Loader
from flatout.data_shown import shown_spec

if TYPE_CHECKING:
    StrPath = Union[str, "os.PathLike[str]"]

__all__ = ["ArrayLoader", "Arrays", "Tokens", "arrays", "tokens"]

_Self = TypeVar("_Self", bound="_Description")


def tokens(files: StrPath | Iterable[StrPath], dtype: Any = None, header_bytes: int = 0, end_of_text: int | None = None,
           index: StrPath | None = None) -> Tokens:
    """Token files as one stream: flat ones of `dtype` ("uint8", "uint16", "uint32", "int32", "int64") behind `header_bytes`, or .npy.

    A path, a list of paths, or "train_{000..099}.bin"; wildcards are allowed. Documents, for pack() and pad_to_bucket(), end with the token
    `end_of_text`, or begin where the .npy `index` says (int64: the first token of each, and the end of the last one).
    """
    paths = named_files(files, "tokens", "files")
    if not paths:
        raise ArgumentError(f"flatout.data: tokens(files={files!r}): no file was named")
    said = {"type": _type_name(dtype) if dtype else None,
            "end_of_text": None if end_of_text is None else Argument("tokens", "end_of_text", end_of_text).whole(),
            "index": Argument("tokens", "index", index).path() if index else None}
    header = Argument("tokens", "header_bytes", header_bytes).whole(0)
    return Tokens({"tokens": {"files": paths, "header_bytes": header, **{key: value for key, value in said.items() if value is not None}}})


def _type_name(dtype: Any) -> str:
    try:
        return str(numpy.dtype(dtype).name)
    except TypeError as error:
        raise ArgumentTypeError(f"flatout.data: tokens(dtype={dtype!r}): {error}") from None


def arrays(data: StrPath, labels: StrPath | None = None) -> Arrays:
    """Rows of an .npy file, one a sample, and those of another one as labels. Rows are read when they are wanted."""
    files = {"data": Argument("arrays", "data", data).path()}
    if labels is not None:
        files["labels"] = Argument("arrays", "labels", labels).path()
    return Arrays({"arrays": files})


class _Description:
    """A description, which never changes: each call gives another one, and batch() ends it. Pickles."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec

    def __repr__(self) -> str:
        return f"<flatout.data_arrays.{type(self).__name__}: {shown_spec(self._spec)}>"

    def _with(self: _Self, **more: Any) -> _Self:
        return type(self)({**self._spec, **more})

    def _inside(self: _Self, kind: str, **more: Any) -> _Self:
        return self._with(**{kind: {**self._spec[kind], **more}})

    def shuffle(self: _Self, seed: int = 0) -> _Self:
        """Each epoch in an order of its own, which depends on the seed and the epoch's number alone."""
        return self._with(shuffle=True, seed=Argument("shuffle", "seed", seed).seed())

    def shard(self: _Self, rank: int, ranks: int, drop_uneven: bool = False) -> _Self:
        """Every ranks-th sample, from the rank-th on. drop_uneven: leaves out the last samples where they do not divide by the ranks, in
        place of drawing the first ones again."""
        return self._with(**sharded(rank, ranks, drop_uneven))

    def batch(self, size: int, drop_last: bool = False, threads: int = 0, ahead: int = 0,
              on_bad_sample: Literal["raise", "skip"] = "raise", tune: bool | None = None) -> ArrayLoader:
        """Opens the files and starts the threads. threads 0: two at most; ahead 0: two batches. tune: with those that are 0 as a
        beginning; None: where threads is 0. on_bad_sample "skip" leaves samples that cannot be read out."""
        return ArrayLoader({**self._spec, **batched(size, drop_last, threads, ahead, on_bad_sample, tune)})


class Tokens(_Description):
    """A description of token files: window(), pack() or pad_to_bucket() says what a sample is, batch() ends it."""

    def window(self, length: int, stride: int | None = None, joined: bool = False) -> Tokens:
        """Batches (inputs, targets), each (batch, length), targets moved on by one; joined: one array (batch, length + 1).

        A window begins each `stride` tokens (length where nothing is said), in no regard of documents.
        """
        said = {"length": Argument("window", "length", length).whole(1), "joined": Argument("window", "joined", joined).flag()}
        if stride is not None:
            said["stride"] = Argument("window", "stride", stride).whole(1)
        return self._inside("tokens", window=said)

    def pack(self, length: int, method: Literal["first_fit", "concat"] = "first_fit", pad: int = 0, ignore: int = -100) -> Tokens:
        """Batches (inputs, targets, segments, positions), each (batch, length), of whole documents that share a sequence.

        Targets are `ignore` behind a document's last token; segments count from 1, and are 0 where `pad` fills what is empty.
        method: "first_fit" cuts only documents that are longer than `length`, "concat" wherever a sequence is full.
        """
        said = {"length": Argument("pack", "length", length).whole(1), "method": Argument("pack", "method", method).word("first_fit", "concat"),
                "pad": Argument("pack", "pad", pad).whole(), "ignore": Argument("pack", "ignore", ignore).whole()}
        return self._inside("tokens", pack=said)

    def pad_to_bucket(self, lengths: Sequence[int], pad: int = 0) -> Tokens:
        """Batches (tokens, lengths): documents of like length, filled up with `pad` to the shortest of `lengths` that takes them, or cut to the longest."""
        said = {"lengths": Argument("pad_to_bucket", "lengths", lengths).rising_wholes(), "pad": Argument("pad_to_bucket", "pad", pad).whole()}
        return self._inside("tokens", pad_to_bucket=said)

    def dtype(self, name: Literal["int64", "int32"]) -> Tokens:
        """Of what is given: "int64" or "int32"."""
        return self._inside("tokens", out=Argument("dtype", "name", name, "out").word("int64", "int32"))


class Arrays(_Description):
    """A description of the rows of .npy files; batch() ends it."""

    def to_float32(self, scale: float = 1.0, offset: float = 0.0) -> Arrays:
        """Rows as float32, each number times `scale` plus `offset`; labels stay as they are."""
        return self._inside("arrays", out="float32", scale=Argument("to_float32", "scale", scale).real(),
                            offset=Argument("to_float32", "offset", offset).real())


class ArrayLoader(Loader):
    """Epochs of tuples of arrays, or of one array. Each iteration is the next epoch; `epoch` may be set before one."""

    __module__ = "flatout.data_arrays"

    def _given(self, batch: ctypes.c_void_p) -> Any:
        parts = []
        for number in range(native.flatout_batch_arrays(batch)):
            part = ArrayFacts()
            check(native.flatout_batch_array(batch, number, ctypes.byref(part)))
            parts.append((numpy.dtype(part.type.decode()), part.shape[:part.axes], part.data))
        begin = parts[0][2]
        end = max(data + dtype.itemsize * int(numpy.prod(shape)) for dtype, shape, data in parts)
        # Freed when the last view of any of the arrays is gone.
        memory = (ctypes.c_char * (end - begin)).from_address(begin)
        weakref.finalize(memory, native.flatout_batch_free, batch).atexit = False  # type: ignore[misc]
        made = tuple(numpy.frombuffer(memory, dtype, int(numpy.prod(shape)), data - begin).reshape(shape) for dtype, shape, data in parts)
        return _one_or_all(made)

    def _given_on_device(self, batch: ctypes.c_void_p) -> Any:
        return _one_or_all(super()._given_on_device(batch))


def _one_or_all(made: tuple[Any, ...]) -> Any:
    return made if len(made) > 1 else made[0]
