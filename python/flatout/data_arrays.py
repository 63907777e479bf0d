"""Batches of tokens and of NumPy's rows, by the same native threads as pictures: flatout.data.tokens() and flatout.data.arrays()."""

import ctypes
import os
import weakref

import numpy

from flatout.data import Loader
from flatout.data_files import named_files
from flatout.data_library import ArrayFacts, LoaderError, check, native

__all__ = ["arrays", "tokens"]


def tokens(files, dtype=None, header_bytes=0, end_of_text=None, index=None):
    """Token files as one stream: flat ones of `dtype` ("uint8", "uint16", "uint32", "int32", "int64") behind `header_bytes`, or .npy.

    A path, a list of paths, or "train_{000..099}.bin"; wildcards are allowed. Documents, for pack() and pad_to_bucket(), end with the token
    `end_of_text`, or begin where the .npy `index` says (int64: the first token of each, and the end of the last one).
    """
    paths = named_files(files)
    if not paths:
        raise LoaderError("flatout.data.tokens: no file was named")
    said = {"type": dtype and numpy.dtype(dtype).name, "end_of_text": end_of_text, "index": index and os.fspath(index)}
    return Tokens({"tokens": {"files": paths, "header_bytes": header_bytes, **{key: value for key, value in said.items() if value is not None}}})


def arrays(data, labels=None):
    """Rows of an .npy file, one a sample, and those of another one as labels. Rows are read when they are wanted."""
    return Arrays({"arrays": {"data": os.fspath(data), **({} if labels is None else {"labels": os.fspath(labels)})}})


class _Description:
    """A description; batch() ends it."""

    def __init__(self, spec):
        self._spec = spec

    def _with(self, **more):
        return type(self)({**self._spec, **more})

    def _inside(self, kind, **more):
        return self._with(**{kind: {**self._spec[kind], **more}})

    def shuffle(self, seed=0):
        return self._with(shuffle=True, seed=seed)

    def shard(self, rank, ranks, drop_uneven=False):
        return self._with(rank=rank, ranks=ranks, drop_uneven=drop_uneven)

    def batch(self, size, drop_last=False, threads=0, ahead=0, on_bad_sample="raise", tune=None):
        """threads 0: two at most; ahead 0: two batches. tune: with those that are 0 as a beginning; None: where threads is 0."""
        return ArrayLoader({**self._spec, "batch_size": size, "drop_last": drop_last, "threads": threads, "ahead": ahead,
                            "on_bad_sample": on_bad_sample, "tune": threads == 0 if tune is None else tune})


class Tokens(_Description):
    def window(self, length, stride=None, joined=False):
        """Batches (inputs, targets), each (batch, length), targets moved on by one; joined: one array (batch, length + 1).

        A window begins each `stride` tokens (length where nothing is said), in no regard of documents.
        """
        return self._inside("tokens", window={"length": length, "joined": joined, **({} if stride is None else {"stride": stride})})

    def pack(self, length, method="first_fit", pad=0, ignore=-100):
        """Batches (inputs, targets, segments, positions), each (batch, length), of whole documents that share a sequence.

        Targets are `ignore` behind a document's last token; segments count from 1, and are 0 where `pad` fills what is empty.
        method: "first_fit" cuts only documents that are longer than `length`, "concat" wherever a sequence is full.
        """
        return self._inside("tokens", pack={"length": length, "method": method, "pad": pad, "ignore": ignore})

    def pad_to_bucket(self, lengths, pad=0):
        """Batches (tokens, lengths): documents of like length, filled up with `pad` to the shortest of `lengths` that takes them, or cut to the longest."""
        return self._inside("tokens", pad_to_bucket={"lengths": list(lengths), "pad": pad})

    def dtype(self, name):
        """Of what is given: "int64" or "int32"."""
        return self._inside("tokens", out=name)


class Arrays(_Description):
    def to_float32(self, scale=1.0, offset=0.0):
        """Rows as float32, each number times `scale` plus `offset`; labels stay as they are."""
        return self._inside("arrays", out="float32", scale=scale, offset=offset)


class ArrayLoader(Loader):
    """Epochs of tuples of arrays, or of one array. Each iteration is the next epoch; `epoch` may be set before one."""

    def _given(self, batch):
        parts = []
        for number in range(native.flatout_batch_arrays(batch)):
            part = ArrayFacts()
            check(native.flatout_batch_array(batch, number, ctypes.byref(part)))
            parts.append((numpy.dtype(part.type.decode()), part.shape[:part.axes], part.data))
        begin = parts[0][2]
        end = max(data + dtype.itemsize * int(numpy.prod(shape)) for dtype, shape, data in parts)
        # Freed when the last view of any of the arrays is gone.
        memory = (ctypes.c_char * (end - begin)).from_address(begin)
        weakref.finalize(memory, native.flatout_batch_free, batch).atexit = False
        made = tuple(numpy.frombuffer(memory, dtype, int(numpy.prod(shape)), data - begin).reshape(shape) for dtype, shape, data in parts)
        return _one_or_all(made)

    def _given_on_device(self, batch):
        return _one_or_all(super()._given_on_device(batch))


def _one_or_all(made):
    return made if len(made) > 1 else made[0]
