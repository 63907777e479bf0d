"""In a trial, the files that its data comes from, so that the next trial does not find them in memory.

What the process opens to read is said (inject/read_watch.h) from where it loads data on: from
its first fetcher, in a worker its own, and from the first training forward, for programs that
have no loader. Files of the loading engine, which opens them in threads without Python, are
named here, by the indices that it is given.
"""

from __future__ import annotations

from ..core.fields import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .._native import Native
    from ..core.occasions import Occasions

CALLBACK = 7


def install(native: Native, torch: ModuleType, occasions: Occasions) -> None:
    from torch.utils.data._utils import fetch
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    def begin(*_: Any) -> None:
        native.watch_reads()

    native.hook(fetch._BaseDatasetFetcher, "__init__", CALLBACK, before=begin)
    native.hook(_BaseDataLoaderIter, "_next_index", CALLBACK, after=lambda args, index: _note(native, args[0], index))
    occasions.listen(begin)


def _note(native: Native, iterator: Any, index: Any) -> None:
    engines = fields(iterator).get("engines")
    if engines is None or "native_form" not in type(engines).__module__ or type(engines.samples) is not list:
        return
    native.watch_reads()
    for one in index if type(index) in (list, tuple) else ():
        if type(one) is int and one < len(engines.samples):
            native.note_read(engines.samples[one][0])
