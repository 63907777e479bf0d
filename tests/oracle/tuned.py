"""One tune of one program, from the command line, as a user would."""

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import harness
import point

sys.path.insert(0, str(harness.ROOT / "tests/tune"))
from folders import fingerprint  # noqa: E402


@dataclass
class Tuned:
    document: dict | None  # flatout.tune/1
    seconds: float
    trials: int = 0
    output: str = ""
    plan: str = ""  # its text; "" = nothing was kept
    changed: list = field(default_factory=list)  # paths in the program's folder that differ afterwards
    to_json = asdict

    @property
    def kept(self):
        return dict(self.document["knobs"]) if self.document else {}


def tune(program, words, cwd, scratch, options=(), timeout=1800):
    scratch.mkdir(parents=True, exist_ok=True)
    home, document, plan = scratch / "home", scratch / "tune.json", scratch / "plan.toml"
    for old in (document, plan):
        old.unlink(missing_ok=True)
    before = fingerprint(Path(cwd))
    command = [harness.flatout_bin(), "tune", "--json", document, "--plan", plan, *options, "--", *words]
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=point.environment(program, home),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    seconds = time.monotonic() - began
    after = fingerprint(Path(cwd))
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    result = Tuned(None, seconds, output=done.stdout + done.stderr, changed=changed)
    if document.exists():
        result.document = json.loads(document.read_text())
        listed = subprocess.run([harness.flatout_bin(), "ls", "--format", "json"],
                                env=point.environment(program, home), capture_output=True, text=True, check=True)
        result.trials = len(json.loads(listed.stdout)["runs"])
    if plan.exists():
        result.plan = plan.read_text()
    return result
