import importlib.util
import sys
import types
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inject"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from hooked import library


def load_hooks():
    """The package of the hooks as it lies beside the binary, without its native module."""
    names = ("_flatout_hooks", "_flatout_hooks.knobs")
    sys.modules[names[0]] = types.ModuleType(names[0])
    sys.modules[names[0]].__path__ = [str(library() / "hooks")]
    folder = library() / "hooks/knobs"
    spec = importlib.util.spec_from_file_location(
        names[1], folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    module = sys.modules[names[1]] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def knobs():
    yield load_hooks()
    for name in [name for name in sys.modules if name.startswith("_flatout_hooks")]:
        del sys.modules[name]
