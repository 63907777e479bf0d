"""What the program changed in a library is not replaced: engine="native" refuses it by name, "auto" gives torch's pixels."""

import functools
import sys
import types
from pathlib import Path

import harness
import pytest
import torch
import torch.nn.modules.module as torch_module
from torch.utils.data import DataLoader as Theirs

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / "knobs"))
from pictures import torchvision, write  # noqa: E402
from flatout.native_form import unchanged  # noqa: E402
from flatout.torch import DataLoader  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pictures"), count=4)


@pytest.fixture(scope="module", autouse=True)
def libraries():
    torchvision()
    import PIL.JpegImagePlugin  # noqa: F401
    import PIL.PngImagePlugin  # noqa: F401
    import PIL.WebPImagePlugin  # noqa: F401


def chain(v2=False):
    T = torchvision().transforms
    if v2:
        return T.v2.Compose([T.v2.Resize((9, 8)), T.v2.CenterCrop(8), T.v2.ToImage(), T.v2.ToDtype(torch.float32, scale=True),
                             T.v2.Normalize([0.5] * 3, [0.5] * 3)])
    return T.Compose([T.Resize((9, 8)), T.CenterCrop(8), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)])


def dataset(folder, v2=False):
    return torchvision().datasets.ImageFolder(folder, chain(v2))


def same(some, others):
    return all(torch.equal(a, c) and torch.equal(b, d) for (a, b), (c, d) in zip(some, others, strict=True))


def refused(data, named):
    with pytest.raises(NotImplementedError) as error:
        DataLoader(data, batch_size=4, engine="native")
    assert named in str(error.value), (named, str(error.value))


def wrapped(function):
    """As a program wraps it: under the same name, with other code."""
    @functools.wraps(function)
    def patched(*given, **named):
        return function(*given, **named)

    return patched


def holder_of(place):
    module, _, path = place.partition(":")
    __import__(module)
    owner, _, name = path.rpartition(".")
    held = sys.modules[module]
    return getattr(held, owner) if owner else held, name


def places():
    """Each part of the table that a folder's loader rests on, "*" as its methods."""
    for place in (*unchanged.PARTS["files"], *unchanged.PARTS["default_collate"], *unchanged.PARTS["module"]):
        held, name = holder_of(place)
        for one in vars(held) if name == "*" else [name]:
            if type(vars(held)[one]) is types.FunctionType:
                yield held, one


MORE = ("torchvision.datasets.folder:pil_loader", "torchvision.datasets.folder:default_loader", "torchvision.datasets.folder:DatasetFolder.__getitem__",
        "torchvision.datasets.folder:DatasetFolder.__len__", "torchvision.transforms.transforms:Resize.forward",
        "torchvision.transforms.transforms:CenterCrop.forward", "torchvision.transforms.transforms:Compose.__call__",
        "torchvision.transforms.transforms:ToTensor.__call__", "torchvision.transforms.transforms:Normalize.forward",
        "torchvision.transforms.functional:resize", "torchvision.transforms.functional:center_crop", "torchvision.transforms.functional:crop",
        "torchvision.transforms.functional:to_tensor", "torchvision.transforms.functional:normalize",
        "torchvision.transforms._functional_pil:resize", "torchvision.transforms._functional_pil:crop",
        "torchvision.transforms._functional_tensor:normalize", "PIL.Image:Image.resize", "PIL.Image:Image.crop", "PIL.Image:Image.tobytes",
        "torch.nn.modules.module:Module._call_impl", "torch.utils.data._utils.collate:collate")  # fmt: skip


def test_each_part_that_is_replaced(folder, monkeypatch):
    """One by one, from the table that the check itself uses; a class's method and a module's function alike."""
    held = dict.fromkeys([*places(), *map(holder_of, MORE)])
    assert len(held) > 50
    DataLoader(dataset(folder), batch_size=4, engine="native")  # unpatched
    missed = []
    for holder, name in held:
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, wrapped(getattr(holder, name)))
            try:
                DataLoader(dataset(folder), batch_size=4, engine="native")
                missed.append("%s.%s" % (holder.__name__, name))
            except NotImplementedError as error:
                assert name in str(error), (holder, name, str(error))
    assert not missed
    DataLoader(dataset(folder), batch_size=4, engine="native")


