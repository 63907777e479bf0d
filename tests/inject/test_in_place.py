"""Functions that are hooked in place, on every Python that is installed here."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hooked import environment

PROGRAM = Path(__file__).parent / "programs/in_place.py"


def interpreters():
    found = {sys.version_info[:2]: sys.executable}
    for minor in range(9, 16):
        path = shutil.which(f"python3.{minor}")
        said = subprocess.run([path, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True) if path else None
        if said is not None and said.returncode == 0:  # a shim may lead nowhere
            found.setdefault((3, minor), said.stdout.strip())
    homes = Path.home().glob(".pyenv/versions/3.*/bin/python")
    for home in homes:
        version = tuple(int(part) for part in home.parents[1].name.split(".")[:2])
        if version >= (3, 9):
            found.setdefault(version, str(home))
    return found


@pytest.mark.parametrize("python", interpreters().values(), ids=["%d.%d" % version for version in interpreters()])
def test_a_function_stays_what_it_is_and_each_call_passes(python, tmp_path):
    done = subprocess.run([python, str(PROGRAM)], env=environment(tmp_path, PYTHONPATH=""), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_a_method_of_pybind_stays_what_it_is_and_each_call_passes(tmp_path):
    program = PROGRAM.with_name("pybind_methods.py")
    done = subprocess.run([sys.executable, str(program)], env=environment(tmp_path), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
