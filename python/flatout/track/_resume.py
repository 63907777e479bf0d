"""Where the steps of a resumed run go on: after the last one that an ended recording of the same id has in its summary."""

from __future__ import annotations

import json
import os

__all__ = ["STEP_KEY", "step_after"]

STEP_KEY = "_step"  # as in wandb's summaries
MOST_RUNS = 5_000  # of the store, the newest first


def step_after(files_folder: str | None, run_id: str) -> int:
    """0 where no recording beside this one has it. `files_folder` is HOME/runs/RUN/files. Reads meta.json of the store's runs."""
    try:
        runs = os.path.dirname(os.path.dirname(os.path.abspath(files_folder))) if files_folder else ""
        if os.path.basename(runs) != "runs":
            return 0
        places = [os.path.join(runs, name, "meta.json") for name in sorted(os.listdir(runs))]
        newest = sorted((place for place in places if os.path.isfile(place)), key=os.path.getmtime, reverse=True)[:MOST_RUNS]
        return max((_step_in(place, run_id) for place in newest), default=0)
    except OSError:
        return 0


def _step_in(place: str, run_id: str) -> int:
    try:
        with open(place, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 22)
        if run_id not in text:
            return 0
        tracked = json.loads(text).get("tracked") or {}
        step = tracked.get("summary", {}).get(STEP_KEY) if tracked.get("id") == run_id else None
        return int(step) + 1 if isinstance(step, (int, float)) and 0 <= step < 1 << 62 else 0
    except (OSError, ValueError, AttributeError):
        return 0
