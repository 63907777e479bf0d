"""Run a program under the hooks with a plan, as `flatout run --plan` starts it."""

import json
from pathlib import Path

from hooked import main_ring, run

PROGRAMS = Path(__file__).parent / "programs"


class Outcome:
    """What the program printed of itself, and what its main process wrote."""

    def __init__(self, done, rings):
        assert done.returncode == 0, done.stderr
        self.stderr = done.stderr
        self.rings = rings
        self.ring = main_ring(rings)
        self.saw = json.loads(done.stdout.splitlines()[-1])
        self.words = self.ring.fact("knob")
        self.knobs = {word["knob"]: word for word in self.words}  # the last word counts
        self.workers = [len(fact["worker_pids"]) for fact in self.ring.fact("iterator")]


def train(folder, plan=None, environment=None, program="train.py", **choices):
    """programs/train.py with these choices; `plan` is a dict, a text, or nothing."""
    folder.mkdir(exist_ok=True)
    extra = dict(environment or {})
    if plan is not None:
        extra["FLATOUT_PLAN"] = plan if isinstance(plan, str) else json.dumps(plan, separators=(",", ":"))
    return Outcome(*run(PROGRAMS / program, json.dumps(choices), rings=folder, **extra))
