"""torchvision, also beside a torch that its compiled part was not built for: that part only
adds operators, and the one file that needs them to be declared is satisfied by that.

It is looked for in build/torchvision too (`make test` puts it there), away from the environment
of all other tests: where it does not load by itself, transformers could not be imported beside it."""

import sys
from pathlib import Path

import torch

_FOLDER = Path(__file__).resolve().parents[3] / "build/torchvision"

_OPERATORS = ("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
              "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")  # fmt: skip
_declared = []


def load():
    """ImportError where it is not installed."""
    if str(_FOLDER) not in sys.path:
        sys.path.append(str(_FOLDER))
    try:
        import torchvision
    except RuntimeError as error:  # operator torchvision::nms does not exist
        if "torchvision::" not in str(error):
            raise
        library = torch.library.Library("torchvision", "FRAGMENT")
        for operator in _OPERATORS:
            library.define(operator)
        _declared.append(library)
        import torchvision
    import torchvision.datasets
    import torchvision.transforms.v2
    return torchvision


def load_webdataset():
    """ImportError where it is not installed."""
    folder = _FOLDER.parent / "webdataset"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    import webdataset
    return webdataset


def load_datasets():
    """Hugging Face's datasets. ImportError where it, or what it needs, is not installed.

    Its folder is called as Python's own is: to name what it made it pickles code, and takes
    the code of packages elsewhere for the program's, which it pickles whole."""
    import os

    folder = _FOLDER.parent / "hf_datasets/site-packages"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import datasets
    return datasets


def load_timm():
    """timm.data, without timm's models, whose import takes seconds. ImportError where it is not installed."""
    import importlib.util
    import types

    load()
    folder = _FOLDER.parent / "timm"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    if "timm" not in sys.modules:
        found = importlib.util.find_spec("timm")
        if found is None:
            raise ImportError("No module named 'timm'")
        (place,) = found.submodule_search_locations
        for name, where in (("timm", place), ("timm.models", place + "/models")):  # packages that import nothing
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [where]
            sys.modules[name].__spec__ = importlib.util.spec_from_loader(name, None, is_package=True)  # transformers asks for it
    import timm.data
    return timm.data
