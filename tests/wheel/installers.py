"""flatout's wheel, installed by everything that installs wheels: each function gives one Installation.

The Python is one of the same version as the tests', so that PyTorch of their environment can be used with it (PYTHONPATH).
"""

import dataclasses
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build" / "installers"  # `make test-slow` fetches them
TORCH = Path(sysconfig.get_path("purelib"))
BASE = f"{sys.base_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}"


@dataclasses.dataclass
class Installation:
    flatout: list  # how the command is called
    python: str  # which trains, and has the package
    env: dict = dataclasses.field(default_factory=dict)
    prefix: Path = None  # where all that was installed lies
    as_user: int = None


def run(*command, code=0, cwd=None, as_user=None, **env):
    made = {**harness.environment(), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "", **{name: str(value) for name, value in env.items()}}
    words = [str(word) for word in command]
    if as_user is not None:
        words = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--clear-groups", *words]
    done = subprocess.run(words, env=made, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert code is None or done.returncode == code, (words, done.returncode, done.stdout[-1000:], done.stderr[-3000:])
    return done


def pip(python, *arguments, **env):
    """The tests' own pip, at work for `python`."""
    return run(sys.executable, "-m", "pip", "--python", python, *arguments, **env)


def install(python, wheel, *options, **env):
    pip(python, "install", "--quiet", "--no-index", "--no-deps", "--no-warn-script-location", *options, wheel, **env)


def tool(name, *arguments, **env):
    """A program of TOOLS, which pip put there by --target."""
    path = os.pathsep.join(filter(None, [str(TOOLS / "bin"), os.environ.get("PATH")]))
    words = [TOOLS / "bin" / name] if name in ("uv", "uvx") else [sys.executable, "-m", name]
    return run(*words, *arguments, PATH=path, **{"PYTHONPATH": TOOLS, **env})


def environment(folder, python=BASE):
    run(python, "-m", "venv", "--without-pip", folder)
    return folder


def in_venv(wheel, folder):
    prefix = environment(folder / "env")
    install(prefix / "bin/python", wheel)
    return Installation([prefix / "bin/flatout"], prefix / "bin/python", prefix=prefix)


def in_a_venv_that_was_moved(wheel, folder):
    prefix = in_venv(wheel, folder / "before").prefix
    moved = folder / "moved é here"
    prefix.rename(moved)
    return Installation([moved / "bin/flatout"], moved / "bin/python", prefix=moved)


def of_a_user(wheel, folder):
    prefix = folder / "user base"
    install(BASE, wheel, "--user", "--break-system-packages", PYTHONUSERBASE=prefix)
    return Installation([prefix / "bin/flatout"], BASE, {"PYTHONUSERBASE": prefix}, prefix)


def by_target(wheel, folder):
    """As images of containers and bundles are made: a folder on PYTHONPATH."""
    prefix = folder / "target"
    install(BASE, wheel, "--target", prefix)
    return Installation([prefix / "bin/flatout"], BASE, {"PYTHONPATH": prefix}, prefix)


def by_target_alone(wheel, folder):
    """The package without bin/."""
    made = by_target(wheel, folder)
    shutil.rmtree(made.prefix / "bin")
    made.flatout = [BASE, "-m", "flatout"]
    return made


def by_prefix(wheel, folder):
    """As conda's own pip lays it out: bin/ and lib/python3.N/site-packages below a prefix that is no virtual environment."""
    prefix = folder / "prefix"
    install(BASE, wheel, "--prefix", prefix, "--ignore-installed")
    (packages,) = {path.parent for path in prefix.glob("**/flatout-*.dist-info")}
    (command,) = [path for path in prefix.glob("**/bin/flatout") if "_prefix" not in path.parts]
    return Installation([command], BASE, {"PYTHONPATH": packages}, prefix)


def by_a_link(wheel, folder):
    """As `ln -s` into a folder on PATH."""
    made = in_venv(wheel, folder)
    link = folder / "elsewhere" / "flatout"
    link.parent.mkdir()
    link.symlink_to(made.flatout[0])
    made.flatout = [link]
    return made


def by_uv(wheel, folder, *options):
    prefix = folder / "env"
    tool("uv", "venv", "--quiet", "--offline", "--python", BASE, prefix, UV_CACHE_DIR=folder / "cache")
    tool("uv", "pip", "install", "--quiet", "--offline", "--no-deps", *options, "--python", prefix / "bin/python", wheel, UV_CACHE_DIR=folder / "cache")
    return Installation([prefix / "bin/flatout"], prefix / "bin/python", prefix=prefix)


def by_uv_as_links(wheel, folder):
    """Files that are symbolic links into uv's cache."""
    return by_uv(wheel, folder, "--link-mode=symlink")


def by_uv_target(wheel, folder):
    prefix = folder / "target"
    tool("uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", BASE, "--target", prefix, wheel, UV_CACHE_DIR=folder / "cache")
    return Installation([prefix / "bin/flatout"], BASE, {"PYTHONPATH": prefix}, prefix)


def by_uv_tool(wheel, folder):
    tools = {"UV_TOOL_DIR": folder / "tools", "UV_TOOL_BIN_DIR": folder / "bin", "UV_CACHE_DIR": folder / "cache"}
    tool("uv", "tool", "install", "--quiet", "--offline", "--python", BASE, wheel, **tools)
    return Installation([folder / "bin/flatout"], folder / "tools/flatout/bin/python", prefix=folder / "tools")


def by_uvx(wheel, folder):
    """The command alone: the program that trains has another Python."""
    words = [TOOLS / "bin/uvx", "--quiet", "--offline", "--python", BASE, "--from", wheel, "flatout"]
    return Installation(words, sys.executable, {"UV_CACHE_DIR": folder / "cache"})


def by_pipx(wheel, folder):
    """Its environment is made by pip, its command is a link."""
    places = {"PIPX_HOME": folder / "pipx", "PIPX_BIN_DIR": folder / "bin", "PIPX_MAN_DIR": folder / "man", "PIPX_SHARED_LIBS": folder / "shared"}
    tool("pipx", "install", "--quiet", "--python", BASE, wheel, **places)
    return Installation([folder / "bin/flatout"], folder / "pipx/venvs/flatout/bin/python", prefix=folder / "pipx")


def by_shiv(wheel, folder):
    """One file that unpacks itself; what it starts has the package on its path."""
    app = folder / "app.pyz"
    tool("shiv", "--quiet", "--no-deps", "--python", BASE, "-e", "flatout.__main__:main", "-o", app, wheel)
    return Installation([BASE, app], BASE, {"SHIV_ROOT": folder / "shiv"})


def by_pex(wheel, folder):
    app = folder / "app.pex"
    tool("pex", wheel, "--no-index", "--python", BASE, "--no-transitive", "-m", "flatout", "-o", app, "--pex-root", folder / "root")
    return Installation([BASE, app], BASE, {"PEX_ROOT": folder / "root"})


def others_python():
    """A Python of the same version that other users may start; None where there is none."""
    for python in filter(None, (BASE, shutil.which(Path(BASE).name, path="/usr/bin:/usr/local/bin"))):
        if reachable_by_others(Path(python).resolve()):
            return python
    return None


def reachable_by_others(path):
    return all(one.stat().st_mode & 0o001 for one in (path, *path.parents) if one.is_dir())


def read_only(wheel, folder):
    """By one user, for others, who may not write there; started by an ordinary user where the tests are root's."""
    prefix = environment(folder / "env", others_python() or BASE)
    install(prefix / "bin/python", wheel)
    for path in [prefix, *prefix.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    return Installation([prefix / "bin/flatout"], prefix / "bin/python", prefix=prefix, as_user=65534 if os.geteuid() == 0 else None)
