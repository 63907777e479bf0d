"""Builds the simulated CUDA libraries that the CUDA build of PyTorch loads.

    python build.py TORCH_LIB OUT --headers INCLUDE

Every library that TORCH_LIB's own ones need is made in OUT under its real name:
the folders beside this file are what is simulated; entry points that the wheel
leaves undefined and that nobody here defines return 0, and say so on standard
error with SIMGPU_LOG=1. Symbols get the versions under which the wheel asks for
them. Needs g++ 12 or newer, binutils, and NVIDIA's headers (the wheels
nvidia-cuda-runtime, nvidia-cuda-crt, nvidia-cuda-cupti and nvidia-nvml-dev).
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = {  # folder: the library it becomes
    "runtime": "libcudart.so.13",
    "driver": "libcuda.so.1",
    "nvrtc": "libnvrtc.so.13",
    "cublas": "libcublas.so.13",
    "cublaslt": "libcublasLt.so.13",
    "cudnn": "libcudnn.so.9",
    "nvml": "libnvidia-ml.so.1",
    "cupti": "libcupti.so.13",
    "nccl": "libnccl.so.2",
}
# Where the wheel names no version, the prefix tells the library.
PREFIXES = (
    ("cusparseLt", "libcusparseLt.so.0"),
    ("nccl", "libnccl.so.2"),
    ("cuFile", "libcufile.so.0"),
    ("nvshmem", "libnvshmem_host.so.3"),
    ("cudnn", "libcudnn.so.9"),
    ("nvrtc", "libnvrtc.so.13"),
    ("cusolver", "libcusolver.so.12"),
    ("cupti", "libcupti.so.13"),
)
CUDA_NAME = re.compile(r"(__cuda|cuda|cu[A-Z]|cublas|cudnn|cusparse|cufft|curand|cusolver|nccl|nvrtc|cupti|nvshmem)")
CUDA_LIBRARY = re.compile(r"\[(lib(?:cu|nccl|nvrtc|nvshmem|nvJit|nvtx)[^\]]*)\]")
FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-parameter"]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wanted(torch_lib):
    """{library: {(symbol, version)}} of what the wheel's libraries leave undefined."""
    symbols = collections.defaultdict(set)
    for path in sorted(torch_lib.glob("lib*.so")):
        for library in CUDA_LIBRARY.findall(output_of("readelf", "-d", str(path))):
            symbols[library]  # there even if nothing of it is called
        for line in output_of("nm", "-D", "--undefined-only", str(path)).splitlines():
            name, _, version = line.split()[-1].partition("@")
            version = version.lstrip("@")
            if not CUDA_NAME.match(name):
                continue
            library = version if ".so." in version else next((so for prefix, so in PREFIXES if name.startswith(prefix)), None)
            if library:
                symbols[library].add((name, version))
    return symbols


def is_current(target):
    """Whether an object is newer than all that it was made from, as the compiler listed it."""
    listed = target.with_suffix(".d")
    if not target.is_file() or not listed.is_file():
        return False
    sources = listed.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    made = target.stat().st_mtime
    return all(os.path.isfile(one) and os.path.getmtime(one) < made for one in [*sources, __file__])


def link(command, target):
    """In one piece: programs that run meanwhile have the library that they loaded, or this one."""
    made = target.with_name(target.name + ".made")
    subprocess.run([*command, "-o", str(made)], check=True)
    os.replace(made, target)


