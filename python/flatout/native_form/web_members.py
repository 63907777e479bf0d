"""A tar shard as WebDataset's own samples, whose members are not read but known by number."""

from __future__ import annotations

import itertools
import re
import sys
import tarfile
from urllib.parse import urlparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

DECODED = ("jpg", "jpeg", "png", "webp")  # parts of a name that stand for a picture the engine decodes
_PICTURES = (*DECODED, "ppm", "pgm", "pbm", "pnm")  # what the engine takes for a sample's picture, if it is the first
_NOTES = re.compile(r"__[^/]*__($|/)")  # WebDataset's skip_meta


class Member:
    """One file of a sample. `number`: the engine's of that sample; None: the engine takes another for its picture. `place`: of the sample
    in its shard, counted from 0; keys may come again."""

    __slots__ = ("url", "file", "key", "number", "place")

    def __init__(self, url: str, file: str) -> None:
        self.url = url
        self.file = file
        self.key: Any = None
        self.number: Any = None
        self.place: Any = None

    def name(self) -> str:
        """As the engine calls that file."""
        return "%s: %s" % (urlparse(self.url).path, self.file)

    def sample(self) -> Any:
        """As WebDataset reads it: the tar file from its beginning, which is slow and rare."""
        tars = sys.modules["webdataset.tariterators"]
        with open(urlparse(self.url).path, "rb") as stream:
            samples = tars.group_by_keys(tars.tar_file_expander([{"url": self.url, "stream": stream}]))
            sample = next(itertools.islice(samples, self.place, None), None)
        if sample is None or sample["__key__"] != self.key:
            raise OSError("%s has no sample %s any more" % (self.url, self.key))
        return sample


def expanded(source: Any, first: Any) -> Iterator[Any]:
    """Samples of each {"url": ...} of `source`, grouped by WebDataset. `first`: path -> number of the engine's first sample."""
    group = sys.modules["webdataset.tariterators"].group_by_keys
    for shard in source:
        url = shard["url"] if isinstance(shard, dict) else shard
        number = first[urlparse(url).path]
        for place, sample in enumerate(group(_members(url))):
            pictures = [part for part in sample if part in _PICTURES]
            for part, member in sample.items():
                if type(member) is Member:
                    member.key, member.place = sample["__key__"], place
                    member.number = number if pictures and part == pictures[0] else None
            number += 1 if pictures else 0
            yield sample


def _members(url: str) -> Iterator[Any]:
    meta = sys.modules["webdataset.tariterators"]
    with tarfile.open(urlparse(url).path, "r:") as tar:
        while True:
            entry = tar.next()
            if entry is None:
                return
            tar.members = []  # type: ignore[attr-defined]  # a shard may have millions
            name = entry.name
            if not entry.isreg() or "/" not in name and name.startswith(meta.meta_prefix) and name.endswith(meta.meta_suffix):
                continue
            if _NOTES.match(name):
                continue
            yield {"fname": name, "data": Member(url, name), "__url__": url}
