"""`flatout analyze` for the tests, and where real traces lie.

Those are not part of the project: tests find them at ../shared/traces, or where FLATOUT_TRACES says.
"""

import json
import os
import subprocess
from pathlib import Path

import harness
import jsonschema

TRACES = Path(os.environ.get("FLATOUT_TRACES", harness.ROOT.parent / "shared" / "traces"))
SCHEMA = json.loads((harness.ROOT / "schema/report.schema.json").read_text())


def analyzed(path):
    """Its report, held against the schema."""
    done = subprocess.run([harness.flatout_bin(), "analyze", path, "--format", "json"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return report


def span(category, name, begin, length, tid=11, **args):
    """An event of a made-up trace of process 10; times in us."""
    return {"ph": "X", "cat": category, "name": name, "pid": 10, "tid": tid, "ts": begin, "dur": length, "args": args}
