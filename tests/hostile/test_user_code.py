"""Methods of the program's own objects are called as often as without flatout."""

import sys
from pathlib import Path

import harness

PROGRAM = Path(__file__).parent / "programs/counts.py"


def test_methods_of_a_dataset_and_a_model(flatout, tmp_path):
    plain = harness.run_plain([sys.executable, PROGRAM])
    observed = harness.run_observed([sys.executable, PROGRAM], tmp_path)
    assert b"__len__" in plain.out, plain.err
    assert observed.out == plain.out
    assert observed.report["steps"]["count"] == 20
