"""Makes bench/data importable."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "data"))


@pytest.fixture(scope="session")
def real_check_set(tmp_path_factory):
    """The files of the check set, written once; not to be changed."""
    from loaderbench import check_set

    return check_set.make(tmp_path_factory.mktemp("check") / "set")
