"""Calls a function when a module has been executed, however it is imported. Nothing of the import system is replaced."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["watch_imports"]


class _Loader:
    """The module's own loader, which is given back to it once it has been executed."""

    def __init__(self, loader: Any, patch: Callable[[Any], None]) -> None:
        self._loader = loader
        self._patch = patch

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        if getattr(module, "__spec__", None) is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        patched(module, self._patch)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Finder:
    """Stands first on sys.meta_path, and answers for the modules that are waited for alone."""

    def __init__(self, places: dict[str, Callable[[Any], None]]) -> None:
        self._places = places

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        patch = self._places.get(name)
        if patch is None:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, patch)
                return spec
        return None


def patched(module: Any, patch: Callable[[Any], None]) -> None:
    """Whatever goes wrong costs a line: the module is as it was then."""
    try:
        patch(module)
    except Exception as error:
        from flatout.track.errors import say_once

        say_once(f"{module.__name__} is not captured: {type(error).__name__}: {error}")


def watch_imports(places: dict[str, Callable[[Any], None]]) -> None:
    """For each module name, its function once it has been executed; at once where it has been already."""
    waiting = dict(places)
    for name, patch in places.items():
        module = sys.modules.get(name)
        if module is not None:
            del waiting[name]
            patched(module, patch)
    if waiting:
        sys.meta_path.insert(0, _Finder(waiting))
