"""Everything that programs on the simulated device need, below build/simgpu.

    python tests/simgpu/prepare.py [PIP ARGUMENTS...]

    site/      PyTorch's CUDA build, and Triton, without NVIDIA's libraries
    include/   NVIDIA's headers
    lib/       the simulated libraries

Wheels come from the package index that pip uses; what is already there is not
fetched again. Exit status 3, with one line, where a wheel cannot be had.
"""

import compileall
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import build

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build" / "simgpu"
TORCH = "2.13.0"
# `===` takes the very version that is named: a CPU build has the same one with "+cpu" behind it.
# Triton's is the version that PyTorch's METADATA asks for; it brings ptxas.
SITE = ["torch===" + TORCH, "triton==3.7.1"]
HEADERS = ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88", "nvidia-cuda-cupti==13.0.85", "nvidia-nvml-dev==13.0.87"]


class Unavailable(Exception):
    """A wheel that this machine cannot get; the text says which."""


def fetch(names, folder, pip_arguments):
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*pip, "--dest", str(folder), *pip_arguments, *names], capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise Unavailable("%s: %s" % (" ".join(names), last))
    return sorted(folder.glob("*.whl"))


def unpack(names, target, wanted, pip_arguments):
    """The members of the wheels for which `wanted` gives a path, below `target`, once for these names."""
    stamp = target / ".wheels"
    if stamp.is_file() and stamp.read_text() == "\n".join(names):
        return
    print("flatout: fetching %s (once)" % ", ".join(names), flush=True)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        for wheel in fetch(names, pathlib.Path(folder), pip_arguments):
            with zipfile.ZipFile(wheel) as members:
                for member in members.infolist():
                    path = None if member.is_dir() else wanted(member.filename)
                    if path:
                        write(members, member, target / path)
    # Where PYTHONDONTWRITEBYTECODE is set, as in many containers, every start of a program would compile all of PyTorch again.
    compileall.compile_dir(target, quiet=2, workers=0)
    stamp.write_text("\n".join(names))


def write(members, member, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with members.open(member) as source, open(path, "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
    path.chmod(0o755 if member.external_attr >> 16 & 0o111 else 0o644)


# Of Triton's own profiler: 120 MB, among it a libcupti for another version of CUDA.
NOT_OF_SITE = ("triton/backends/nvidia/lib/cupti/", "triton/plugins/", "triton/instrumentation/")


def of_site(name):
    return None if name.startswith(NOT_OF_SITE) else name


def of_headers(name):
    return name.split("/include/", 1)[1] if "/include/" in name else None


def prepare(pip_arguments=()):
    OUT.mkdir(parents=True, exist_ok=True)
    unpack(SITE, OUT / "site", of_site, pip_arguments)
    unpack(HEADERS, OUT / "include", of_headers, pip_arguments)
    build.build(OUT / "site" / "torch" / "lib", OUT / "lib", OUT / "include")


def main():
    try:
        prepare(sys.argv[1:])
    except Unavailable as missing:
        print("flatout: the simulated device cannot be built: %s" % missing, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
