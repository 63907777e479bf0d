"""The package flatout as a program imports it."""

import os
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGES))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of flatout's and a cache of the test's own, and no variable of flatout's from outside; the binary is the one under test."""
    import harness

    for name in [name for name in os.environ if name.startswith("FLATOUT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FLATOUT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("FLATOUT_BIN", str(harness.flatout_bin()))
    return tmp_path / "home"
