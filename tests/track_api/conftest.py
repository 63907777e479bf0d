"""flatout.track over a recording that is a list."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "python", Path(__file__).resolve().parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import fake_recording  # noqa: E402


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """The fake recording, empty; runs that a test leaves open are ended after it."""
    for name in ("MODE", "PROJECT", "ENTITY", "NAME", "NOTES", "TAGS", "RUN_ID", "RUN_GROUP", "JOB_TYPE", "RESUME", "DIR", "CONFIG_PATHS",
                 "SILENT", "QUIET", "DISABLED", "API_KEY"):
        monkeypatch.delenv("WANDB_" + name, raising=False)
    monkeypatch.delenv("FLATOUT_QUIET", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "flatout.track._recording", fake_recording.module)
    monkeypatch.setattr(fake_recording.recording, "folder", str(tmp_path))
    monkeypatch.setattr(fake_recording.recording, "tracks", 0)
    fake_recording.entries.clear()
    fake_recording.files.clear()
    from flatout.track import _staging, errors, state

    errors._said.clear()
    staged = _staging._Folder()
    monkeypatch.setattr(_staging, "_folder", staged)
    yield fake_recording
    staged.close()
    for run in list(state.open_runs):
        run.finish()
    state.set_run(None)


@pytest.fixture
def wandb(kept):
    import flatout.track

    return flatout.track
