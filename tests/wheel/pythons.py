"""The CPythons of this machine, one for each version that the hooks support."""

import glob
import os
import subprocess
import sys
from functools import cache

OLDEST = (3, 9)


def _candidates():
    yield from filter(None, os.environ.get("FLATOUT_TEST_PYTHONS", "").split(":"))
    for minor in range(OLDEST[1], 20):
        yield f"python3.{minor}"
    # Where pyenv and uv keep those that are not on PATH.
    for pattern in ("~/.pyenv/versions/3.*/bin/python3", "~/.local/share/uv/python/cpython-3.*/bin/python3"):
        yield from sorted(glob.glob(os.path.expanduser(pattern)))


def _version(python):
    ask = "import sys, sysconfig; print(sys.implementation.name, sysconfig.get_config_var('Py_GIL_DISABLED') or 0, *sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    if done.returncode != 0 or len(words) != 4 or words[0] != "cpython" or words[1] != "0":
        return None  # no Python here, another kind, or one without the stable ABI
    return int(words[2]), int(words[3])


@cache
def others():
    """version -> interpreter, for every version but the one that runs the tests."""
    found = {}
    for python in _candidates():
        version = _version(python)
        if version and version >= OLDEST and version != sys.version_info[:2]:
            found.setdefault(version, python)
    return dict(sorted(found.items()))
