"""flatout search over what a script logs by wandb, which is not installed or, as in all trials, disabled."""

import sys
from pathlib import Path

import harness
import pytest

HERE = Path(__file__).parent
TRACKERS = harness.ROOT / "build/trackers"
SPACE = """
[search]
objective = "log:loss"
trials = 3
steps = [16]
[arguments]
"--lr" = {values = [1, 3, 8]}
"""


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["missing", "installed"])
def test_a_script_that_logs_by_wandb_is_searched(search, real, monkeypatch):
    if real and not (TRACKERS / "wandb").is_dir():
        pytest.skip("wandb is not in build/trackers; `make test` fetches it")
    if real:
        monkeypatch.setenv("PYTHONPATH", str(TRACKERS))
    library = harness.flatout_bin().resolve().parents[1] / "lib/libflatout.so.0"
    command = [sys.executable, HERE / "programs/wandb_loop.py", library, "--lr=1"]
    document = search(SPACE, command, "--capture", "wandb")
    best = next(point for point in document["points"] if point["number"] == document["best"])
    assert best["arguments"] == {"--lr": 3} and document["final"]["confirmed"]
    assert len(document["points"]) == 3 and all("failure" not in result for point in document["points"] for result in point["results"])
    # Trials have numbers and no tracked run: none in the list, and none that an init() with the same id would go on from.
    assert all("tracked" not in run for run in search.runs())
