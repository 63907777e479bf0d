#!/usr/bin/env python3
"""Hold the sources to the include table below; exit 1 and name every breach.

Stages of flatout meet only in the types and interfaces of run/. An arrow that
is not in ALLOWED is a design change: argue for it in docs/decisions/, then add
it here. The same table is held for the DEPS of each folder's CMakeLists.txt,
so that a forbidden library cannot be linked either. And what follows from a
knob is declared (schema/knobs.toml): only its own files may ask which one it is.
"""

import argparse
import pathlib
import re
import sys
import tomllib

# folder of src/ -> what its files may include beside their own folder: folders, or single headers.
ALLOWED = {
    "base": set(),
    "host": {"base"},
    "wire": set(),
    "run": {"base"},
    "inject": {"wire", "base/kernel_clock.h", "run/phase.h", "run/activity.h"},
    "capi": {"wire", "inject", "run/phase.h"},
    "launch": {"base", "run"},
    # A throwaway folder is entered by the child that launch starts.
    "workspace": {"base", "launch"},
    "collect": {"base", "host", "run"},
    "record": {"base", "wire", "run"},
    "store": {"base", "run"},
    "trace": {"base", "run"},
    "analyse": {"base", "run"},
    "advise": {"base", "run"},
    "apply": {"base", "run"},
    "report": {"base", "run"},
    # A budget held against a Report and against a baseline.
    "check": {"base", "run"},
    # Files of other experiment trackers: names no run, no store.
    "trackers": {"base"},
    # A loader reports to the run around its program what it does, through the ring, as the C ABI does.
    "data": {"base", "host", "inject", "wire/record.h", "run/phase.h"},
    # What a command line, a server or a notebook asks for: a recording, a stored run, its
    # explanation, an export. No argv, no printing of answers.
    "app": {"base", "host", "run", "launch", "workspace", "collect", "record", "store", "trace", "analyse", "advise", "apply", "report", "check", "trackers"},
    # Trials placed by a launcher, on top of the same recordings.
    "trial": {"base", "host", "run", "wire/control_page.h", "launch", "workspace", "collect", "store", "analyse", "apply", "app"},
    # HTTP over what app gives: no argv, no printing.
    "serve": {"base", "run", "store", "analyse", "report", "app"},
    # Becomes the program of an installed package, and is all of a wheel that lies outside of it.
    "wheel": set(),
    # Parses, calls and prints.
    "cli": {"base", "host", "run", "launch", "collect", "store", "analyse", "apply", "report", "app", "trial", "serve"},
}

# A stage that is divided: folder in it -> the other folders in it that its files may include. What stands in
# the stage itself is for all of them. Tests may include any.
INSIDE = {
    "data": {
        "source": set(),
        "decode": set(),
        "transform": set(),
        "batch": set(),
        "tune": set(),
        "cache": {"source"},
        "device": {"batch"},
        "pack": {"source", "decode", "transform"},
        "feed": {"source", "cache", "decode", "transform", "batch", "tune"},
        "tokens": {"source", "feed"},
        "spec": {"source", "cache", "decode", "transform", "pack", "feed", "tokens"},
        "open": {"source", "cache", "transform", "device", "tune", "pack", "feed", "spec"},
        # C calls to calls of open/; what is decided is decided below.
        "abi": {"source", "pack", "spec", "open"},
    },
}

# The installed headers of include/ -> folders of src/ that may include them.
INSTALLED = {"flatout/flatout.h": {"capi"}, "flatout/data.h": {"data", "app", "cli"}, "flatout/flatout.hpp": set(), "flatout/data.hpp": set()}

