"""Launchers that keep the environment carry the hooks to the program."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = HERE / "accelerated.py"
SCRIPTS = Path(sys.executable).parent  # of the environment that runs the tests


def report_of(cli, *command):
    done = cli("run", "--json", "report.json", "--", *command, PROGRAM, 30, timeout=180)
    assert done.returncode == 0, done.stderr
    return json.loads((cli.folder / "report.json").read_text())


def test_accelerate_launch(cli):
    report = report_of(cli, SCRIPTS / "accelerate", "launch", "--cpu", "--num_processes", "1")
    assert report["steps"]["count"] == 30
    line = 1 + next(i for i, row in enumerate(PROGRAM.read_text().splitlines()) if "DataLoader(" in row)
    assert report["loader"]["built_at"] == f"{PROGRAM}:{line}", "not where accelerate builds it anew"


def test_uv_run(cli):
    report = report_of(cli, SCRIPTS / "uv", "run", "--offline", "--no-project", "--python", sys.executable)
    assert report["steps"]["count"] == 30
