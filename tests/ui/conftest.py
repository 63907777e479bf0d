"""Makes the helpers of this folder importable, and starts `flatout ui`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from ui_server import UiServer  # noqa: E402


@pytest.fixture(scope="module")
def server(home):
    """A running `flatout ui` over the store that a module of tests makes."""
    with UiServer(home) as server:
        yield server