# Third-party headers by prefix -> folders, or single files, that may include them.
VENDORS = {
    "Python.h": {"inject"},
    "CLI/": {"cli"},
    "fmt/": {"run", "launch", "collect", "record", "store", "analyse", "advise", "apply", "report", "check", "app", "trial", "cli"},
    # Of run/ only the decoder of facts: each Timeline holds them as types, whoever builds it.
    "nlohmann/": {"run/fact_fields.h", "trackers", "store", "analyse", "apply", "report", "data", "app", "trial", "serve", "cli"},
    "toml++/": {"base/toml.h"},
    "zstd.h": {"store", "data"},
    "zlib.h": {"data", "trace", "trackers"},
    "sqlite3.h": {"store", "trace", "trackers"},
    "xxhash.h": {"store", "data"},
    "jpeglib.h": {"data"},
    "jerror.h": {"data"},
    "hwy/": {"data"},
    "event2/": {"serve"},
}
# Only tests may include these, in any folder.
TEST_VENDORS = ("gtest/", "gmock/")
# Headers of a vendor's driver or runtime: nobody may, they are opened at run time through own declarations.
FORBIDDEN = ("cuda", "cupti", "nvml", "nvjpeg", "torch/", "c10/", "ATen/", "boost/", "absl/")

# Where a knob's id may stand as a text: its own code, what is generated, and made-up reports.
KNOB_CODE = ("src/apply/knobs/", "python/flatout/hooks/knobs/", "src/run/knob_ids.h", "src/run/knob_table.h",
             "src/report/examples.cc", "src/report/random_report.cc")
KNOB_COMPARED = re.compile(r"[=!]=\s*(?:run::)?knob_id::|knob_id::k\w+\s*[=!]=")
TEXT = re.compile(r"""["']([\w.]+)["']""")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TARGET = re.compile(r"flatout_(?:stage|test)\s*\(\s*(\w+)([^)]*)\)", re.S)
SUFFIXES = {".h", ".hpp", ".cc", ".cpp", ".c"}


def include_problem(folder, path, quote, header):
    """Why `path` in src/<folder> may not include `header`; None where it may."""
    is_test = is_test_file(path)
    if header.startswith(FORBIDDEN):
        return f"{header}: vendor headers are not included; the library is opened at run time"
    if header.startswith(TEST_VENDORS):
        return None if is_test else f"{header}: only *_test, *_for_test and *_fixture files may include it"
    for prefix, folders in VENDORS.items():
        if header.startswith(prefix):
            if folder in folders or f"{folder}/{path.name}" in folders:
                return None
            return f"{header}: only {', '.join(sorted(folders))} may include it"
    if header in INSTALLED:
        if folder in INSTALLED[header]:
            return None
        return f"{header}: only capi/ may include it; it is for programs"
    first = header.split("/")[0]
    if quote == "<":
        return f'{header}: own headers are included with quotes' if first in ALLOWED and "/" in header else None
    if "/" not in header:
        return f"{header}: includes are relative to src/, as in \"{folder}/{header}\""
    if first not in ALLOWED:
        return f"{header}: {first}/ is not a folder of src/"
    if first == folder or first in ALLOWED[folder] or header in ALLOWED[folder]:
        return None
    allowed = ", ".join(sorted(ALLOWED[folder])) or "the standard library only"
    return f"{header}: {folder}/ may include {allowed}"


def inside_problem(parts, path, header):
    """Why a file at `parts` below src/ may not include `header` of its own stage; None where it may."""
    table = INSIDE.get(parts[0])
    own = parts[1] if len(parts) > 2 else ""
    if table is None or is_test_file(path):
        return None
    if own and own not in table:
        return f"{parts[0]}/{own}/ has no row in INSIDE of tools/check_layers.py"
    stage, *inner = header.split("/")
    if stage != parts[0] or len(inner) < 2 or inner[0] == own or inner[0] in table.get(own, set()):
        return None
    allowed = ", ".join(sorted(table.get(own, set()))) or "no other folder"
    return f"{header}: of {stage}/, {'/'.join(parts[:-1])}/ may include {allowed}"


def link_problems(folder, text):
    """Names in DEPS of one CMakeLists.txt that the table forbids."""
    may_link = {entry.split("/")[0] for entry in ALLOWED[folder]} | {folder}
    text = re.sub(r"#[^\n]*", "", text)
    for target, arguments in TARGET.findall(text):
        words = arguments.split()
        deps = []
        if "DEPS" in words:
            for word in words[words.index("DEPS") + 1:]:
                if word in ("LIBS", "SOURCES"):
                    break
                deps.append(word)
        # inject takes one header of run/ and no code: the table's single headers do not allow a link.
        for dep in deps:
            own = any(dep == name or dep.startswith(name + "_") for name in may_link)
            if not own:
                yield f"{target} links {dep}: {folder}/ may link {', '.join(sorted(may_link))}"


