"""A WebDataset pipeline in the engine's terms.

The pipeline's own stages go on choosing shards, splitting them over nodes and workers,
shuffling and batching. Only what they hand on is another thing: in place of a sample's bytes
its number in the shards (web_members.py), so that the engine reads and decodes it. The order of
samples, their number in an epoch and each draw of a shuffle are therefore the pipeline's own.
"""

from __future__ import annotations

import copy
import os
import sys
from urllib.parse import urlparse

from .answers import named
from . import web_members
from .refused import Refused
from .transforms import Lowering
from .web_function import followed, paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_LABEL = "cls"


def is_web(dataset: Any) -> bool:
    module = sys.modules.get("webdataset.pipeline")
    return module is not None and issubclass(type(dataset), module.DataPipeline)


class WebPipeline:
    """`shards`: the local tar files; `numbered(first)`: the same dataset, which gives members instead of
    samples; `batched`: in batches of at most `batch_size`, as lists of (picture, label)."""

    def __init__(self, torch: ModuleType, dataset: Any) -> None:
        known = sys.modules["webdataset.pipeline"].DataPipeline
        for method in ("__iter__", "iterator", "iterator1", "invoke"):
            if getattr(type(dataset), method) is not getattr(known, method):
                raise Refused("%s has %s() of its own" % (type(dataset).__qualname__, method))
        self.dataset = dataset
        self.lowering = Lowering(torch)
        self.keys = self.batch_size = self.transform = None
        self.decoded = None  # the endings of files that are
        self.batched = False
        self.sample_stages: list[Any] = []  # what makes a tuple of a sample's bytes: for those that the engine cannot make
        self.stages = [self._stage(stage, at) for at, stage in enumerate(dataset.pipeline)]
        if self.keys is None or self.transform is None:
            raise Refused("a WebDataset without to_tuple() and map_tuple(), or map(), has no native form")
        for transform in self.transform:
            self.lowering.take(transform)

    def spec(self) -> dict[str, Any]:
        return {**self.lowering.spec(), "shards": self.shards}

    def numbered(self, first: Any) -> Any:
        """`first`: shard -> number of its first sample."""
        out = copy.copy(self.dataset)
        expand = lambda source: web_members.expanded(source, first)  # noqa: E731
        out.pipeline = [expand if stage is _EXPAND else stage for stage in self.stages if stage is not None]
        return out

    def remade(self, members: Any) -> list[Any]:
        """The samples of these (picture, label), by the program's own stages."""
        samples = iter([picture.sample() for picture, _label in members])
        for stage in self.sample_stages:
            samples = self.dataset.invoke(stage, samples)
        return list(samples)

    def _stage(self, stage: Any, at: Any) -> Any:
        """What stands in for it; None: nothing has to."""
        if at == 0:
            return self._shards(stage)
        if self.batched:
            raise Refused("%s after batched() has no native form" % (named(stage),))
        filters, lists = sys.modules["webdataset.filters"], sys.modules["webdataset.shardlists"]
        if stage in (lists.split_by_node, lists.split_by_worker, lists.single_node_only, lists.non_empty, _check_empty()):
            return stage
        if type(stage) is filters.detshuffle:
            return stage
        if type(stage) is sys.modules["webdataset.cache"].StreamingOpen:
            _check_handler(stage.handler)
            return None
        if type(stage) is not filters.FilterFunction:
            raise Refused("%s has no native form" % (named(stage),))
        if stage.f is filters._shuffle:
            return stage
        _check_handler(stage.kw.get("handler"))
        if stage.f in (filters._map, filters._decode, filters._to_tuple, filters._map_tuple):
            self.sample_stages.append(stage)
        return self._filter(filters, stage)

    def _shards(self, stage: Any) -> Any:
        lists = sys.modules["webdataset.shardlists"]
        if type(stage) not in (lists.SimpleShardList, lists.ResampledShards):
            raise Refused("%s has no native form" % (named(stage),))
        paths = {}
        for url in stage.urls:
            paths[local_path(url)] = url
            if None in paths:
                raise Refused("%s is no file of this machine" % (url,))
        self.shards = list(paths)  # each once
        return stage

    def _filter(self, filters: Any, stage: Any) -> Any:
        tars = sys.modules["webdataset.tariterators"]
        others = {key for key, value in stage.kw.items() if value is not None} - {"handler"}
        if stage.f in (tars.tar_file_expander, tars.tarfile_samples):
            if stage.args or others:
                raise Refused("WebDataset with %s has no native form" % (", ".join(sorted(others)) or "arguments",))
            return _EXPAND
        if stage.f is tars.group_by_keys and not stage.args and not others:
            return None  # _EXPAND does it
        if stage.f is filters._map and not others and len(stage.args) == 1:
            decodes = type(stage.args[0]) is sys.modules["webdataset.autodecode"].Decoder
            return self._decode(stage.args[0]) if decodes else self._mapped(stage.args[0])
        if stage.f is filters._decode and not others:
            decode = sys.modules["webdataset.autodecode"]
            return self._decode(decode.Decoder([decode.ImageHandler(one) if isinstance(one, str) else one for one in stage.args]))
        if stage.f is filters._to_tuple:
            return self._tuple(stage, others)
        if stage.f is filters._map_tuple and not others:
            return self._transform(stage.args)
        if stage.f is filters._batched:
            return self._batches(filters, stage)
        raise Refused("webdataset.%s() has no native form" % (stage.f.__name__.lstrip("_"),))

    def _decode(self, function: Any) -> None:
        decode = sys.modules["webdataset.autodecode"]
        images = [one for one in function.handlers if one not in decode.default_pre_handlers + decode.default_post_handlers]
        if len(images) != 1 or type(images[0]) is not decode.ImageHandler or function.only is not None or function.partial:
            raise Refused("decode() with other than one kind of picture has no native form")
        if images[0].imagespec not in ("pil", "pilrgb") or decode.imagespecs[images[0].imagespec] != ("pil", None, "rgb"):
            raise Refused('decode("%s") has no native form; decode("pil") has one' % (images[0].imagespec,))
        if self.decoded is not None or self.keys is not None:
            raise Refused("decode() at this place has no native form")
        self.decoded = images[0].extensions

    def _tuple(self, stage: Any, others: Any) -> Any:
        keys = stage.args[0].split() if len(stage.args) == 1 and isinstance(stage.args[0], str) else list(stage.args)
        if others or self.decoded is None or self.keys is not None or len(keys) != 2 or keys[1] != _LABEL:
            raise Refused('to_tuple(%s) has no native form; decode("pil").to_tuple("jpg", "cls") has one' % (", ".join(map(repr, keys)),))
        pictures = keys[0].split(";") if isinstance(keys[0], str) else keys[0]
        if not all(one in web_members.DECODED for one in pictures):
            raise Refused("to_tuple(%r) has no native form: its pictures are no JPEG, PNG or WebP files by their names" % (keys[0],))
        if not self.decoded.issuperset(pictures):
            raise Refused("to_tuple(%r) has no native form: decode() leaves such files as they are" % (keys[0],))
        self.keys = keys
        return stage

    def _transform(self, functions: Any) -> None:
        filters, utils = sys.modules["webdataset.filters"], sys.modules["webdataset.utils"]
        nothing = (None, filters.identity, utils.identity)
        if self.keys is None or self.transform is not None or len(functions) not in (1, 2):
            raise Refused("map_tuple() at this place has no native form")
        if len(functions) == 2 and functions[1] not in nothing:
            raise Refused("%s, applied to the label, has no native form" % (named(functions[1]),))
        self.transform = [functions[0]]

    def _mapped(self, function: Any) -> Any:
        """A function of the program's, of the sample or of the tuple that to_tuple() made of it."""
        if self.decoded is None or self.transform is not None:
            raise Refused("map(%s) at this place has no native form" % (named(function),))
        picture, self.transform = followed(function, self.keys, _LABEL)
        if self.keys is not None:
            return None
        if picture not in self.decoded:
            raise Refused("map(%s) has no native form: decode() leaves its picture as it is" % (named(function),))
        self.keys = [picture, _LABEL]
        return paired(picture, _LABEL)

    def _batches(self, filters: Any, stage: Any) -> Any:
        given = {**dict(zip(("batchsize", "collation_fn", "partial"), stage.args)), **stage.kw}
        size = given.get("batchsize", 20)
        if self.transform is None or type(size) is not int or size < 1:
            raise Refused("batched() at this place has no native form")
        if given.get("collation_fn", filters.default_collation_fn) is not filters.default_collation_fn:
            raise Refused("batched() with a collation_fn has no native form")
        self.batched, self.batch_size = True, size
        return filters.batched(size, collation_fn=None, partial=given.get("partial", True))


_EXPAND = object()  # in place of a stage that reads a tar file


def local_path(url: str) -> Any:
    """Where StreamingOpen opens it, None elsewhere."""
    parsed = urlparse(url)
    return parsed.path if parsed.scheme in ("", "file") and os.path.exists(parsed.path) else None


def _check_empty() -> Any:
    return sys.modules["webdataset.compat"].check_empty


def _check_handler(handler: Any) -> None:
    known = [sys.modules["webdataset." + name].reraise_exception for name in ("filters", "handlers")]
    if handler is not None and handler not in known:
        raise Refused("handler=%s of WebDataset has no native form" % (named(handler),))
