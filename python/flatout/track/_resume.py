"""What a resumed run goes on from: the ended run of the same id, in this process or in the store's meta.json files."""

from __future__ import annotations

import json
import os
from typing import Any

__all__ = ["STEP_KEY", "Earlier", "all_is_known", "earlier_run", "remember"]

STEP_KEY = "_step"  # as in wandb's summaries
MOST_RUNS = 5_000  # of the store, the newest first
MOST_META_BYTES = 1 << 22
_SHORTENED = 1027  # bytes of what stands for a large value in meta.json, which ends with "..."


class Earlier:
    """`step`: the first one that it has not. `rewound`: it holds all that counts of those before it."""

    def __init__(self, step: int = 0, config: dict[str, Any] | None = None, summary: dict[str, Any] | None = None, rewound: bool = False) -> None:
        self.step = step
        self.rewound = rewound
        self.config = config or {}
        self.summary = summary or {}

    def followed_by(self, later: Earlier) -> Earlier:
        if later.rewound:
            return later
        return Earlier(max(self.step, later.step), {**self.config, **later.config}, {**self.summary, **later.summary}, self.rewound)


_own_recordings: set[str] = set()  # of which all is known
_here: dict[str, Earlier] = {}  # runs that were finished in this process, whose recording may go on


def remember(run_id: str, step: int, config: dict[str, Any], summary: dict[str, Any], rewound: bool = False, recording: str = "") -> None:
    _own_recordings.add(recording)
    before = _here.get(run_id)
    _here[run_id] = Earlier(step, config, summary, rewound or (before is not None and before.rewound))


def earlier_run(run_id: str) -> Earlier | None:
    """None where nothing ended under that id. Reads meta.json of the store's runs; what is no tracked run there is passed over."""
    found: Earlier | None = None
    try:
        runs = _runs_folder()
        places = [os.path.join(runs, name, "meta.json") for name in sorted(os.listdir(runs))] if runs else []
        newest = sorted((place for place in places if os.path.isfile(place)), key=os.path.getmtime, reverse=True)[:MOST_RUNS]
        for place in reversed(newest):
            one = _in_meta(place, run_id)
            if one is not None:
                found = one if found is None or one.rewound else found.followed_by(one)
    except OSError:
        pass
    own = _here.get(run_id)
    return own if found is None else found if own is None else found.followed_by(own)


def all_is_known() -> bool:
    """Whether `earlier_run` could see every run: not one of a recording that still runs, or was killed and not read since, or is very old."""
    try:
        runs = _runs_folder()
        if not runs:
            return True
        own = os.path.basename(os.path.dirname(os.environ.get("FLATOUT_TRACK_FILES") or ""))
        if own and os.environ.get("RANK", "0") != "0":  # another rank may have begun it
            return False
        names = [name for name in os.listdir(runs) if name != own and name not in _own_recordings and os.path.isdir(os.path.join(runs, name))]
        return len(names) <= MOST_RUNS and all(_is_over(os.path.join(runs, name, "meta.json")) for name in names)
    except OSError:
        return False


def _is_over(place: str) -> bool:
    """The verdict comes into it when a recording ends, with what it tracked."""
    with open(place, "rb") as file:
        return b'"outcome"' in file.read(MOST_META_BYTES)


def _runs_folder() -> str:
    """HOME/runs, as `flatout` finds it; that of the recording where there is one."""
    files = os.environ.get("FLATOUT_TRACK_FILES")  # HOME/runs/RUN/files
    runs = os.path.dirname(os.path.dirname(os.path.abspath(files))) if files else ""
    if os.path.basename(runs) == "runs":
        return runs
    home = os.environ.get("FLATOUT_HOME")
    if not home:
        data = os.environ.get("XDG_DATA_HOME", "")
        home = os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "flatout")
    runs = os.path.join(home, "runs")
    return runs if os.path.isdir(runs) else ""


def _in_meta(place: str, run_id: str) -> Earlier | None:
    try:
        with open(place, encoding="utf-8", errors="replace") as file:
            text = file.read(MOST_META_BYTES)
        if json.dumps(run_id)[1:-1] not in text and run_id not in text:
            return None
        tracked = json.loads(text).get("tracked")
        if not isinstance(tracked, dict) or tracked.get("id") != run_id:
            return None
        summary = _whole(tracked.get("summary"))
        steps = [step for step in (summary.get(STEP_KEY), tracked.get("last_step"))
                 if isinstance(step, (int, float)) and not isinstance(step, bool) and 0 <= step < 1 << 62]
        return Earlier(int(max(steps)) + 1 if steps else 0, _whole(tracked.get("config")), summary, tracked.get("branch") == "rewind")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None


def _whole(given: Any) -> dict[str, Any]:
    """Without values of which the list has only the beginning."""
    if not isinstance(given, dict):
        return {}
    return {key: value for key, value in given.items()
            if not (isinstance(value, str) and value.endswith("...") and len(value.encode("utf-8", "replace")) >= _SHORTENED)}
