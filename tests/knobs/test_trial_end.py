"""A trial ends at the close of step N, and nothing of the program's own end runs."""

import subprocess
import sys

import pytest
from hooked import environment, library, main_ring, run
from planned import PROGRAMS


@pytest.mark.parametrize("workers", [0, 2])
def test_a_trial_ends_at_once(tmp_path, workers):
    rings, mark = tmp_path / "rings", tmp_path / "mark"
    rings.mkdir()
    done, seen = run(PROGRAMS / "ends.py", workers, mark, rings=rings, FLATOUT_STOP_AFTER=4, FLATOUT_TRIAL=1,
                     PYTHONUNBUFFERED="")  # fmt: skip
    assert done.returncode == 0 and done.stderr.split() == 4 * ["step"]
    assert done.stdout == "" and not mark.exists(), "no flush, no finally, no atexit"
    ring = main_ring(seen)
    assert ring.stops == 1
    assert ring.sequence().count("-optimizer") == 4, "all that happened before stands in the ring"


def test_without_a_trial_it_is_interrupted_as_before(tmp_path):
    rings, mark = tmp_path / "rings", tmp_path / "mark"
    rings.mkdir()
    done, seen = run(PROGRAMS / "ends.py", 0, mark, rings=rings, FLATOUT_STOP_AFTER=4)
    assert done.returncode != 0 and "KeyboardInterrupt" not in done.stderr
    assert mark.read_text() == "atexit" and main_ring(seen).stops == 1


def test_a_trial_that_ends_earlier_ends_as_the_program_does(tmp_path):
    rings, mark = tmp_path / "rings", tmp_path / "mark"
    rings.mkdir()
    done, seen = run(PROGRAMS / "ends.py", 0, mark, rings=rings, FLATOUT_STOP_AFTER=400, FLATOUT_TRIAL=1)
    assert (done.returncode, done.stdout, mark.read_text()) == (0, 24 * ".", "atexit")
    assert main_ring(seen).stops == 0


def test_a_c_program_ends_at_once_too(tmp_path):
    """Through the C ABI, called from a Python that never imports torch."""
    sdk = library().parent / "libflatout.so.0"
    program = tmp_path / "c.py"
    program.write_text(
        "import atexit, ctypes, sys\n"
        f"flatout = ctypes.CDLL({str(sdk)!r})\n"
        "atexit.register(lambda: print('atexit', flush=True))\n"
        "for _ in range(9):\n"
        "    print('step', flush=True)\n"
        "    flatout.flatout_step_end(ctypes.c_uint64(4))\n"
    )
    rings = tmp_path / "rings"
    rings.mkdir()
    env = environment(rings, FLATOUT_STOP_AFTER=3, FLATOUT_TRIAL=1)
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, 3 * ["step"]), done.stderr
