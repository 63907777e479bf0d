"""What the hooks cost a step, as calls of Python functions: sub-millisecond steps feel each."""

import json
from pathlib import Path

import pytest
from hooked import main_ring, run

PROGRAM = Path(__file__).parent / "programs/calls_a_step.py"


@pytest.mark.parametrize("source", ["list", "loader"])
def test_no_call_of_python_a_step(tmp_path, source):
    done, rings = run(PROGRAM, source, rings=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
    begun = [phase.phase for phase in main_ring(rings).phases if phase.begin]
    assert (begun.count("forward"), begun.count("optimizer")) == (210, 210)
