"""What a DataLoader gives, said so that the loading engine (flatout/data.h) can give it: its native form.

Two ways lead here, the knob dataloader.engine (hooks/knobs/engine.py) and flatout.torch.DataLoader; so the hooks have a copy of
this package, and it imports nothing of either. library.py, engine.py, engines.py and iterator.py are the engine's side.
Only looked at: no code of the program runs for it. A loader has a native form where each of
its parts is exactly one that is known here; any other is refused, by name.
"""

from __future__ import annotations

from .answers import check_loader, check_set, held, named
from . import folder, hf_images, timm_folder, torchvision_sets
from .collating import arrangement
from .joined_sets import below, joined
from .program_values import Cell, Row, Tensor
from .refused import Refused
from .transforms import Lowering
from .unchanged import Unchanged
from .web import WebForm
from .web_pipeline import is_web

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_ITERABLE = 1  # _DatasetKind.Iterable


class Form:
    """`spec`: for flatout_loader_open_files, less what is the engine's own (threads, batches).
    Sample i of the loader's dataset is `samples[places[i]]`, or `samples[i]` where places is None."""

    def __init__(self, spec: dict[str, Any], samples: Any, places: Any, batch_size: Any, batch_type: Any) -> None:
        self.spec = spec
        self.samples = samples  # (path, label), the dataset's own list; or Blobs
        self.places = places
        self.batch_size = batch_size  # the largest that is to be expected
        self.batch_type = batch_type  # makes a batch of [pictures, labels]


def form_of(torch: ModuleType, loader: Any, looked_at: int | None = None) -> Any:
    """The loader's native form, or Refused. `looked_at`: as in samples_of()."""
    if is_web(held(loader).get("dataset")):
        try:
            form = WebForm(torch, loader)
            Unchanged().parts("webdataset", "default_collate")
            return form
        except (AttributeError, KeyError) as error:
            raise Refused("this version of webdataset is not known: %s" % (error,))
    check_loader(loader)
    _check_loader(torch, loader)
    datasets, places = joined(torch, loader.dataset)
    for dataset in datasets:
        check_set(dataset)
    dataset = datasets[0]
    try:
        if len(datasets) > 1:
            spec, samples, batch_type = _form_of_several(torch, loader, datasets, looked_at)
        else:
            take: Any = _form_of_hugging_face if hf_images.is_hugging_face(dataset) else _form_of_folder
            spec, samples, batch_type = take(torch, loader, dataset, looked_at)
    except AttributeError as error:
        raise Refused("this version of %s is not known: %s" % (type(dataset).__module__.partition(".")[0], error))
    return Form(spec, samples, places, _batch_size(loader), batch_type)


def _form_of_several(torch: ModuleType, loader: Any, datasets: Any, looked_at: int | None) -> tuple[Any, list[Any], Any]:
    """Of a ConcatDataset."""
    forms = []
    for dataset in datasets:
        if hf_images.is_hugging_face(dataset):
            raise Refused("ConcatDataset of datasets.Dataset has no native form; concatenate_datasets() has one")
        forms.append(_form_of_folder(torch, loader, dataset, looked_at))
    spec, _samples, batch_type = forms[0]
    if any(other != spec for other, _samples, _type in forms):
        raise Refused("ConcatDataset of datasets with different transforms has no native form")
    return spec, [sample for _spec, samples, _type in forms for sample in samples], batch_type


def _files_of(dataset: Any) -> Any:
    """The part that knows how this dataset holds its files."""
    if timm_folder.is_timm(dataset):
        return timm_folder
    return folder if torchvision_sets.known_class(dataset) is None else torchvision_sets


