"""Makes tests/harness.py importable and reports a missing binary once, at the start."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402

harness.take_default_signals()

MEASURING = [Path(__file__).resolve().parent / name for name in ("tune", "search")]


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also the tests that `make test-slow` is for")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes too long for every change; `make test-slow`")
    config.addinivalue_line("markers", "every_change(*ids): of its parameters only these are for every change; the others, near relatives, are slow")
    config.addinivalue_line("markers", "measures: of tests/tune and tests/search, all but those marked `beside`; wants the machine to itself")
    config.addinivalue_line("markers", "beside: measures nothing, so other tests may run beside it")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config, items):
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in MEASURING) and not item.get_closest_marker("beside"):
            item.add_marker("measures")
    leave_relatives_to_slow(items, whole=not config.getoption("lf", default=False) and not any("::" in str(argument) for argument in config.args))
    if config.getoption("--slow"):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run by make test-slow"))


def leave_relatives_to_slow(items, whole):
    """Marks as slow what `every_change` of its test does not name. `whole`: every parameter of a test was collected, so that names
    can be checked; a second look collects only those that failed."""
    met = {}
    for item in items:
        chosen = item.get_closest_marker("every_change")
        if chosen is None:
            continue
        test = item.nodeid.split("[")[0]
        met.setdefault(test, (chosen.args, set()))[1].add(item.callspec.id)
        if item.callspec.id not in chosen.args:
            item.add_marker("slow")
    for test, (ids, there) in met.items():
        if whole and not there >= set(ids):
            raise pytest.UsageError(f"{test}: every_change names {sorted(set(ids) - there)}, and the parameters are {sorted(there)}")


@pytest.fixture(scope="session")
def flatout():
    import harness

    return harness.flatout_bin()


@pytest.fixture
def retried(record_property):
    """Call it with the reason when a test measures once more: tools/run_tests.py counts these, shows them and bounds them."""

    def say(reason):
        record_property("retried", reason)
        print(reason)

    return say
