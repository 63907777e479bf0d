"""Makes tests/harness.py importable and reports a missing binary once, at the start."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


@pytest.fixture(scope="session")
def flatout():
    import harness

    return harness.flatout_bin()
