"""The races of test_closing.py, 200 runs each, with the library built under a sanitizer. Python itself is not."""

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The C library's loader is not instrumented: TSan does not see that it frees a thread's storage after the thread's end.
SUPPRESSED = "race:_dl_deallocate_tls\n"
# GCC 12's TSan does not take the locks of its own allocator around fork(): a child may wait for one for ever (seen in 4 of some 130, in two looked at
# in libtsan's free() under Python's own shutdown; without TSan in none of 150, under ASan in none of 50).
LEFT_OUT = {"asan": "", "tsan": "not fork"}


def library(preset):
    for command in (["cmake", "--preset", preset, "--log-level=WARNING"], ["cmake", "--build", "--preset", preset, "--target", "flatout_data"]):
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return ROOT / "build" / preset / "lib/libflatout_data.so.0"


def compiler(preset):
    """The library's. A folder that a sanitizer's suite has configured keeps the one that was given there."""
    cache = ROOT / "build" / preset / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return found[1] if found else "c++"


def runtime(preset):
    """Libraries that have to be loaded first, None where one is not on this machine."""
    if "clang" in compiler(preset):
        names = [f"libclang_rt.{preset}-{platform.machine()}.so"]
    else:
        names = [f"lib{preset}.so"] + ["libubsan.so"] * (preset == "asan")
    asked = [[compiler(preset), f"-print-file-name={name}"] for name in names]
    found = [subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() for words in asked]
    return ":".join(found) if all(Path(path).is_absolute() for path in found) else None


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_races_under_a_sanitizer(preset, tmp_path):
    preload = runtime(preset)
    if not preload or not shutil.which("setarch"):
        pytest.skip(f"no runtime of {preset}, or no setarch, on this machine")
    (tmp_path / "suppressed").write_text(SUPPRESSED)
    environment = {
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={tmp_path}/report",  # of Python's own
        "TSAN_OPTIONS": f"suppressions={tmp_path}/suppressed:log_path={tmp_path}/report",
        "FLATOUT_DATA_LIBRARY": library(preset),
    }
    words = ["env", *(f"{name}={value}" for name, value in environment.items()), "setarch", platform.machine(), "-R",
             sys.executable, "-m", "pytest", "--slow", "-q", "-p", "no:cacheprovider", "-k", LEFT_OUT[preset], "tests/data/test_closing.py"]  # fmt: skip
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    reports = "\n".join(path.read_text() for path in tmp_path.glob("report*"))
    assert not reports and done.returncode == 0, reports[:4000] + done.stdout[-4000:]
