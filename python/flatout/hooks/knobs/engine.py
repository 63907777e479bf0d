"""dataloader.engine: who makes a training loader's batches.

"torch": the program's own DataLoader, as it is. "native": threads of the loading engine
(flatout/data.h), which read, decode, crop and normalize the pictures without Python.
Needs a loader that has a native form (../../native_form/): torchvision's ImageFolder of JPEG,
PNG and WebP files with its standard transforms, torch's default_collate, any sampler.
Set: DataLoader._get_iterator gives an iterator of ours for this loader; all its attributes
stay as they are, also num_workers, though no worker is started. A batch that the engine
cannot make (of another format than its name says, a damaged one) is fetched from the dataset
itself, which gives it, or the program's own error; the fact "loader" counts such batches.
Undone: the loader's next iterator is torch's again.
Draws: base seed and sampler draw as ever, so the order of samples is the same, and the
program's generator is afterwards where loader workers would have left it. Transforms that
draw have torchvision's distribution, but draws of their own, from base seed and sample.
"""

from __future__ import annotations

from ..core.fields import ByIdentity
from ..native_form import Refused, form_of
from ..native_form.engines import Engines
from ..native_form.fetches import Fetches
from ..native_form.iterator import iterator_class
from ..native_form.library import Bad, Missing, library
from .values import OfTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class LoadingEngine(OfTable):
    id = "dataloader.engine"
    attribute = None
    own = "torch"

    @staticmethod
    def refused(torch: ModuleType, loader: Any, value: Any) -> str | None:
        if value == "torch":
            return None
        try:
            _check_is_torchs(type(loader))
            library()
            form = form_of(torch, loader)
            before = _engines.get(loader)
            if before is None or not before.makes(form):
                _engines[loader] = Engines(torch, form, loader, fetches=before.fetches if before else Fetches(),
                                           cache=before.cache if before else None)
        except (Refused, Missing, Bad) as error:
            _engines.pop(loader, None)
            return str(error)
        return None

    @staticmethod
    def set(loader: Any, value: Any) -> None:
        if value != "native":
            return
        _install(type(loader).__mro__)
        if loader not in _chosen and getattr(loader, "_iterator", None) is not None:
            loader._iterator = None  # workers that persist would go on
        _chosen[loader] = True

    @staticmethod
    def undo(loader: Any) -> None:
        if loader in _chosen:
            del _chosen[loader]
            loader._iterator = None
            if loader in _engines:  # else it was refused since, and they are gone
                _engines[loader].keep(None)

    @staticmethod
    def engines_of(loader: Any) -> Any:
        """Those that serve it, None where torch does."""
        return _engines.get(loader) if loader in _chosen else None


_engines = ByIdentity()  # loader -> Engines that would serve it
_chosen = ByIdentity()  # loaders whose next iterator is ours
_installed: list[Any] = []


def _check_is_torchs(kind: Any) -> None:
    """A class that makes its iterators itself (flatout.torch.DataLoader, whose own argument is engine=) would not ask ours."""
    maker = next(one for one in kind.__mro__ if "_get_iterator" in vars(one))
    if maker.__module__.startswith("flatout."):
        raise Refused("flatout.torch.DataLoader takes it as its argument engine")
    if not maker.__module__.startswith("torch."):
        raise Refused("%s.%s makes its iterators itself" % (maker.__module__, maker.__qualname__))


def _install(kinds: Any) -> None:
    """Around torch's own DataLoader._get_iterator, once."""
    if _installed:
        return
    kind = next(kind for kind in kinds if "_get_iterator" in vars(kind) and kind.__module__.startswith("torch."))
    own = kind._get_iterator

    def _get_iterator(loader: Any) -> Any:
        if loader not in _chosen:
            return own(loader)
        engines = _engines[loader]
        return iterator_class(engines.torch)(loader, engines)

    kind._get_iterator = _get_iterator
    _installed.append(kind)
