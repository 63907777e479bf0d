import pytest

import harness
from budgets import Checked


@pytest.fixture(scope="session")
def checked(tmp_path_factory):
    """A home with three runs: `base`, `same` and `slow`, which waits longer for data."""
    held = Checked(tmp_path_factory.mktemp("check"))
    library = harness.flatout_bin().parents[1] / "lib/libflatout.so"
    held.record("base", library, 60, 1, 1, 1)
    held.record("same", library, 60, 1, 1, 2)
    held.record("slow", library, 60, 40, 1, 3)
    return held
