"""torch.utils.data: draws, iterators, batches in workers and in the step thread."""

from __future__ import annotations

import json

from ..core import readers
from .. import native_form
from . import compose
from ..core.callsite import calling_library, user_line
from ..core.fields import ByIdentity, fields
from ..core.lengths import Lengths
from .loader_files import LoaderFiles
from .sampling import epoch_samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

    from .._native import Native
    from ..core.occasions import Occasions
    from ..knobs import Knobs
    from ..knobs.loaders import LoaderKnobs
    from .trainers import Trainers

NEXT, ITER_BUILD, FETCH, STAGE, CALLBACK = 2, 3, 4, 5, 7
DATA_WAIT, ITER = 1, 9
_ITERABLE = 1  # _DatasetKind.Iterable
_FIGURES = ("threads", "ahead", "samples", "batches")


def worker_id(torch: ModuleType) -> Any:
    """Id of the loader worker that this process is, or None."""
    data = getattr(getattr(torch, "utils", None), "data", None)
    info = data.get_worker_info() if data is not None else None
    return None if info is None else info.id


def install(native: Native, torch: ModuleType, occasions: Occasions, trainers: Trainers, knobs: Knobs | None) -> None:
    from torch.utils.data import DataLoader
    from torch.utils.data._utils import fetch
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    loaders = _Loaders(native, torch, occasions, trainers, knobs)
    before = loaders.before_with(knobs.loaders) if knobs is not None else None
    native.hook(DataLoader, "__init__", CALLBACK, after=loaders.built)
    native.hook(DataLoader, "__iter__", ITER_BUILD, ITER, before=before, after=loaders.iterated)
    native.hook(_BaseDataLoaderIter, "__next__", NEXT, DATA_WAIT)

    base = fetch._BaseDatasetFetcher
    native.hook(base, "__init__", CALLBACK, after=_fetcher_made(native, torch))
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        native.hook(kind, "fetch", FETCH)


class _Loaders:
    """Numbers for the program's DataLoaders, and what is known of each."""

    def __init__(self, native: Native, torch: ModuleType, occasions: Occasions, trainers: Trainers, knobs: Knobs | None) -> None:
        self.native = native
        self.lengths = Lengths(native)
        self.files = LoaderFiles(native)
        self.knobs = knobs
        self.occasions = occasions
        self.trainers = trainers
        self.numbers = ByIdentity()
        self.lines = ByIdentity()
        self.makers = ByIdentity()  # loader -> what calls DataLoader at that line, None: the program itself
        self.count = 0
        self.said: dict[Any, Any] = {}
        self.forms = ByIdentity()  # loader -> what is said of its native form
        self.torch = torch

    def built(self, args: tuple[Any, ...], _result: object) -> None:
        self.trainers.look()
        loader = args[0]
        library = calling_library()
        rebuilt = self._line_of_same_dataset(loader) if library else None
        self.lines.set(loader, rebuilt or user_line())
        self.makers.set(loader, None if rebuilt else library or _own_class(self.torch, loader))
        if fields(loader).get("_dataset_kind") != _ITERABLE:
            self.lengths.of(fields(loader).get("dataset"))  # from now on its calls are seen
        if self.knobs is not None:
            self.knobs.loader_built(loader)

    def _line_of_same_dataset(self, loader: Any) -> Any:
        """A library (accelerate, Lightning) that builds the user's loader anew, with
        a sampler of its own, does not own the line that is to be edited."""
        dataset = fields(loader).get("dataset")
        for other, line in self.lines.items():
            if line is not None and fields(other).get("dataset") is dataset:
                return line
        return None

    def before_with(self, knobs: LoaderKnobs) -> Callable[..., Any]:
        """Lets the plan's knobs set a loader that is about to build an iterator."""
        return lambda args, _nothing: knobs.before_iterator(args[0], self.numbers.get(args[0]))

    def iterated(self, args: tuple[Any, ...], iterator: Any) -> None:
        self.occasions.new_epoch()
        loader = args[0]
        number = self.numbers.get(loader)
        if number is None:
            self.count += 1
            number = self.numbers.set(loader, self.count)
        if self.knobs is not None:
            self.knobs.loaders.iterated(loader, number, iterator)
        facts = {**_loader_facts(loader, number, self.lines.get(loader), self.makers.get(loader)), **self._engine_facts(loader, number, iterator)}
        if not facts["iterable"]:
            length = self.lengths.of(fields(loader).get("dataset"), lambda length: self._say(number, {**facts, "dataset_len": length}))
            facts.update({} if length is None else {"dataset_len": length})
            samples = epoch_samples(self.torch, loader)
            facts.update({} if samples is None else {"epoch_samples": samples})
        if _is_engines(iterator):
            fetches = iterator.fetches
            fetches.listen(iterator, lambda: self._say(number, {**facts, **fetches.words()}))
            iterator.engines.listen(iterator, lambda figures: self._say_figures(number, figures))
        self._say(number, facts)
        pids = [worker.pid for worker in fields(iterator).get("_workers", ())]
        index = self.native.number_iterator(iterator, number)
        self.native.fact("iterator", json.dumps({"iterator": index, "loader": number, "worker_pids": pids}))

    def _say(self, number: int, facts: Any) -> None:
        facts = json.dumps(facts)
        if self.said.get(number) != facts:
            self.said[number] = facts
            self.native.fact("loader", facts)

    def _say_figures(self, number: int, figures: Callable[[], dict[str, Any]]) -> None:
        try:
            told = {name: value for name, value in figures().items() if name in _FIGURES or name.endswith("_ns")}
            if told:  # in a child of fork() there are none
                self.native.fact("engine", json.dumps({"loader": number, **told}))
        except Exception as error:  # the program's next() calls this
            problem = "the loading engine's figures are missing: %s: %s" % (type(error).__name__, error)
            self.native.fact("problem", json.dumps({"problem": problem}))

    def _engine_facts(self, loader: Any, number: int, iterator: Any) -> Any:
        """Whether the loading engine makes its batches, else whether it could."""
        if _is_engines(iterator):
            kept = iterator.engines.kept()
            return {"engine": "native", "workers": 0, **({} if kept is None else {"cache": kept}), **iterator.fetches.words()}
        words = self.forms.get(loader)
        if words is None and self.native.watched():
            return {}  # its transforms may hold tensors
        if words is None:
            words, form = native_form.looked_at(self.torch, loader)
            self.forms.set(loader, words)
            if not words.get("native_refusal"):
                self.files.say(number, fields(loader).get("dataset"), form)
        return words


