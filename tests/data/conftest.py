"""Makes flatout.torch importable from the source tree, and holds every test here to leaving no loader's thread behind."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from loader_threads import await_end  # noqa: E402


@pytest.fixture(autouse=True)
def no_loader_thread_stays(workers_are_not_awaited_long):
    """A test that leaves one behind fails itself, rather than the next one that counts them."""
    yield
    await_end()


@pytest.fixture(autouse=True)
def workers_are_not_awaited_long(monkeypatch):
    """torch waits 5 s, twice, for each worker of an iterator that was let go of after an error, in whichever thread collects garbage.

    That thread may be one of engine="threads", which then ends late. The workers are forked, and so wait no longer themselves."""
    utils = sys.modules.get("torch.utils.data._utils")
    if utils is not None:
        monkeypatch.setattr(utils, "MP_STATUS_CHECK_INTERVAL", 0.5)
