"""What the C++ tests of the transforms are held against is what the installed libraries give."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("script", ["pillow_colour.py", "pillow_resample.py", "torch_levels.py"])
def test_stored_cases_are_current(script):
    done = subprocess.run([sys.executable, HERE / script, "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "cases are what" in done.stdout