def _form_of_folder(torch: ModuleType, loader: Any, dataset: Any, looked_at: int | None) -> tuple[Any, ...]:
    samples = _files_of(dataset).samples_of(dataset, looked_at)
    _check_unchanged(dataset)
    lowering = Lowering(torch)
    lowering.take(dataset.transform)
    spec = lowering.spec()
    collate = loader.collate_fn
    Unchanged().parts("default_collate", "transformers")
    if collate is torch.utils.data._utils.collate.default_collate:
        return spec, samples, list
    mix = timm_folder.mixed(collate)
    if mix is not None or timm_folder.is_fast_collate(collate):
        Unchanged().thing(collate)
        if spec["dtype"] != "uint8":
            raise Refused("%s, which makes its batches, has no native form for floats" % (named(collate),))
        return {**spec, **(mix or {})}, samples, tuple
    batches = arrangement(torch, collate, Row((Tensor(None, ()), Cell("label", "whole"))))
    if lowering.array is not None:
        raise Refused("arrays are collated by default_collate and fast_collate alone")
    for transform in batches.pictures.transforms:
        lowering.take(transform)
    return {**lowering.spec(), **(batches.mix or {})}, samples, batches


def _check_unchanged(dataset: Any) -> None:
    look = Unchanged()
    look.parts("files")
    look.thing(dataset, ("__getitem__", "__getitems__", "__len__"))
    if hasattr(dataset, "loader"):
        look.thing(dataset.loader)


def _form_of_hugging_face(torch: ModuleType, loader: Any, dataset: Any, looked_at: int | None) -> tuple[Any, Any, Any]:
    Unchanged().parts("hugging_face", "default_collate", "transformers")
    batches = arrangement(torch, loader.collate_fn, hf_images.row_of(dataset))
    lowering = Lowering(torch)
    for transform in batches.pictures.transforms:
        lowering.take(transform)
    turns = hf_images.turns_pictures()
    spec = {**lowering.spec(), **(batches.mix or {}), "exif_orientation": turns, "strict_orientation": turns}
    labels = None if batches.labels is None else batches.labels.column
    return spec, hf_images.samples_of(dataset, batches.pictures.column, labels, looked_at), batches


def is_candidate(torch: ModuleType, loader: Any) -> bool:
    """A dataset of pictures in folders, tar shards or of Hugging Face is inside: whether it has a native form is worth a word."""
    dataset = held(loader).get("dataset")
    if is_web(dataset) or hf_images.is_hugging_face(dataset):
        return True
    return any(_holds_pictures(dataset) for dataset in below(torch, dataset))


def _holds_pictures(dataset: Any) -> Any:
    modules = {base.__module__ for base in type(dataset).__mro__}
    known = hf_images.is_hugging_face(dataset) or torchvision_sets.known_class(dataset) is not None
    return known or not modules.isdisjoint(("torchvision.datasets.folder", "timm.data.dataset"))


def words(torch: ModuleType, loader: Any) -> Any:
    """For the fact "loader"."""
    return looked_at(torch, loader)[0]


def looked_at(torch: ModuleType, loader: Any) -> tuple[Any, ...]:
    """(what the fact "loader" says of its native form, that form or None). Looks at some of the files' names only: a set of
    pictures may be large."""
    try:
        if not is_candidate(torch, loader):
            return {}, None
        return {"native_refusal": ""}, form_of(torch, loader, looked_at=1000)
    except Refused as reason:
        return {"native_refusal": str(reason)}, None
    except Exception as error:
        return {"native_refusal": "%s: %s" % (type(error).__name__, error)}, None


def _check_loader(torch: ModuleType, loader: Any) -> None:
    if loader._dataset_kind == _ITERABLE:
        raise Refused("the dataset is an iterable one")
    if loader.batch_sampler is None:
        raise Refused("the loader does not batch its samples (batch_size=None)")
    seeds = loader.worker_init_fn
    if seeds is not None and not timm_folder.seeds_workers_alone(seeds) and not hf_images.seeds_workers_alone(seeds):
        raise Refused("worker_init_fn would not run")


def _batch_size(loader: Any) -> Any:
    size = loader.batch_size or held(loader.batch_sampler).get("batch_size")
    if type(size) is not int or size < 1:
        raise Refused("the batch sampler %s does not say how large a batch is" % (type(loader.batch_sampler).__name__,))
    return size
