"""Warming reads every byte of a folder, and a run does it before every epoch."""

from loaderbench import page_cache, schedule
from test_schedule import measured


def test_every_file_is_read(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_bytes(b"1" * (page_cache.PART + 3))
    (tmp_path / "y").write_bytes(b"22")
    assert page_cache.warm(tmp_path) == page_cache.PART + 5
    assert page_cache.warm(tmp_path / "none") == 0


def test_a_run_warms_what_the_peer_reads(monkeypatch):
    warmed = []
    monkeypatch.setattr(schedule.page_cache, "warm", lambda folder: warmed.append(str(folder)))
    measured({"a": {"wall_ns": 10**9}}, epochs=3)
    assert warmed == ["/set"] * 4  # the discarded one, two, and the consumer's