def installed_problem(name, quote, header):
    """Why an installed header may not include `header`: it must stand alone in any program, flatout.h in any C."""
    if header in INSTALLED:
        return None if name != "flatout.h" else f"{header}: flatout.h includes none of ours"
    if quote == '"' or "/" in header:
        return f"{header}: an installed header includes the standard library only"
    if name.endswith(".h") and not header.endswith(".h"):
        return f"{header}: flatout.h is C"
    return None


def check_installed(include):
    """Every breach below include/, as check() gives them; and how many files were read."""
    problems, read = [], 0
    for path in sorted(include.rglob("*")):
        if not path.is_file():
            continue
        read += 1
        if str(path.relative_to(include)) not in INSTALLED:
            problems.append((path, 1, "is not in the table of installed headers of tools/check_layers.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            problem = match and installed_problem(path.name, *match.groups())
            if problem:
                problems.append((path, number, problem))
    return problems, read


def check(src):
    """Every breach below `src`, as (file, line, text); and how many files were read."""
    problems, read = [], 0
    for path in sorted(src.rglob("*")):
        parts = path.relative_to(src).parts
        if not path.is_file() or (path.suffix not in SUFFIXES and path.name != "CMakeLists.txt"):
            continue
        folder = parts[0]
        if len(parts) < 2 or folder not in ALLOWED:
            problems.append((path, 1, f"{folder} has no row in the table of tools/check_layers.py"))
            continue
        read += 1
        text = path.read_text(encoding="utf-8")
        if path.name == "CMakeLists.txt":
            problems += [(path, 1, problem) for problem in link_problems(folder, text)]
            continue
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            problem = match and (include_problem(folder, path, *match.groups()) or inside_problem(parts, path, match[2]))
            if problem:
                problems.append((path, number, problem))
    return problems, read


def is_test_file(path):
    return path.stem.endswith(("_test", "_for_test", "_fixture"))


def knob_problem(line, ids):
    """Why a line outside of KNOB_CODE may not name a knob so; None where it may."""
    code = re.split(r"//|#(?!include)", line)[0]
    for text in TEXT.findall(code):
        if text in ids:
            return f'"{text}": name a knob by run/knob_ids.h, and ask its facts (run/knob_table.h) what follows from it'
    if KNOB_COMPARED.search(code):
        return "a knob is compared by its id: declare in schema/knobs.toml what follows from it"
    return None


def check_knobs(root):
    """Every breach of the rule for knobs, as check() gives them; and how many files were read."""
    ids = {knob["id"] for knob in tomllib.loads((root / "schema/knobs.toml").read_text(encoding="utf-8"))["knob"]}
    problems, read = [], 0
    files = [*(root / "src").rglob("*.h"), *(root / "src").rglob("*.cc"), *(root / "python").rglob("*.py")]
    for path in sorted(files):
        if is_test_file(path) or str(path.relative_to(root)).startswith(KNOB_CODE):
            continue
        read += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if problem := knob_problem(line, ids):
                problems.append((path, number, problem))
    return problems, read


def main(argv=None):
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("src", nargs="?", type=pathlib.Path, default=root / "src")
    src = parser.parse_args(argv).src
    problems, read = check(src)
    include = src.parent / "include"
    if include.is_dir():
        more, headers = check_installed(include)
        problems, read = problems + more, read + headers
    if (src.parent / "schema/knobs.toml").is_file():
        problems = problems + check_knobs(src.parent)[0]
    for path, line, text in problems:
        print(f"{path}:{line}: {text}")
    if read == 0:
        print(f"{src}: no source file found, so nothing was checked")
        return 1
    print(f"layers: {read} files, {len(problems)} breaches")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
