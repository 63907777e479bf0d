"""schemathesis asks the API as its description allows, and otherwise; each answer must be one that is described."""

import os
import subprocess
import sys

import make_store
from ui_server import UiServer

PROGRAM = os.path.join(os.path.dirname(sys.executable), "schemathesis")


def test_answers_are_as_described(tmp_path):
    home = tmp_path / "home"
    run = make_store.made_up("small", home, 3)[0]
    # Of a method that HTTP itself does not know the library says 501.
    (tmp_path / "schemathesis.toml").write_text(
        f'[parameters]\n"path.id" = "{run}"\n[phases.coverage]\nunexpected-methods = ["POST", "PUT", "DELETE", "OPTIONS"]\n')
    with UiServer(home) as server:
        done = subprocess.run(
            [PROGRAM, "run", f"http://127.0.0.1:{server.port}/api/v1/openapi.json", "-H", f"Authorization: Bearer {server.token}",
             "--exclude-path-regex", "/live$",  # streams do not end by themselves
             # A query or a number may be right in form and wrong all the same.
             "--exclude-checks", "positive_data_acceptance",
             "--phases", "examples,coverage,fuzzing", "--max-examples", "8", "--generation-deterministic", "--no-shrink",
             "--request-timeout", "20", "--output-sanitize", "false"],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert server.process.poll() is None
