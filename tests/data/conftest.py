"""Makes flatout.torch importable from the source tree, and holds every test here to leaving no loader's thread behind."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from loader_threads import await_end  # noqa: E402


@pytest.fixture(autouse=True)
def no_loader_thread_stays():
    """A test that leaves one behind fails itself, rather than the next one that counts them."""
    yield
    await_end()
