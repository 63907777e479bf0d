"""The marker `every_change`: of a test's parameters those that it names are for every change."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "conftest.py"


@pytest.fixture(scope="module")
def conftest():
    spec = importlib.util.spec_from_file_location("conftest_of_tests", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Item:
    def __init__(self, parameter, *chosen):
        self.nodeid = f"tests/a.py::test[{parameter}]"
        self.callspec = SimpleNamespace(id=parameter)
        self.chosen = SimpleNamespace(args=chosen) if chosen else None
        self.marks = []

    def get_closest_marker(self, name):
        return self.chosen if name == "every_change" else None

    def add_marker(self, name):
        self.marks.append(name)


def test_what_is_not_named_is_slow(conftest):
    items = [Item(name, "a", "c") for name in "abcd"] + [Item("e")]
    conftest.leave_relatives_to_slow(items, whole=True)
    assert [item.marks for item in items] == [[], ["slow"], [], ["slow"], []]


def test_a_name_that_is_no_parameter_is_an_error(conftest):
    with pytest.raises(pytest.UsageError, match="'gone'"):
        conftest.leave_relatives_to_slow([Item(name, "a", "gone") for name in "ab"], whole=True)


def test_a_part_of_the_parameters_is_no_error(conftest):
    """As in a second look, which collects what failed."""
    items = [Item(name, "a", "b", "c") for name in "bcd"]
    conftest.leave_relatives_to_slow(items, whole=False)
    assert [item.marks for item in items] == [[], [], ["slow"]]


def test_a_run_without_pytests_cache_collects(conftest):
    """As in a run under a sanitizer: the option of a second look is the cache's."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", Path(__file__)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0 and "test_what_is_not_named_is_slow" in done.stdout, done.stdout[-2000:]
