"""A store with thousands of runs is shown while it is read; a home that is gone is no store without runs."""

import pytest
from harness import wait_for

import make_store
from ui_server import UiServer

RUNS = 2000


@pytest.fixture
def large(tmp_path):
    home = tmp_path / "home"
    ids = make_store.made_up("small", home, RUNS)
    # A copy comes without its catalog: everything is read anew.
    (home / "catalog.sqlite").unlink(missing_ok=True)
    return home, ids


def test_runs_are_listed_while_they_are_read(large):
    home, ids = large
    with UiServer(home) as server:
        first = server.get("/runs", limit=5000)
        assert first["total"] + first["unread"] == RUNS and len(first["runs"]) == first["total"]
        # One that is still unread, perhaps, is there for who asks for it.
        for run in (ids[0], ids[RUNS // 2], ids[-1]):
            assert server.get(f"/runs/{run}")["row"]["id"] == run
        seen = first["total"]
        def all_read():
            nonlocal seen
            now = server.get("/runs", limit=0)
            assert now["total"] + now["unread"] == RUNS and now["total"] >= seen
            seen = now["total"]
            return now["unread"] == 0
        wait_for(all_read, 120)
        starts = [row["started_ms"] for row in server.get("/runs", limit=5000)["runs"]]
        assert len(starts) == RUNS and starts == sorted(starts, reverse=True)


def test_a_change_is_seen_at_once(large):
    home, ids = large
    with UiServer(home) as server:
        for run in (ids[0], ids[-1]):
            status, _, body = server.ask(f"/api/v1/runs/{run}", "PATCH", '{"note": "seen"}')
            assert status == 200 and b'"note":"seen"' in body
            assert server.get(f"/runs/{run}")["row"]["note"] == "seen"


def test_an_end_does_not_wait_for_the_list(large):
    home, _ = large
    with UiServer(home) as server:
        assert server.ask("/")[0] in (200, 404)
        server.process.terminate()
        assert server.process.wait(timeout=20) == 0


def test_a_home_that_is_gone_is_said(tmp_path):
    home = tmp_path / "home"
    run = make_store.made_up("small", home, 1)[0]
    with UiServer(home) as server:
        assert server.get("/runs")["total"] == 1
        home.rename(tmp_path / "taken")

        def said():
            status, _, body = server.ask("/api/v1/runs")
            assert status in (200, 500) and not (status == 200 and b'"total":0' in body), body
            return status == 500 and body

        assert str(home / "runs").encode() in wait_for(said) and b"is not any more" in said()
        for path in (f"/api/v1/runs/{run}", f"/api/v1/runs/{run}/series", "/metrics"):
            status, _, body = server.ask(path)
            assert status == 500 and b"is not any more" in body, (path, status, body)
        (tmp_path / "taken").rename(home)
        wait_for(lambda: server.ask("/api/v1/runs")[0] == 200)
        assert server.get("/runs")["total"] == 1


def test_a_home_without_runs_is_none_that_is_gone(tmp_path):
    with UiServer(tmp_path / "home") as server:
        assert server.get("/runs")["total"] == 0
