"""Torch gets into a process in each way that importlib has: the hooks attach once, behind torch's last line.

The torch of these tests is a folder with the two names that flatout looks for, and the hooks are one function that
prints: each way takes a bare Python's time. What the real ones do then is tests/transparency's.
"""

import json
import os
import shutil
import subprocess
import sys

import harness
import pytest
from hooked import library

TORCH = "from torch import nn\nTensor = object\nprint('torch begins')\nimport wave\nlast = 1\nprint('torch ends')\n"
HOOKS = "def load(name):\n    print('loaded', name)\n\n\ndef install(name, torch, used):\n    print('attached', torch.last)\n"
ASKED = "import importlib.util as u\nspec = u.find_spec('torch')\n"
LAZY = ASKED + (
    "import sys\nspec.loader = u.LazyLoader(spec.loader)\ntorch = u.module_from_spec(spec)\nsys.modules['torch'] = torch\n"
    "spec.loader.exec_module(torch)\nimport colorsys\nprint('lazy')\ntorch.last\n"
)
FRONT = """
import sys, importlib.abc, importlib.machinery as m
class Own(importlib.abc.Loader):
    def __init__(self, path): self.path = path
    def create_module(self, spec): return None
    def exec_module(self, module): exec(compile(open(self.path).read(), self.path, 'exec'), module.__dict__)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != 'torch': return None
        found = m.PathFinder.find_spec(name, path)
        spec = m.ModuleSpec(name, Own(found.origin), origin=found.origin, is_package=True)
        spec.submodule_search_locations = found.submodule_search_locations
        return spec
sys.meta_path.insert(0, Finder())
import torch
"""
WAYS = {
    "import": "import torch",
    "a submodule first": "from torch.nn import functional",
    "import_module": "import importlib\nimportlib.import_module('torch')",
    "asked for first": ASKED + "import torch",
    "asked for often": "import importlib.util as u\nfor _ in range(5): u.find_spec('torch')\nimport torch\nu.find_spec('torch')",
    "asked for and executed": ASKED + "import sys\nm = u.module_from_spec(spec)\nsys.modules['torch'] = m\nspec.loader.exec_module(m)",
    "asked for in threads": "import threading, importlib.util as u\nts = [threading.Thread(target=u.find_spec, args=('torch',)) for _ in range(8)]\n"
    "[t.start() for t in ts]; [t.join() for t in ts]\nimport torch",
    "imported in threads": "import threading\nts = [threading.Thread(target=__import__, args=('torch',)) for _ in range(8)]\n"
    "[t.start() for t in ts]; [t.join() for t in ts]",
    "reloaded": "import torch, importlib\nimportlib.reload(torch)",
    "lazy": LAZY,
    "another finder with a loader of its own": FRONT,
    "no finder of ours": "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if getattr(f, '__module__', '').startswith('_frozen')]\nimport torch",
    "failed at first": "import sys\nsys.modules['wave'] = None\ntry:\n    import torch\nexcept ImportError:\n    print('failed')\n"
    "del sys.modules['wave']\nimport torch",
    "multiprocessing spawn": "import multiprocessing as p\nif __name__ == '__main__':\n    c = p.get_context('spawn').Process(target=__import__, args=('torch',))\n"
    "    c.start(); c.join()",
    "multiprocessing forkserver": "import multiprocessing as p\nif __name__ == '__main__':\n    p.set_forkserver_preload(['torch'])\n"
    "    c = p.get_context('forkserver').Process(target=__import__, args=('torch',))\n    c.start(); c.join()",
}  # fmt: skip


@pytest.fixture
def folders(tmp_path):
    """(site, packages): flatout's with hooks that print, the program's with a torch that prints."""
    root, packages = tmp_path / "flatout", tmp_path / "packages"
    shutil.copytree(library() / "site", root / "site")
    shutil.copy(library() / "_native.abi3.so", root)
    (root / "hooks").mkdir()
    (root / "hooks/__init__.py").write_text(HOOKS)
    (packages / "torch/nn").mkdir(parents=True)
    (packages / "torch/__init__.py").write_text(TORCH)
    (packages / "torch/nn/__init__.py").write_text("")
    (packages / "torch/nn/functional.py").write_text("")
    return root / "site", packages