class Builder:
    def __init__(self, out, headers):
        self.out = out
        self.objects = out / "objects"
        self.headers = headers
        self.compiler = ["ccache", "g++"] if shutil.which("ccache") else ["g++"]
        self.objects.mkdir(parents=True, exist_ok=True)

    def compile(self, source):
        relative = source.relative_to(HERE) if source.is_relative_to(HERE) else pathlib.Path("made") / source.name
        target = self.objects / relative.with_suffix(".o")
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_current(target):
            return target
        folders = ["-I", str(HERE), "-I", str(self.out / "made"), "-isystem", str(self.headers)]
        depends = ["-MMD", "-MF", str(target.with_suffix(".d"))]
        subprocess.run([*self.compiler, *FLAGS, *folders, *depends, "-c", str(source), "-o", str(target)], check=True)
        return target

    def defined(self, objects):
        names = set()
        for one in objects:
            for line in output_of("nm", "--defined-only", "--extern-only", str(one)).splitlines():
                names.add(line.split()[-1])
        return names

    def stubs(self, library, names):
        """A source of functions that return 0; `names` are not simulated."""
        path = self.out / "made" / (library + ".stubs.c")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "#include <stdio.h>\n#include <stdlib.h>\n"
        text += 'static long met(const char* name) { if (getenv("SIMGPU_LOG")) fprintf(stderr, "simgpu: not simulated: %s\\n", name); return 0; }\n'
        text += "".join('long %s() { return met("%s"); }\n' % (name, name) for name in sorted(names))
        path.write_text(text)
        target = self.objects / (library + ".stubs.o")
        subprocess.run(["gcc", "-c", "-O1", "-fPIC", "-w", "-fno-builtin", str(path), "-o", str(target)], check=True)
        return target

    def link(self, library, objects, symbols, own):
        """Symbols keep the version under which the wheel asks for them; what is our own stays hidden."""
        versions = collections.defaultdict(list)
        for name, version in symbols:
            versions[version].append(name)
        newest = next((version for version in sorted(versions) if version), "")
        asked = {name for name, _ in symbols}
        versions[newest] += sorted(name for name in own if name not in asked and CUDA_NAME.match(name) or name.startswith("nvml"))
        script = self.out / "made" / (library + ".map")
        lines = []
        hidden = "local: *; "
        for version, names in sorted(versions.items(), key=lambda item: item[0] == ""):
            if names:
                lines.append("%s { global: %s; %s};" % (version, "; ".join(sorted(set(names))), hidden))
                hidden = ""
        script.write_text("\n".join(lines) + "\n")
        command = ["g++", "-shared", "-Wl,-soname," + library, "-Wl,-rpath,$ORIGIN", "-Wl,-Bsymbolic", "-Wl,-z,defs"]
        if lines and not (len(versions) > 1 and versions.get("")):
            command.append("-Wl,--version-script=" + str(script))
        command += [str(one) for one in objects] + ["-L" + str(self.out), "-lsimgpu", "-ldl", "-lpthread", "-lrt"]
        link(command, self.out / library)


def generate(out, headers):
    """Sources that a folder's own generate.py makes from NVIDIA's headers."""
    made = []
    for script in sorted(HERE.glob("*/generate.py")):
        target = out / "made" / script.parent.name
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["python3", str(script), str(headers), str(target)], check=True)
        made += [(script.parent.name, path) for path in sorted(target.glob("*.cc"))]
    return made


def build(torch_lib, out, headers):
    out.mkdir(parents=True, exist_ok=True)
    builder = Builder(out, headers)
    generated = generate(out, headers)
    folders = ["core", *(folder for folder in LIBRARIES if list((HERE / folder).glob("*.cc")))]
    sources = [(folder, path) for folder in folders for path in sorted((HERE / folder).glob("*.cc"))] + generated
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = collections.defaultdict(list)
        for (folder, _), made in zip(sources, pool.map(lambda source: builder.compile(source[1]), sources)):
            objects[folder].append(made)
    core = ["g++", "-shared", "-Wl,-soname,libsimgpu.so", "-Wl,-z,defs"]
    link([*core, *map(str, objects["core"]), "-ldl", "-lpthread", "-lrt"], out / "libsimgpu.so")
    symbols = wanted(torch_lib)
    for library in sorted(set(symbols) | set(LIBRARIES.values())):
        folder = next((name for name, so in LIBRARIES.items() if so == library), None)
        own = builder.defined(objects[folder]) if folder else set()
        missing = {name for name, _ in symbols[library]} - own
        parts = list(objects[folder]) if folder else []
        builder.link(library, [*parts, builder.stubs(library, missing)], symbols[library], own)
        print("%-24s %4d simulated, %4d return 0" % (library, len(own), len(missing)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("torch_lib", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--headers", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    build(given.torch_lib, given.out.resolve(), given.headers.resolve())


if __name__ == "__main__":
    main()
