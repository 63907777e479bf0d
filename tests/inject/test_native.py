"""The native module: what callers see of a Span, and the same under ASan."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ring import read_rings

HERE = Path(__file__).parent
SPANS = HERE / "programs/spans.py"
ROOT = HERE.parents[1]


def test_spans_pass_everything_through_and_write_whole_records():
    done = subprocess.run([sys.executable, str(SPANS)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    ok, folder = done.stdout.split()
    assert ok == "ok"
    main, child = sorted(read_rings(folder), key=lambda r: -len(r.phases))
    assert child.sequence() == ["+sync", "-sync"]
    assert len(main.batches) == 40 * 4
    assert {"fails", "inner", "<lambda>", "augment"} >= set(main.batches[0].stages)
    assert sum(1 for p in main.phases if p.phase == "comm") == 16000


def sanitized_library():
    folder = Path(os.environ.get("FLATOUT_ASAN_DIR", ROOT / "build/asan"))
    return folder if (folder / "lib/flatout/_native.abi3.so").is_file() else None


def runtimes(folder):
    """What a process loads first so that a module of that build runs under its sanitizers: the compiler's own libraries."""
    cache = (folder / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    names = [f"libclang_rt.asan-{platform.machine()}.so"] if "clang" in compiler else ["libasan.so", "libubsan.so"]
    found = [subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip() for name in names]
    assert all(Path(path).is_file() for path in found), found
    return ":".join(found)


def test_spans_under_address_sanitizer():
    folder = sanitized_library()
    if folder is None:
        pytest.skip("no ASan build of the native module: `tools/run_tests.py --only asan` makes it in build/asan")
    env = dict(
        os.environ,
        FLATOUT_BIN=str(folder / "bin/flatout"),
        LD_PRELOAD=runtimes(folder),
        PYTHONMALLOC="malloc",  # so that ASan sees Python's objects one by one
        ASAN_OPTIONS="detect_leaks=0:abort_on_error=1",  # the interpreter itself leaks at exit
    )
    done = subprocess.run([sys.executable, str(SPANS)], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.startswith("ok")
