"""The tests here cover /tmp with a small file system, so their own folders lie elsewhere."""

import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path():
    folder = Path(tempfile.mkdtemp(prefix="flatout-faults.", dir="/var/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
