"""What a script with a tracked run writes is recorded from init to finish, as its tracker would; and the streams are its own again after that."""

import subprocess
import sys

import pytest
from logging_script import ended, environment, flatout, run

WANDB = """
import os, sys
import flatout.track as wandb
print("before")
run = wandb.init(project="p", %s)
print("within", sys.stdout.write.__self__ is sys.stdout)
run.log({"loss": 1.0})
sys.stderr.write("to stderr\\n")
run.finish()
print("after", sorted(vars(sys.stdout)), sorted(vars(sys.stderr)))
"""
NEPTUNE = """
import sys
import flatout.track.neptune as neptune
run = neptune.init_run(project="p", capture_stderr=False)
print("within"); sys.stderr.write("to stderr\\n")
run.stop()
"""


def lines(home) -> list:
    row = ended(home)
    done = subprocess.run([environment(home)["FLATOUT_BIN"], "logs", row["id"]], env=environment(home), capture_output=True, text=True, timeout=60)
    return [line for line in done.stdout.splitlines() if not line.startswith("flatout.track:")] if done.returncode == 0 else [done.stderr.strip()]


@pytest.mark.parametrize(("settings", "extra", "kept"), [("", {}, True), ("settings={'console': 'off'}", {}, False), ("", {"WANDB_CONSOLE": "off"}, False)])
def test_from_init_to_finish(tmp_path, settings, extra, kept):
    home = tmp_path / "home"
    code, out, err = run(WANDB % settings, home, WANDB_QUIET="1", **extra)
    assert (code, out, err) == (0, "before\nwithin True\nafter ['mode'] ['mode']\n", "to stderr\n")
    found = lines(home)
    assert found == ["within True", "to stderr"] if kept else "has no output" in found[0]


def test_neptune_takes_one_stream_alone(tmp_path):
    code, _, err = run(NEPTUNE, tmp_path / "home")
    assert code == 0 and err == "to stderr\n"
    assert lines(tmp_path / "home") == ["within"]


def test_without_flatout_run_the_end_of_the_process_is_in_it(tmp_path):
    """An exception that ends the script is printed by Python before the run ends."""
    script = "import flatout.track as wandb\nwandb.init(project='p')\nraise ValueError('why it ended')"
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-c", script], env=environment(home, WANDB_QUIET="1"), capture_output=True, timeout=60, check=False)
    assert lines(home)[-1] == "ValueError: why it ended"
    assert flatout(home, "logs", ended(home)["id"], "--stream", "stdout") == ""
