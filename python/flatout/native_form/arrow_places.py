"""Where the pictures of an Arrow table lie: in which file, from which byte on, and how many bytes.

Arrow maps its files into memory and does not copy what it reads of them, so a picture's address says its place in the
file, by the kernel's list of this process's mappings. What was copied, or is compressed, lies in none.
"""

from __future__ import annotations

import bisect
import os

from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PIECES, _PIECE_BYTES = 64, 4096  # compared


class Blobs:
    """Samples that are parts of files: `places` (file, offset, length) of each, `labels` likewise; int64 arrays that nobody changes."""

    def __init__(self, paths: Any, places: Any, labels: Any) -> None:
        self.paths = paths
        self.places = places
        self.labels = labels

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: Any) -> Any:
        import numpy

        return (type(other) is Blobs and self.paths == other.paths and numpy.array_equal(self.places, other.places)
                and numpy.array_equal(self.labels, other.labels))  # fmt: skip

    def copy(self) -> Blobs:
        return self


def places_of(column: Any) -> tuple[Any, Any, Any]:
    """(paths, array of places, array of whether the row has bytes) of all rows of a chunked column of structs
    with `bytes`."""
    import numpy

    mappings = _Mappings()
    places, has = [numpy.empty((0, 3), numpy.int64)], [numpy.empty(0, bool)]
    for chunk in column.chunks:
        found, there = _of_chunk(numpy, mappings, chunk)
        places.append(found)
        has.append(there)
    return mappings.paths, numpy.concatenate(places), numpy.concatenate(has)


def _of_chunk(numpy: Any, mappings: Any, chunk: Any) -> tuple[Any, Any]:
    array = chunk.field("bytes")
    kinds = {"binary": numpy.int32, "large_binary": numpy.int64}
    if str(array.type) not in kinds:
        raise Refused("pictures as Arrow's %s have no native form" % (array.type,))
    _valid, ends, data = array.buffers()
    count = len(array)
    has = numpy.logical_and(*(numpy.asarray(one.is_valid().to_numpy(zero_copy_only=False), bool) for one in (array, chunk)))
    places = numpy.zeros((count, 3), numpy.int64)
    if not has.any():
        return places, has
    ends = numpy.frombuffer(ends, kinds[str(array.type)])[array.offset:array.offset + count + 1].astype(numpy.int64)
    file, offset = mappings.place_of(data)
    places[:, 0] = file
    places[:, 1] = offset + ends[:-1]
    places[:, 2] = numpy.where(has, ends[1:] - ends[:-1], 0)
    return places, has


class _Mappings:
    def __init__(self) -> None:
        self.paths: list[Any] = []
        self.begins: list[int] = []
        self.regions: list[Any] = []
        try:
            with open("/proc/self/maps", "rb") as lines:
                for line in lines:
                    self._add(line.split(None, 5))
        except OSError as error:
            raise Refused("where this process's memory comes from is not known: %s" % (error,))

    def _add(self, words: Any) -> None:
        if len(words) < 6 or not words[5].startswith(b"/"):
            return
        begin, end = (int(one, 16) for one in words[0].split(b"-"))
        self.begins.append(begin)
        self.regions.append((end, int(words[2], 16) - begin, int(words[4]), os.fsdecode(words[5].rstrip(b"\n"))))

    def place_of(self, buffer: Any) -> tuple[Any, Any]:
        """(number of its file in `paths`, its first byte there) of a pyarrow buffer."""
        number = bisect.bisect_right(self.begins, buffer.address) - 1
        end, to_offset, inode, path = self.regions[number] if number >= 0 else (0, 0, 0, "")
        if buffer.address + buffer.size > end:
            raise Refused("its pictures lie in memory, not as they are in an Arrow file")
        offset = buffer.address + to_offset
        if not _holds(path, inode, offset, buffer):
            raise Refused("%s is not the file any more that was opened" % (path,))
        if path not in self.paths:
            self.paths.append(path)
        return self.paths.index(path), offset


def _holds(path: str, inode: Any, offset: Any, buffer: Any) -> bool:
    """Whether the file of that name is the one that was mapped: by its number, or, as file systems above others give two of
    them, by its content, here and there."""
    try:
        with open(path, "rb", buffering=0) as file:
            pieces = 1 if os.fstat(file.fileno()).st_ino == inode else _PIECES
            size = min(buffer.size, _PIECE_BYTES)
            places = {(buffer.size - size) * piece // max(1, pieces - 1) for piece in range(pieces)}
            return all(os.pread(file.fileno(), size, offset + place) == buffer.slice(place, size).to_pybytes() for place in places)
    except OSError:
        return False
