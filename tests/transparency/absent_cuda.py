"""Stand-ins for NVIDIA's libraries, so that a CUDA build of PyTorch can be imported where there is no GPU and none of them.

    python absent_cuda.py TORCH_LIB OUT

Each library that the wheel's own ones need and that is not there is made in OUT under its name; every function of it
answers "no device" (cudaErrorNoDevice). Needs gcc and binutils. Programs then start with OUT in LD_LIBRARY_PATH.
"""

import collections
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(__cuda|cuda|cu[A-Z]|cublas|cudnn|cusparse|cufft|curand|cusolver|nccl|nvrtc|nvJit|cupti|nvshmem|nvtx|nvml)")
OF_CUDA = re.compile(r"\[(lib(?:cu|nccl|nvrtc|nvshmem|nvJit|nvtx|nvToolsExt|nvfatbin)[^\]]*)\]")
NO_DEVICE = 100


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wanted(folder):
    """(names of libraries, {library or "": symbols}) that the wheel's libraries leave open."""
    needed, symbols = set(), collections.defaultdict(set)
    for path in sorted(folder.glob("lib*.so*")):
        needed |= set(OF_CUDA.findall(output_of("readelf", "-d", str(path))))
        for line in output_of("nm", "-D", "--undefined-only", str(path)).splitlines():
            name, _, version = line.split()[-1].partition("@")
            if NAMES.match(name):
                symbols[version].add(name)
    there = {path.name for path in folder.iterdir()}
    return needed - there, symbols


def make(library, symbols, out):
    """`symbols`: {version or "": names}."""
    source, script = out / (library + ".c"), out / (library + ".map")
    names = sorted({name for part in symbols.values() for name in part})
    source.write_text("".join("int %s() { return %d; }\n" % (name, NO_DEVICE) for name in names))
    versions = {version: part for version, part in symbols.items() if version}
    script.write_text("".join("%s { global: %s; };\n" % (version, "; ".join(sorted(part))) for version, part in sorted(versions.items())))
    command = ["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", "-Wl,-soname," + library, str(source), "-o", str(out / library)]
    subprocess.run([*command, *(["-Wl,--version-script=" + str(script)] if versions else [])], check=True)


def main(torch_lib, out):
    folder, out = pathlib.Path(torch_lib), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    needed, symbols = wanted(folder)
    of_library = collections.defaultdict(dict)
    for version, names in symbols.items():
        library = next((name for name in sorted(needed) if version and version.lower() in name.lower()), None)
        if library:
            of_library[library][version] = names
    for library in needed - set(of_library):  # what asks for no version takes it from any of them
        of_library[library][""] = symbols.get("", set())
    for library in sorted(needed):
        make(library, of_library[library], out)
    print("%d libraries, %d functions" % (len(needed), sum(map(len, symbols.values()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
