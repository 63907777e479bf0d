"""Runs that are checked, in a home of their own, and budgets for them."""

import subprocess
import sys
from pathlib import Path

import harness

LOOP = Path(__file__).parent / "programs/marked_loop.py"

# Kept by `base` and `same`, of 2 ms a step, also where other work makes them three times as long.
BUDGET = """
[limits]
step.median_ms = {max = 15}
phase.data_wait = {max = 0.85}
records.dropped = {max = 0}
idle.sync = {max = 0.1, optional = true}
[values]
"train/loss" = {max = 0.02}
[run]
states = ["finished"]
[baseline]
step.mean_ms = {worse_by = "100 %"}
phase.data_wait = {worse_by = "25 %"}
"""


class Checked:
    def __init__(self, folder):
        self.folder = folder

    def flatout(self, *words):
        return subprocess.run(
            [harness.flatout_bin(), *map(str, words)],
            env=harness.environment(FLATOUT_HOME=self.folder / "home"),
            cwd=self.folder,
            capture_output=True,
            timeout=60,
        )

    def record(self, name, *arguments):
        done = self.flatout("run", "--quiet", "--name", name, "--", sys.executable, LOOP, *arguments)
        assert done.returncode == 0, done.stderr

    def __call__(self, run, *options, budget=BUDGET):
        (self.folder / "budget.toml").write_text(budget)
        return self.flatout("check", run, "--budget", "budget.toml", *options)