def said(folders, command, observed=True, **env):
    site, packages = folders
    path = [str(site)] * observed + [str(packages), env.pop("more", "")]
    ring = {"FLATOUT_RING_DIR": str(packages)} if observed else {}
    env = harness.environment(PYTHONPATH=os.pathsep.join(filter(None, path)), PYTHONDONTWRITEBYTECODE="1", **ring, **env)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=packages)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("way", WAYS)
def test_hooks_attach_once_and_behind_torchs_last_line(folders, way):
    program = folders[1] / "program.py"
    program.write_text(WAYS[way] + ("\nimport tabnanny\n" if way.startswith("another") else ""))
    plain = said(folders, [sys.executable, "-u", str(program)], observed=False)
    observed = said(folders, [sys.executable, "-u", str(program)])
    attached = [line for line in observed if line.startswith("attached")]
    assert attached == ["attached 1"], observed
    assert [line for line in observed if line not in (*attached, "loaded torch")] == plain
    assert observed.index("loaded torch") == observed.index("attached 1") - 1
    assert observed.index("attached 1") > observed.index("torch ends")


def test_a_site_file_imports_torch_before_sitecustomize(folders):
    """As a line of a .pth file would: site executes those first."""
    start = folders[1] / "usual_site"
    start.mkdir()
    (start / "sitecustomize.py").write_text("import torch\n")
    assert said(folders, [sys.executable, "-c", "pass"], more=str(start)).count("attached 1") == 1
    early = f"import sys; sys.path.insert(0, {str(folders[1])!r}); import torch; sys.path.insert(0, {str(folders[0])!r}); import sitecustomize"
    assert said(folders, [sys.executable, "-S", "-c", early], FLATOUT_QUIET="1")[-1] == "attached 1"


def test_zipapp_and_module(folders):
    program = folders[1] / "application"
    program.mkdir()
    (program / "__main__.py").write_text(ASKED + "import torch\n")
    archive = folders[1] / "program.pyz"
    subprocess.run([sys.executable, "-m", "zipapp", str(program), "-o", str(archive)], check=True)
    for command in ([str(archive)], ["-m", "application"]):
        assert said(folders, [sys.executable, *command]).count("attached 1") == 1


# Before torch: what a program can ask of the import system.
LOOKS = """
import json, re, sys
before = sorted(sys.modules)
import importlib.util, inspect, pickle, pathlib
def of(name):
    spec = importlib.util.find_spec(name)
    kind = type(spec.loader)
    return [re.sub(' at 0x[0-9a-f]+', '', repr(spec)), repr(kind), sorted(vars(spec.loader)), spec.origin, spec.cached, repr(spec.submodule_search_locations),
            pickle.dumps(spec).hex(), repr(inspect.signature(kind.exec_module)),
            kind.exec_module.__qualname__, kind.exec_module.__module__, callable(kind.exec_module),
            sorted(vars(spec)), spec.has_location, spec == importlib.util.find_spec(name)]
looks = [of('torch'), of('wave'), len(sys.meta_path), [repr(type(f)) for f in sys.meta_path], len(sys.path_hooks)]
if 'after' in sys.argv:
    import torch
    looks += [of('torch'), repr(type(torch.__spec__.loader)), sorted(vars(torch.__loader__)), repr(type(type(torch.__loader__).exec_module))]
print(json.dumps([before, looks]))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_what_a_program_can_ask_of_importlib_is_the_same(folders, when):
    program = folders[1] / "looks.py"
    program.write_text(LOOKS)
    plain, observed = (json.loads(said(folders, [sys.executable, str(program), when], on)[-1]) for on in (False, True))
    assert observed[1] == plain[1]
    assert set(observed[0]) - set(plain[0]) <= {"sitecustomize"}
