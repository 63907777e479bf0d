"""Refuses what the program has changed in the libraries whose work the engine does instead.

The engine makes what torchvision, Pillow, torch's collate functions and so on would make of a sample. That holds only while these are
their authors': a patched function, a method set on an instance or a forward hook would not run. So from each part that is
replaced (PARTS, and the classes of the transforms in use) its code is followed, by the names that it uses, and each
function on the way has to be what its library's file compiles to. flatout's own hooks do not count.
"""

from __future__ import annotations

import sys
import types

from . import originals
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator

_PILLOW = ("PIL.Image:open", "PIL.Image:Image.load", "PIL.Image:Image.convert", "PIL.ImageFile:ImageFile.*", "PIL.JpegImagePlugin:jpeg_factory",
           "PIL.JpegImagePlugin:_accept", "PIL.JpegImagePlugin:JpegImageFile.*", "PIL.PngImagePlugin:PngImageFile.*",
           "PIL.WebPImagePlugin:WebPImageFile.*")  # fmt: skip
_FETCHING = ("torch.utils.data._utils.fetch:_MapDatasetFetcher.fetch",)

# What is replaced, by where it comes from: "module:function", "module:Class.method", "module:Class.*" for all its methods.
# Of modules that were not imported nothing is in use.
PARTS = {
    "files": (*_PILLOW, *_FETCHING),
    "default_collate": ("torch.utils.data._utils.collate:default_collate",),
    "module": ("torch.nn.modules.module:Module.__call__",),
    "transformers": ("transformers.data.data_collator:default_data_collator", "transformers.data.data_collator:DefaultDataCollator.__call__"),
    "hugging_face": (*_PILLOW, *_FETCHING, "datasets.arrow_dataset:Dataset.__getitem__", "datasets.arrow_dataset:Dataset.__getitems__",
                     "datasets.arrow_dataset:Dataset._getitem", "datasets.arrow_dataset:Dataset.__len__",
                     "datasets.features.image:Image.decode_example"),
    "webdataset": (*_PILLOW, "webdataset.tariterators:tar_file_expander", "webdataset.tariterators:group_by_keys", "webdataset.autodecode:Decoder.*",
                   "webdataset.autodecode:ImageHandler.*", "webdataset.filters:default_collation_fn", "webdataset.filters:_to_tuple",
                   "webdataset.filters:_map_tuple", "webdataset.filters:_map", "webdataset.filters:_decode", "webdataset.filters:_batched",
                   "webdataset.cache:StreamingOpen.__call__"),
}  # fmt: skip

_FOLLOWED = ("torchvision.", "PIL.", "timm.data.", "webdataset.", "torch.utils.data._utils.", "transformers.data.data_collator",
             "torch.nn.modules.module")  # fmt: skip
_LIBRARIES = ("torch", "numpy", "torchvision", "PIL", "timm", "webdataset", "datasets", "transformers", "typing_extensions", "pyarrow")
_STANDS_IN = ("types", "unittest", "__main__")  # classes of objects that a test or a program puts in a library's place
_PICTURES = (("PIL.Image", "Image"), ("PIL.ImageFile", "ImageFile"))
_FORMATS = {"JPEG": "PIL.JpegImagePlugin", "PNG": "PIL.PngImagePlugin", "WEBP": "PIL.WebPImagePlugin"}
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_GENERATED = ("__new__", "__init__", "__eq__", "__repr__", "__hash__")  # by namedtuple and dataclass, which leave no file
_MOST_HELD = 64
_PLAIN = ("Tensor", "ndarray", "int", "tuple", "list", "dict")  # a sample and what it consists of


