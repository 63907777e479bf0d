#!/usr/bin/env python3
"""Pack a release build into one wheel that serves every CPython.

    make_wheel.py [build/release] [--out dist]

All that flatout needs lies inside the package flatout, in flatout/_prefix as in
the build folder: bin/flatout, lib/flatout (hooks), the libraries, the headers
and lib/pkgconfig. So it works however the package is installed, and wherever it
is moved. The command in the environment's bin/ (src/wheel) is a small native
program that becomes the one in the package; nothing of Python runs before it.
Below the environment's prefix lie only completions and the manual, where shells
and man look for them.

Same input, same bytes: entries are sorted, their time is SOURCE_DATE_EPOCH
(default: 1980, where a zip file's calendar begins), their modes are fixed.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "flatout"
SUMMARY = "Says why a training run's accelerator is not flat out: which part of each step waits, for what, in which line"
TAG = "py3-none-manylinux_2_34_x86_64"
REQUIRES_PYTHON = ">=3.9"
ZIP_EPOCH = 315_532_800  # 1980-01-01

# What a linker finds for -lflatout. Wheels cannot hold links, so this is a
# linker script; it is read with the folder that it lies in as search path.
LINKER_SCRIPT = "/* Linker script: wheels cannot hold symbolic links. */\nINPUT({}.so.0)\n"
# It stands in an environment's bin/ as `flatout` (src/wheel).
COMMAND = "wheel/flatout_command"
# The package's own bin/, lib/ and include/.
PREFIX = f"{NAME}/_prefix"
# For shells and man, which look below an environment's prefix once its bin/ is on the PATH.
SHARED = ("bash-completion/completions/flatout.bash", "zsh/site-functions/_flatout", "fish/vendor_completions.d/flatout.fish", "man/man1/flatout.1")
LINKED = ("libflatout", "libflatout_data")

# Debian's packages of what NOTICE lists.
SHIPPED = ("libsqlite3-dev", "libzstd-dev", "zlib1g-dev", "libxxhash-dev", "libmd-dev", "libcli11-dev", "libtomlplusplus-dev", "nlohmann-json3-dev",
           "libhwy-dev", "libjpeg62-turbo", "libwebp-dev", "libstdc++-12-dev")


def version():
    """The one place it stands in."""
    found = re.search(r"project\(flatout VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not found:
        raise SystemExit("wheel: CMakeLists.txt names no version: project(flatout VERSION ...)")
    return found.group(1)


def metadata():
    head = [
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        "License: Apache-2.0",
        "Classifier: License :: OSI Approved :: Apache Software License",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Classifier: Typing :: Typed",
        f"Requires-Python: {REQUIRES_PYTHON}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def stripped(path):
    """The file without its symbol table, which names files of the build machine."""
    with tempfile.TemporaryDirectory(prefix="flatout-wheel-") as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copy(path, copy)
        subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
        return copy.read_bytes()


def build_files(build):
    """Files of the build folder that the wheel installs: path -> (bytes, executable)."""
    hooks = sorted([*(build / "lib/flatout").rglob("*.py"), *(build / "lib/flatout/shims").rglob("METADATA")])
    headers = sorted((build / "include/flatout").glob("*.h*"))
    share = [build / "share" / name for name in SHARED]
    native = [build / "bin/flatout", build / COMMAND, build / "lib/flatout/_native.abi3.so", build / "lib/flatout/_track.abi3.so", build / "lib/flatout/libflatout_inject.so", build / "lib/libflatout.so.0",
              build / "lib/libflatout_data.so.0", build / "lib/libflatout_jpeg.so.0"]
    needed = [*native, build / "lib/flatout/site/sitecustomize.py", build / "lib/flatout/hooks/__init__.py",
              build / "lib/flatout/packages/flatout/track/__init__.py", build / "lib/flatout/shims/wandb/wandb/__init__.py",
              build / "include/flatout/flatout.h", *share, build / "lib/pkgconfig/flatout.pc", build / "lib/pkgconfig/flatout-data.pc"]
    missing = [str(path) for path in needed if not path.is_file()]
    if missing:
        raise SystemExit(f"wheel: not there: {', '.join(missing)}; run `make build` first")
    files = {}
    for path in native:
        files[str(path.relative_to(build))] = (stripped(path), True)
    for path in [*hooks, *headers, *share, *needed[-2:]]:
        files[str(path.relative_to(build))] = (path.read_bytes(), False)
    for name in LINKED:
        files[f"lib/{name}.so"] = (LINKER_SCRIPT.format(name).encode(), False)
    return files


def place(name):
    """Where a file of the build folder lies in the wheel: the command in the environment's bin/, share/ below its prefix, the rest in the package."""
    data = f"{NAME}-{version()}.data"
    if name == COMMAND:
        return f"{data}/scripts/{NAME}"
    return f"{data}/data/{name}" if name.startswith("share/") else f"{PREFIX}/{name}"


