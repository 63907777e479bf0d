"""Updates of optimizers of every kind are seen, and the program sees none of it."""

import subprocess
import sys
from pathlib import Path

import pytest
from hooked import main_ring, run


PROGRAM = Path(__file__).parent / "programs/updates.py"
PAUSED = 64


def updates(ring):
    begun = sum(phase.begin for phase in ring.phases if phase.phase == "optimizer")
    return begun - sum(bool(phase.flags & PAUSED) for phase in ring.phases if phase.phase == "optimizer")


@pytest.mark.parametrize(("classes", "count", "registered"), [("of_modules", 11, "1 1" if sys.version_info[:2] == (3, 11) else "0 0"), ("local", 15, "1 1")])
@pytest.mark.every_change("local-15-1 1")
def test_updates_of_every_kind(tmp_path, classes, count, registered):
    """Mine makes two, as torch wraps either step(); one that its closure ended makes none."""
    bare = subprocess.run([sys.executable, str(PROGRAM), classes], capture_output=True, text=True, timeout=120)
    assert bare.returncode == 0, bare.stderr
    done, rings = run(PROGRAM, classes, rings=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == bare.stderr
    assert done.stdout.splitlines()[0] == bare.stdout.splitlines()[0]
    assert (bare.stdout.splitlines()[1], done.stdout.splitlines()[1]) == ("0 0", registered)
    ring = main_ring(rings)
    assert updates(ring) == count
    assert not ring.fact("problem")


def test_a_closure_is_none_of_an_update_however_it_is_given(tmp_path):
    _, rings = run(PROGRAM, "of_modules", rings=tmp_path)
    phases = main_ring(rings).sequence()
    around = ["+optimizer", "-optimizer", "+forward", "-forward", "+backward", "-backward", "+optimizer", "-optimizer"]
    text = " ".join(phases)
    assert text.count(" ".join(around)) >= 2
