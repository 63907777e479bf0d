#!/usr/bin/env python3
"""Show that a release build can be copied to another machine and run there.

    check_binary.py [build/release]

Three proofs. The program and the libraries ask the system for nothing but glibc
and libgcc_s (the hooks' native module, libflatout.so and libflatout_inject.so not even for that); they need no symbol newer than GLIBC_2.34, the
oldest glibc that flatout supports; and bin/ with lib/, copied elsewhere, run
there with an empty environment. Versions of symbols follow the glibc of the
build machine, so the second proof is made only where that is 2.36 or older
(Debian 12 has 2.36); elsewhere it is skipped, with the reason printed.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NEWEST = (2, 34)
BUILD_GLIBC = (2, 36)
PROGRAM_MAY_NEED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
                    "libpthread.so.0", "libdl.so.2", "librt.so.1"}
MODULE_MAY_NEED = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
DATA_MAY_NEED = PROGRAM_MAY_NEED | {"libflatout_jpeg.so.0"}  # which lies beside it

NEEDED = re.compile(r"\(NEEDED\).*\[([^\]]+)\]")
RUN_PATH = re.compile(r"\((?:RPATH|RUNPATH)\).*\[([^\]]*)\]")
# objdump -T: "0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.34) __libc_start_main"
# objdump -T: "0000000000002b40 g    DF .text	0000000000000006  FLATOUT_1   flatout_abi_version"
DEFINED = re.compile(r"^[0-9a-f]+ [gwu ].{6}\s(?!\*UND\*)\S+\s+[0-9a-f]+\s+(?:\S+\s+)?(\S+)$", re.M)
UNDEFINED = re.compile(r"\*UND\*\s+\S+\s+\(?(GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)\)?\s+(\S+)")


def dynamic_problems(text, may_need):
    """Faults in the output of `readelf -d` of one file."""
    libraries = NEEDED.findall(text)
    problems = [f"needs {name}, which a bare machine may lack" for name in libraries if name not in may_need]
    if not libraries:
        problems.append("no NEEDED entry was found, so nothing was checked")
    for path in RUN_PATH.findall(text):
        problems += [f"has run path {part}" for part in path.split(":") if not part.startswith("$ORIGIN")]
    return problems


def symbol_problems(text):
    """Symbols in the output of `objdump -T` that glibc 2.34 and a system without libstdc++ cannot give."""
    problems, seen = [], 0
    for family, version, name in UNDEFINED.findall(text):
        seen += 1
        number = tuple(int(part) for part in version.split(".")[:2])
        if family in ("GLIBCXX", "CXXABI"):
            problems.append(f"takes {name} from the system's libstdc++ ({family}_{version})")
        elif family == "GLIBC" and number > NEWEST:
            problems.append(f"wants {name} of GLIBC_{version}, newer than GLIBC_{NEWEST[0]}.{NEWEST[1]}")
    if seen == 0:
        problems.append("no versioned symbol was found, so nothing was checked")
    return problems


# What CUDA calls of a library that CUDA_INJECTION64_PATH names, and NVTX of one that NVTX_INJECTION64_PATH names.
ASKED_OF_US = {"InitializeInjection", "InitializeInjectionNvtx2"}


def export_problems(text, one_of_them):
    """Symbols in the output of `objdump -T` of one of our libraries that a program could clash with."""
    names = set(DEFINED.findall(text)) - {"FLATOUT_1", "FLATOUT_DATA_1", "FLATOUT_INJECT_1"} - ASKED_OF_US
    if one_of_them not in names:
        return [f"{one_of_them} is not exported, so exports were not read"]
    return [f"exports {name}" for name in sorted(names) if not name.startswith("flatout_")]


def tool_output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def host_glibc():
    return tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2])


def run_moved(build, scratch):
    """Faults of the copy: each command must work with an empty environment."""
    moved = pathlib.Path(scratch) / "moved here"
    (moved / "bin").mkdir(parents=True)
    shutil.copy2(build / "bin" / "flatout", moved / "bin" / "flatout")
    shutil.copytree(build / "lib" / "flatout", moved / "lib" / "flatout")
    program = str(moved / "bin" / "flatout")
    home = str(moved / "home")
    problems = []
    for name in ("libflatout_data.so.0", "libflatout_jpeg.so.0"):
        shutil.copy2(build / "lib" / name, moved / "lib" / name)
    for expected, command in (
        (0, [program, "--version"]),
        # It looks for the hooks beside itself; without HOME it must be given where runs go.
        (0, [program, "doctor", "--home", home]),
        (3, [program, "run", "--home", home, "--quiet", "--", "/bin/sh", "-c", "exit 3"]),
        (0, [program, "ls", "--home", home]),
        (0, [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).flatout_loader_close(None)",
             str(moved / "lib" / "libflatout_data.so.0")]),
    ):
        shown = " ".join(command).replace(program, "flatout").replace(str(moved), "moved")
        try:
            done = subprocess.run(command, env={}, cwd=moved, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            problems.append(f"moved copy: `{shown}` did not end within 60 s")
            continue
        print(f"  {shown}: exit {done.returncode}")
        if done.returncode != expected:
            problems.append(f"moved copy: `{shown}` gave exit {done.returncode}, not {expected}: {done.stderr.strip()[-400:]}")
        elif str(build) in done.stdout + done.stderr:
            problems.append(f"moved copy: `{shown}` still speaks of {build}")
    return problems


def main(argv=None):
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=root / "build" / "release")
    build = parser.parse_args(argv).build.resolve()
    library, data = build / "lib" / "libflatout.so.0", build / "lib" / "libflatout_data.so.0"
    agent = build / "lib" / "flatout" / "libflatout_inject.so"
    files = {build / "bin" / "flatout": PROGRAM_MAY_NEED, build / "lib" / "flatout" / "_native.abi3.so": MODULE_MAY_NEED,
             build / "lib" / "flatout" / "_track.abi3.so": MODULE_MAY_NEED, build / "wheel" / "flatout_command": MODULE_MAY_NEED,
             library: MODULE_MAY_NEED, agent: MODULE_MAY_NEED, data: DATA_MAY_NEED, build / "lib" / "libflatout_jpeg.so.0": MODULE_MAY_NEED}
    exports = {library: "flatout_step_end", agent: "flatout_trace_yield", data: "flatout_loader_open"}
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        print(f"binary: not there: {', '.join(missing)}; run `make build` first")
        return 1
    versions_count = host_glibc() <= BUILD_GLIBC
    if not versions_count:
        print(f"  symbol versions: skipped, this glibc is newer than {BUILD_GLIBC[0]}.{BUILD_GLIBC[1]}")
    problems = []
    for path, may_need in files.items():
        found = dynamic_problems(tool_output("readelf", "-dW", str(path)), may_need)
        if versions_count:
            found += symbol_problems(tool_output("objdump", "-T", str(path)))
        if path in exports:
            found += export_problems(tool_output("objdump", "-T", str(path)), exports[path])
        print(f"  {path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(found)} faults")
        problems += [f"{path.name} {problem}" for problem in found]
    with tempfile.TemporaryDirectory(prefix="flatout-moved-") as scratch:
        problems += run_moved(build, scratch)
    for problem in problems:
        print(f"  {problem}")
    print(f"binary: {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
