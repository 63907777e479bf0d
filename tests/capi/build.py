"""Builds C and C++ programs against the release's libflatout, as a user would: through pkg-config."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import harness

ROOT = Path(__file__).resolve().parents[2]


def prefix():
    """Where bin, lib and include lie."""
    return harness.flatout_bin().resolve().parents[1]


def flags(root=None):
    env = {**os.environ, "PKG_CONFIG_PATH": str((root or prefix()) / "lib/pkgconfig")}
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:  # what the .pc file would say
        lib = (root or prefix()) / "lib"
        return [f"-I{lib.parent}/include", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lflatout", "-lflatout_data"]
    done = subprocess.run([tool, "--cflags", "--libs", "flatout", "flatout-data"], env=env, capture_output=True)
    assert done.returncode == 0, done.stderr
    # Words as a shell reads them: blanks, and each byte of what is not ASCII, stand behind a backslash.
    return [os.fsdecode(word.encode("latin-1")) for word in shlex.split(done.stdout.decode("latin-1"))]


def program(source, folder, *, root=None, extra=()):
    """The path of the program made from one .c or .cc file."""
    source = Path(source)
    target = Path(folder) / source.stem
    standard = ["cc", "-std=c99", "-D_GNU_SOURCE"] if source.suffix == ".c" else ["c++", "-std=c++17"]
    command = [*standard, "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread", source, "-o", target,
               *flags(root), *extra, "-lm"]  # fmt: skip
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target