def _is_engines(iterator: Any) -> bool:
    return any("is_native" in vars(kind) and "native_form" in kind.__module__ for kind in type(iterator).__mro__)


def _own_class(torch: ModuleType, loader: Any) -> Any:
    """The name of a class that is no more than derived from DataLoader, and calls it in its own way; None of torch's and ours."""
    kind = type(loader)
    return None if kind is torch.utils.data.DataLoader or kind.__module__.partition(".")[0] == "flatout" else kind.__name__


def _loader_facts(loader: Any, number: int, built_at: Any, built_by: Any) -> dict[str, Any]:
    known = fields(loader)  # as its constructor set them
    facts = {
        "loader": number,
        "workers": known.get("num_workers"),
        "pin_memory": bool(known.get("pin_memory")),
        "persistent_workers": bool(known.get("persistent_workers")),
        "drop_last": bool(known.get("drop_last")),
        "dataset": type(known.get("dataset")).__name__,
        "iterable": known.get("_dataset_kind") == _ITERABLE,
        "prefetch_factor": known.get("prefetch_factor"),
        "batch_size": known.get("batch_size") or fields(known.get("batch_sampler")).get("batch_size"),
        "built_at": built_at,
        "built_by": built_by,
        "batch_sampler": True if known.get("batch_size") is None and known.get("batch_sampler") is not None else None,
    }
    context = known.get("_DataLoader__multiprocessing_context")
    if context is not None:
        facts["multiprocessing_context"] = context.get_start_method()
    return {key: value for key, value in facts.items() if value is not None}


def _fetcher_made(native: Native, torch: ModuleType) -> Callable[..., Any]:
    def made(args: tuple[Any, ...], _result: object) -> None:
        # A fetcher is torch's own object, made anew for each iterator in the
        # process that fetches; nobody else holds it.
        fetcher = args[0]
        fetcher.collate_fn = native.span(fetcher.collate_fn, STAGE, stage="collate")
        readers.install_lazily(native)
        compose.install_for(native, torch, fetcher.dataset)

    return made
