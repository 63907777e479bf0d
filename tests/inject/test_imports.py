"""How long imports took before torch was used."""

from pathlib import Path

import pytest
from hooked import main_ring, run

PROGRAM = Path(__file__).parent / "programs/imports.py"
SLEEPS = {"outer": 0.2, "inner": 0.2, "aside": 1.0, "late": 1.0}


@pytest.fixture
def modules(tmp_path):
    for name, seconds in SLEEPS.items():
        before = "import inner\n" if name == "outer" else ""
        (tmp_path / f"{name}.py").write_text(f"{before}import time\ntime.sleep({seconds})\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    return tmp_path


def import_seconds(modules, tmp_path_factory):
    done, rings = run(PROGRAM, modules, rings=tmp_path_factory.mktemp("rings"))
    assert done.returncode == 0, done.stderr
    (imports,) = main_ring(rings).fact("imports")
    return float(done.stdout), imports["seconds"]


def test_each_outermost_import_of_the_main_thread_counts_once(modules, tmp_path_factory):
    """Not the program's own work, other threads' imports, nor what comes after the first use of torch."""
    measured, said = import_seconds(modules, tmp_path_factory)
    assert measured > 0.4
    # Site and the imports of time and threading come on top; the four modules that must not count take 0.3 to 1 s each.
    assert measured - 0.05 < said < measured + 0.25


def test_nothing_stays_in_front_of_importlib(modules, tmp_path_factory):
    program = modules / "after.py"
    program.write_text(
        "import importlib._bootstrap as b, torch\n"
        "from torch.utils.data import DataLoader\n"
        "was = b._find_and_load\n"
        "list(DataLoader([1, 2]))\n"
        "import wave\n"
        "assert b._find_and_load is was and type(was).__name__ == 'function', b._find_and_load\n"
    )
    done, _ = run(program, rings=tmp_path_factory.mktemp("rings"))
    assert done.returncode == 0, done.stderr