class Unchanged:
    """One look at the libraries; each method raises Refused by the name of what was changed."""

    def __init__(self) -> None:
        self._seen: set[Any] = set()
        originals.forget()

    def parts(self, *groups: Any) -> None:
        for place in (place for group in groups for place in PARTS[group]):
            self._part(place)
        if "files" in groups or "webdataset" in groups or "hugging_face" in groups:
            _check_formats()
        if "default_collate" in groups:
            self._registry()
        originals.forget()

    def thing(self, thing: Any, methods: Any = ("__call__",)) -> None:
        """An object whose `methods` are replaced, or a function that is."""
        function = originals.unwrapped(thing)
        if originals.is_function(function):
            self._function(function, None, _title(function))
        else:
            self._object(thing, methods)
        originals.forget()

    def _object(self, thing: Any, methods: Any) -> None:
        kind = type(thing)
        title = kind.__module__ + "." + kind.__qualname__
        for name, value in getattr(thing, "__dict__", {}).items():
            own = _in_class(kind, name)
            if originals.is_function(originals.unwrapped(own)) or name in methods:
                raise Refused("%s has a %s of its own, set by the program" % (title, name))
            self._held_by(thing, name, value)
        torch = sys.modules["torch"]
        if isinstance(thing, torch.nn.Module):
            _check_hooks(torch, thing, title)
        for name in methods:
            self._method(kind, name)

    def _held_by(self, thing: Any, name: str, value: Any) -> None:
        """What a library's object holds of the library: functions, and other objects, as timm's policies do."""
        if not _is_followed(type(thing).__module__ + "."):
            return
        function = originals.unwrapped(value)
        if originals.is_function(function) and _is_followed(function.__module__ or ""):
            self._function(function, None, "%s of %s" % (name, type(thing).__qualname__))
        elif type(value) in (list, tuple) and len(value) <= _MOST_HELD:
            for one in value:
                self._held_by(thing, name, one)
        elif _is_followed(type(value).__module__ + ".") and not isinstance(value, type) and id(value) not in self._seen:
            self._seen.add(id(value))
            self._object(value, ("__call__", "__getitem__", "__len__"))

    def _part(self, place: Any) -> Any:
        module, _, path = place.partition(":")
        held = sys.modules.get(module)
        if held is None:
            return
        owner, _, name = path.rpartition(".")
        if not owner:
            return self._named(held, name)
        kind = vars(held).get(owner)
        if not isinstance(kind, type) or kind.__module__ != module:
            raise _changed("%s.%s" % (module, owner))
        for one in list(vars(kind)) if name == "*" else [name]:
            self._method(kind, one)

    def _method(self, kind: Any, name: str) -> None:
        for base in kind.__mro__:
            if name in vars(base):
                function = originals.unwrapped(vars(base)[name])
                title = "%s.%s.%s" % (base.__module__, base.__qualname__, name)
                if originals.is_function(function):
                    self._function(function, kind, title)
                elif callable(function) and not isinstance(function, type) and _is_foreign(type(function)):
                    raise _changed(title)
                return

    def _named(self, module: Any, name: str) -> Any:
        """A name of a module's own."""
        value = vars(module)[name]
        function = originals.unwrapped(value)
        title = "%s.%s" % (module.__name__, name)
        if originals.defines(module.__name__, name):
            inner = getattr(function, "__wrapped__", function)
            if not originals.is_function(function) and not originals.is_function(inner):
                raise _changed(title)
            if originals.is_function(function) and name not in (function.__code__.co_name, *_held_names(function)):
                raise _changed(title)
        if originals.is_function(function):
            self._function(function, None, title)
        elif isinstance(function, type):
            if _is_foreign(function):
                raise _changed(title)
            if _is_followed(function.__module__):
                for one in ("__new__", "__init__", "__call__"):
                    self._method(function, one)
        elif type(function) is not types.ModuleType and _is_foreign(type(function)):
            raise _changed(title)
        return function

    def _function(self, function: Callable[..., Any], kind: Any, title: str) -> None:
        if (function, kind) in self._seen:
            return
        self._seen.add((function, kind))
        module = function.__globals__.get("__name__") or ""
        if function.__code__.co_filename == "<string>" and function.__name__ in _GENERATED:
            return
        if _is_outside(module) or not (_is_pythons(module) or originals.is_own(function)):
            raise _changed(title)
        for one in _held(function):
            self._function(one, kind, title)
        if _is_followed(function.__globals__.get("__name__", "")):
            self._names(function, kind)
            self._kernels(function)

    def _names(self, function: Callable[..., Any], kind: Any) -> None:
        """All that its code may come to by name: globals, functions of modules, methods of its own object and of pictures."""
        names, held = set(_names(function.__code__)), function.__globals__
        module = sys.modules.get(held.get("__name__"))  # type: ignore[arg-type]
        for name in names:
            if name in held and module is not None and vars(module) is held:
                value = self._named(module, name)
                if type(value) is types.ModuleType and _is_followed(value.__name__ + "."):
                    for inner in names & vars(value).keys():
                        self._named(value, inner)
                elif isinstance(value, type) and _is_followed(value.__module__):
                    for inner in names:
                        self._method(value, inner)
            elif name not in held:
                own = originals.unwrapped(vars(sys.modules["builtins"]).get(name))
                if originals.is_function(own):
                    self._function(own, None, "builtins." + name)
            if kind is not None:
                self._method(kind, name)
            for picture in _PICTURES:
                if picture[0] in sys.modules and not name.startswith("__"):
                    self._method(getattr(sys.modules[picture[0]], picture[1]), name)

    def _kernels(self, function: Callable[..., Any]) -> None:
        """Of a function of torchvision's v2: what it is for pictures and tensors."""
        module = sys.modules.get("torchvision.transforms.v2.functional._utils")
        for kind, kernel in (module._KERNEL_REGISTRY.get(function, {}) if module is not None else {}).items():
            if kind.__name__ in ("Image", "Tensor"):
                self._function(kernel, None, "the kernel of %s for %s" % (function.__qualname__, kind.__qualname__))

    def _registry(self) -> None:
        """default_collate's functions for what the engine's batches are made of."""
        torch, collate = sys.modules["torch"], sys.modules["torch.utils.data._utils.collate"]
        for kind, function in collate.default_collate_fn_map.items():
            names = {one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))}
            if names & set(_PLAIN) or kind is torch.Tensor:
                function = originals.unwrapped(function)
                if not originals.is_function(function) or function.__module__ != collate.__name__:
                    raise _changed("torch.utils.data.default_collate's function for %s" % (", ".join(sorted(names)),))
                self._function(function, None, "torch.utils.data.default_collate's function for %s" % (", ".join(sorted(names)),))


