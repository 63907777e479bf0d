"""What a DataLoader gives, said so that the loading engine (flatout/data.h) can give it: its native form.

Two ways lead here, the knob dataloader.engine (hooks/knobs/engine.py) and flatout.torch.DataLoader; so the hooks have a copy of
this package, and it imports nothing of either. library.py, engines.py and iterator.py are the engine's side.
Only looked at: no code of the program runs for it. A loader has a native form where each of
its parts is exactly one that is known here; any other is refused, by name.
"""

from . import folder, hf_images, timm_folder
from .refused import Refused
from .transforms import Lowering
from .web import WebForm, is_web

_ITERABLE = 1  # _DatasetKind.Iterable


class Form:
    """`spec`: for flatout_loader_open_files, less what is the engine's own (threads, batches).
    Sample i of the loader's dataset is `samples[places[i]]`, or `samples[i]` where places is None."""

    def __init__(self, spec, samples, places, batch_size, batch_type):
        self.spec = spec
        self.samples = samples  # (path, label), the dataset's own list
        self.places = places
        self.batch_size = batch_size  # the largest that is to be expected
        self.batch_type = batch_type  # of (pictures, labels)


def form_of(torch, loader, looked_at=None):
    """The loader's native form, or Refused. `looked_at`: as in samples_of()."""
    if is_web(loader.dataset):
        try:
            return WebForm(torch, loader)
        except (AttributeError, KeyError) as error:
            raise Refused("this version of webdataset is not known: %s" % (error,))
    if hf_images.is_hugging_face(loader.dataset):
        hf_images.refuse(loader.dataset)
    _check_loader(torch, loader)
    dataset, places = _below_subsets(torch, loader.dataset)
    samples = (timm_folder if timm_folder.is_timm(dataset) else folder).samples_of(dataset, looked_at)
    lowering = Lowering(torch)
    lowering.take(dataset.transform)
    spec = lowering.spec()
    return Form(spec, samples, places, _batch_size(loader), _batch_type(torch, loader, spec))


def is_candidate(torch, loader):
    """A dataset of pictures in folders, tar shards or of Hugging Face is inside: whether it has a native form is worth a word."""
    if is_web(loader.dataset) or hf_images.is_hugging_face(loader.dataset):
        return True
    try:
        dataset, _places = _below_subsets(torch, loader.dataset)
    except Exception:
        return False
    return any(base.__module__ in ("torchvision.datasets.folder", "timm.data.dataset") for base in type(dataset).__mro__)


def words(torch, loader):
    """For the fact "loader". Looks at some of the files' names only: a set of pictures may be large."""
    try:
        if not is_candidate(torch, loader):
            return {}
        form_of(torch, loader, looked_at=1000)
        return {"native_refusal": ""}
    except Refused as reason:
        return {"native_refusal": str(reason)}
    except Exception as error:
        return {"native_refusal": "%s: %s" % (type(error).__name__, error)}


def _check_loader(torch, loader):
    if loader._dataset_kind == _ITERABLE:
        raise Refused("the dataset is an iterable one")
    if loader.batch_sampler is None:
        raise Refused("the loader does not batch its samples (batch_size=None)")
    if loader.worker_init_fn is not None and not timm_folder.seeds_workers_alone(loader.worker_init_fn):
        raise Refused("worker_init_fn would not run")


def _batch_type(torch, loader, spec):
    if loader.collate_fn is torch.utils.data._utils.collate.default_collate:
        return list
    if timm_folder.is_fast_collate(loader.collate_fn) and spec["dtype"] == "uint8":
        return tuple
    raise Refused("%s, which makes its batches, has no native form" % (_name(loader.collate_fn),))


def _batch_size(loader):
    size = loader.batch_size or getattr(loader.batch_sampler, "batch_size", None)
    if type(size) is not int or size < 1:
        raise Refused("the batch sampler %s does not say how large a batch is" % (type(loader.batch_sampler).__name__,))
    return size


def _below_subsets(torch, dataset):
    """The dataset under torch's own Subset (random_split makes them), and where its samples are there."""
    places = None
    while type(dataset) is torch.utils.data.Subset:
        inner = [int(index) for index in dataset.indices]
        places = inner if places is None else [inner[place] for place in places]
        dataset = dataset.dataset
    return dataset, places


def _name(part):
    return getattr(part, "__qualname__", None) or type(part).__qualname__
