"""Makes tests/harness.py importable and reports a missing binary once, at the start."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

# A shell's background job inherits an ignored SIGINT, and what nohup started an
# ignored SIGHUP: the programs under test must be able to die of both.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session")
def flatout():
    import harness

    return harness.flatout_bin()