def _changed(title: str) -> Any:
    return Refused("%s is not the library's own: the program has changed it" % (title,))


def _check_hooks(torch: ModuleType, thing: Any, title: str) -> None:
    module = torch.nn.modules.module
    for name in _HOOKS:
        if getattr(thing, name, None):
            raise Refused("%s has hooks (%s), which would not run" % (title, name))
        if getattr(module, "_global" + name, None):
            raise Refused("torch.nn.Module has global hooks (_global%s), which would not run for %s" % (name, title))
    if thing.__dict__.get("_compiled_call_impl") is not None:
        raise Refused("%s was compiled" % (title,))


def _check_formats() -> None:
    """Pillow's own readers of the formats that the engine reads."""
    image = sys.modules.get("PIL.Image")
    if image is None:
        return
    for name, module in _FORMATS.items():
        for one in image.OPEN.get(name, ()):
            if originals.unwrapped(one) is not None and getattr(one, "__module__", None) != module:
                raise _changed("Pillow's reader of %s, PIL.Image.OPEN[%r]," % (name, name))
    for name in ("jpeg", "zip"):
        if name in image.DECODERS:
            raise _changed("Pillow's decoder %s, PIL.Image.DECODERS[%r]," % (name, name))


def _in_class(kind: Any, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def _is_followed(module: str) -> bool:
    return module.startswith(_FOLLOWED)


def _is_foreign(kind: Any) -> Any:
    """A class that is no library's."""
    return _is_outside(kind.__module__)


def _is_outside(module: Any) -> bool:
    return not _is_pythons(module) and module.partition(".")[0] not in _LIBRARIES


def _is_pythons(module: Any) -> bool:
    """Of the standard library, some of which is compiled into Python and so has no file to be compared with."""
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names and top not in _STANDS_IN


def _names(code: Any) -> Iterator[Any]:
    """Of a function with those inside it."""
    yield from code.co_names
    for one in code.co_consts:
        if type(one) is types.CodeType:
            yield from _names(one)


def _held(function: Callable[..., Any]) -> Iterator[Any]:
    """Functions that a decorator's own holds."""
    for cell in function.__closure__ or ():
        try:
            one = originals.unwrapped(cell.cell_contents)
        except ValueError:  # not there yet
            continue
        if originals.is_function(one):
            yield one


def _held_names(function: Callable[..., Any]) -> list[Any]:
    return [name for one in _held(function) for name in (one.__code__.co_name, *_held_names(one))]


def _title(thing: Any) -> str:
    return "%s.%s" % (thing.__module__, thing.__qualname__)