def load_others():
    """What is installed of the libraries whose loaders have a native form, too."""
    import vision

    for load in (vision.load_webdataset, vision.load_datasets, lambda: __import__("transformers.data.data_collator")):
        try:
            load()
        except ImportError:
            pass


@pytest.mark.parametrize("group", ["webdataset", "hugging_face", "transformers"])
def test_each_part_of_other_libraries(monkeypatch, group):
    load_others()
    unchanged.Unchanged().parts(group)
    held = []
    for place in unchanged.PARTS[group]:
        if place.partition(":")[0] in sys.modules and place not in unchanged.PARTS["files"]:
            holder, name = holder_of(place)
            held += [(holder, one) for one in (vars(holder) if name == "*" else [name]) if type(vars(holder)[one]) is types.FunctionType]
    fetched = {"webdataset": "webdataset", "hugging_face": "hf_datasets"}.get(group)  # the set-up always installs transformers
    if not held and fetched and not (harness.ROOT / "build" / fetched).is_dir():
        pytest.skip("%s is not in build/ (`make test` fetches it)" % (group,))
    assert held
    for holder, name in held:
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, wrapped(getattr(holder, name)))
            with pytest.raises(unchanged.Refused, match=name):
                unchanged.Unchanged().parts(group)


def test_timms_parts(folder, monkeypatch):
    from pictures import timm_data

    timm = timm_data()
    import timm.data.auto_augment as policies
    from timm.data import loader as making
    from timm.data.readers.reader_image_folder import ReaderImageFolder

    def form():
        transform = timm.create_transform(8, is_training=True, auto_augment="rand-m9-n2")
        data = timm.ImageDataset(str(folder), transform=transform)
        return DataLoader(data, batch_size=4, engine="native")

    form()
    for holder, name in ((timm.ImageDataset, "__getitem__"), (ReaderImageFolder, "__getitem__"), (policies.AugmentOp, "__call__"),
                         (policies.RandAugment, "__call__"), (timm.RandomResizedCropAndInterpolation, "__call__"),
                         (timm.RandomResizedCropAndInterpolation, "get_params")):
        with monkeypatch.context() as patch:
            patch.setattr(holder, name, wrapped(getattr(holder, name)))
            with pytest.raises(NotImplementedError, match=name):
                form()
    with monkeypatch.context() as patch:
        patch.setitem(policies.NAME_TO_OP, "Invert", wrapped(policies.invert))
        with pytest.raises(NotImplementedError, match="aug_fn"):
            form()
    with monkeypatch.context() as patch:
        patch.setattr(making, "fast_collate", wrapped(making.fast_collate))
        with pytest.raises(unchanged.Refused, match="fast_collate"):
            unchanged.Unchanged().thing(making.fast_collate)


V2 = ("torchvision.transforms.v2._transform:Transform.forward", "torchvision.transforms.v2._geometry:Resize.transform",
      "torchvision.transforms.v2._container:Compose.forward", "torchvision.transforms.v2.functional:resize",
      "torchvision.transforms.v2.functional._geometry:resize", "torchvision.transforms.v2.functional:center_crop",
      "torchvision.transforms.v2.functional:to_image", "torchvision.transforms.v2.functional:to_dtype",
      "torchvision.transforms.v2.functional:normalize", "PIL.Image:Image.resize")  # fmt: skip


@pytest.mark.parametrize("place", V2)
def test_the_second_version_of_the_transforms(folder, monkeypatch, place):
    DataLoader(dataset(folder, True), batch_size=4, engine="native")
    holder, name = holder_of(place)
    monkeypatch.setattr(holder, name, wrapped(getattr(holder, name)))
    refused(dataset(folder, True), name)


def black(_module, _given, out):
    return out * 0


