"""What lies below torch's own Subset (random_split makes them) and ConcatDataset."""

from __future__ import annotations

from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_LIBRARIES = ("torch.", "torchvision.", "timm.", "datasets.")


def below(torch: ModuleType, dataset: Any) -> Any:
    """The datasets that joined() would give, without a look at how many samples they have."""
    kinds = torch.utils.data
    if type(dataset) is kinds.Subset:
        return below(torch, dataset.dataset)
    if type(dataset) is kinds.ConcatDataset:
        return [one for part in dataset.datasets for one in below(torch, part)]
    return [dataset]


def joined(torch: ModuleType, dataset: Any) -> Any:
    """(datasets, places): sample i is number places[i] of all samples of these datasets, one after the other; i itself where
    places is None."""
    kinds = torch.utils.data
    if type(dataset) is kinds.Subset:
        datasets, places = joined(torch, dataset.dataset)
        chosen = [int(index) for index in dataset.indices]
        return datasets, chosen if places is None else [places[index] for index in chosen]
    if type(dataset) is kinds.ConcatDataset:
        return _one_after_the_other(torch, dataset.datasets)
    return [dataset], None


def _one_after_the_other(torch: ModuleType, parts: Any) -> tuple[Any, Any]:
    out: list[Any] = []
    places: list[int] = []
    straight, first = True, 0
    for part in parts:
        datasets, inner = joined(torch, part)
        count = sum(map(_length, datasets))
        straight = straight and inner is None
        places += range(first, first + count) if inner is None else [first + place % count for place in inner]
        out += datasets
        first += count
    return out, None if straight else places


def _length(dataset: Any) -> int:
    """As a library's own __len__ says it: the program's may take seconds, and are not called."""
    owner = next((kind for kind in type(dataset).__mro__ if "__len__" in vars(kind)), None)
    if owner is None or not (owner.__module__ + ".").startswith(_LIBRARIES):
        raise Refused("%s.%s has __len__() of its own" % (type(dataset).__module__, type(dataset).__qualname__))
    return len(dataset)