def package_files():
    """What a program imports, in site-packages: not the hooks, which `flatout run` brings into it."""
    folder = ROOT / "python"
    modules = [folder / "flatout" / name for name in ("py.typed", "__init__.py", "__main__.py", "program.py", "notebook.py", "cell_program.py")]
    modules += sorted((folder / "flatout").glob("data*.py"))
    modules += [path for package in ("native_form", "torch", "track", "capture") for path in sorted((folder / "flatout" / package).glob("*.py"))]
    return {str(path.relative_to(folder)): (path.read_bytes(), False) for path in modules}


def licences(info):
    """Ours, and those of what is linked or shipped, as Debian has them."""
    files = {f"{info}/{name}": ((ROOT / name).read_bytes(), False) for name in ("LICENSE", "NOTICE")}
    for package in SHIPPED:
        path = pathlib.Path("/usr/share/doc") / package / "copyright"
        if path.is_file():
            files[f"{info}/licenses/{package}.txt"] = (path.read_bytes(), False)
    return files


def wheel_files(build):
    info = f"{NAME}-{version()}.dist-info"
    files = {place(name): entry for name, entry in build_files(build).items()}
    files.update(package_files() | licences(info))
    files[f"{info}/METADATA"] = (metadata().encode(), False)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: flatout tools/make_wheel.py\n"
                              f"Root-Is-Purelib: false\nTag: {TAG}\n".encode(), False)
    rows = [f"{name},{digest(content)},{len(content)}" for name, (content, _) in sorted(files.items())]
    files[f"{info}/RECORD"] = ("\n".join([*rows, f"{info}/RECORD,,"]) + "\n").encode(), False
    return files


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def write(files, path):
    moment = time.gmtime(max(ZIP_EPOCH, int(os.environ.get("SOURCE_DATE_EPOCH", ZIP_EPOCH))))[:6]
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        # RECORD last, as the wheel format advises.
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name)):
            content, executable = files[name]
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system = 3  # Unix, so that the mode counts
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    part.replace(path)


def leftovers(files, *paths):
    """Names of files that speak of a folder of this machine."""
    whole = [re.compile(rb"(?<![\w./-])" + re.escape(str(path).encode()) + rb"(?![\w-])") for path in paths]
    return [name for name, (content, _) in files.items() for path in whole if path.search(content)]


def package_version():
    """What `flatout.__version__` is."""
    found = re.search(r'^__version__ = "([^"]*)"', (ROOT / "python/flatout/__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    return found and found.group(1)


def make(build, out):
    if package_version() != version():
        raise SystemExit(f"wheel: python/flatout/__init__.py says version {package_version()}, CMakeLists.txt {version()}: write the same there")
    if subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip() != "x86_64":
        raise SystemExit(f"wheel: this machine is not x86_64, for which {TAG} stands")
    files = wheel_files(build)
    speak = leftovers(files, ROOT, build)
    if speak:
        raise SystemExit(f"wheel: {', '.join(sorted(set(speak)))}: names {ROOT}; nothing of the build machine may ship")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{NAME}-{version()}-{TAG}.whl"
    write(files, path)
    return path


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist")
    options = parser.parse_args(argv)
    path = make(options.build.resolve(), options.out)
    shown = path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path
    print(f"{shown}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
