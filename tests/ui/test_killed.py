"""kill -9 of the script, of `flatout run`, of `flatout ui`, while the API is asked: nothing that log() took is lost, and the state is right."""

import os
import signal

import pytest
from scripts import child_of, ended_with, only_run, points, row, start, taken, wait_for
from ui_server import UiServer

KILLED_AT = 300  # steps


@pytest.fixture
def logging(tmp_path):
    """(home, process, its pid below, file of what was taken), once it logs."""
    home, said = tmp_path / "home", tmp_path / "said"
    process = start(home, "logs.py", "one", said, tmp_path / "stop")
    with ended_with(process):
        script = child_of(process, "logs.py")
        try:
            wait_for(lambda: taken(said) >= KILLED_AT)
            yield home, process, script, said
        finally:
            try:
                os.kill(script, signal.SIGKILL)
            except ProcessLookupError:
                pass


def all_there(server, run, said):
    """Each step that was taken, once and in order; one more may have been on its way."""
    least = taken(said)
    found = points(server, run, "said/value")
    assert found == [(step, step) for step in range(len(found))]
    assert least <= len(found) <= least + 1
    return True


def test_the_script(logging):
    home, process, script, said = logging
    with UiServer(home) as server:
        run = only_run(server)
        assert row(server, run)["state"] == "running"
        os.kill(script, signal.SIGKILL)
        process.wait(timeout=20)
        wait_for(lambda: row(server, run)["state"] == "killed")
        assert server.get(f"/runs/{run}/report")["run"]["signal"] == "SIGKILL"
        assert all_there(server, run, said)
        wait_for(lambda: server.get(f"/runs/{run}")["live"] is False)  # known for a second at most


def test_flatout_run(logging):
    home, process, script, said = logging
    with UiServer(home) as server:
        run = only_run(server)
        process.kill()
        process.wait(timeout=20)
        wait_for(lambda: row(server, run)["state"] == "lost")
        server.get(f"/runs/{run}/report")
        # The script goes on, and what it logs now is read from its ring.
        more = taken(said) + 200
        wait_for(lambda: taken(said) >= more)
        (said.parent / "stop").touch()
        wait_for(lambda: not os.path.exists(f"/proc/{script}"))
        server.get(f"/runs/{run}/report")  # recovers
        wait_for(lambda: len(points(server, run, "said/value")) >= more)
        assert all_there(server, run, said)
        assert row(server, run)["state"] == "lost"


def test_flatout_ui(logging):
    home, process, script, said = logging
    with UiServer(home) as server:
        run = only_run(server)
        before = len(points(server, run, "said/value"))
        os.kill(server.process.pid, signal.SIGKILL)
    with UiServer(home) as server:
        assert row(server, run)["state"] == "running"
        wait_for(lambda: len(points(server, run, "said/value")) > before)
        (said.parent / "stop").touch()
        assert process.wait(timeout=20) == 0
        wait_for(lambda: row(server, run)["state"] == "finished")
        assert all_there(server, run, said)