HOOKS = {
    "forward": lambda part: part.register_forward_hook(black),
    "forward_pre": lambda part: part.register_forward_pre_hook(lambda _module, _given: None),
    "full_backward": lambda part: part.register_full_backward_hook(lambda *_given: None),
    "full_backward_pre": lambda part: part.register_full_backward_pre_hook(lambda *_given: None),
    "global_forward": lambda part: torch_module.register_module_forward_hook(lambda *_given: None),
    "global_forward_pre": lambda part: torch_module.register_module_forward_pre_hook(lambda *_given: None),
    "global_full_backward": lambda part: torch_module.register_module_full_backward_hook(lambda *_given: None),
    "global_full_backward_pre": lambda part: torch_module.register_module_full_backward_pre_hook(lambda *_given: None),
}


@pytest.mark.parametrize("kind", HOOKS)
def test_hooks_of_a_transform(folder, kind):
    data = dataset(folder)
    handle = HOOKS[kind](data.transform.transforms[3])
    try:
        refused(data, "hooks")
        loader = DataLoader(data, batch_size=4, engine="auto")
        assert same(loader, Theirs(data, batch_size=4)) and loader.stats()["engine"] == "torch"
    finally:
        handle.remove()
    DataLoader(data, batch_size=4, engine="native")


@pytest.mark.parametrize("name", ["forward", "__call__", "_call_impl"])
def test_a_method_of_one_transform_alone(folder, name):
    data = dataset(folder)
    setattr(data.transform.transforms[0], name, lambda picture: picture.resize((8, 9)))
    refused(data, name)


@pytest.mark.parametrize("name", ["__getitems__", "__getitem__"])
def test_a_method_of_one_dataset_alone(folder, name):
    data = dataset(folder)
    setattr(data, name, lambda indices: [(torch.zeros(3, 8, 8), 0) for _ in indices])
    refused(data, name)


def test_what_a_module_holds_is_replaced_by_another_thing(folder, monkeypatch):
    from torchvision.datasets import folder as place

    monkeypatch.setattr(place, "Image", types.SimpleNamespace(open=place.Image.open))
    refused(dataset(folder), "torchvision.datasets.folder.Image")


def test_the_registries(folder, monkeypatch):
    import PIL.Image

    with monkeypatch.context() as patch:
        patch.setitem(PIL.Image.OPEN, "JPEG", (lambda *given: None, None))
        refused(dataset(folder), "PIL.Image.OPEN")
    with monkeypatch.context() as patch:
        patch.setitem(PIL.Image.DECODERS, "jpeg", object)
        refused(dataset(folder), "PIL.Image.DECODERS")
    registry = torch.utils.data._utils.collate.default_collate_fn_map
    for kind in (torch.Tensor, int, tuple):
        with monkeypatch.context() as patch:
            patch.setitem(registry, kind, lambda batch, *, collate_fn_map=None: batch)
            refused(dataset(folder), "default_collate")


def test_a_code_object_put_in_place(folder, monkeypatch):
    from torchvision.transforms import functional

    monkeypatch.setattr(functional.to_tensor, "__code__", (lambda pic: torch.zeros(3, 8, 8)).__code__)
    refused(dataset(folder), "to_tensor")


def test_a_patch_after_the_first_epoch_counts_from_the_next_on(folder, monkeypatch):
    data = dataset(folder)
    loader = DataLoader(data, batch_size=4, engine="auto")
    assert same(loader, Theirs(data, batch_size=4)) and loader.stats()["engine"] == "native"
    handle = data.transform.transforms[3].register_forward_hook(black)
    assert same(loader, Theirs(data, batch_size=4)) and loader.stats()["engine"] == "torch"
    handle.remove()
    list(loader)
    assert loader.stats()["engine"] == "native"


def test_samplers_that_were_changed_are_asked(folder, monkeypatch):
    """They are not replaced: the engine takes the order from them."""
    data = dataset(folder)
    monkeypatch.setattr(torch.utils.data.SequentialSampler, "__iter__", lambda self: iter([3, 1, 0, 2]))
    loader = DataLoader(data, batch_size=2, engine="native")
    assert same(loader, Theirs(data, batch_size=2))
