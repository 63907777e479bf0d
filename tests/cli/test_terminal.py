"""What verbs write to a terminal holds no control character of a name or a path."""

import subprocess
import sys

import harness
import pytest

ESCAPES = "a\x1b[31m\x9b2J\x07b"


@pytest.mark.parametrize(
    "verb", [["doctor"], ["ls"], ["show", "latest"], ["rm", "--older-than", "0s", "--dry-run"], ["rm", "no" + ESCAPES], ["report", "latest"]]
)
def test_no_control_character_reaches_the_terminal(cli, verb):
    home = cli.folder / ESCAPES
    env = {**cli.env(), "FLATOUT_HOME": str(home)}
    flatout = str(harness.flatout_bin())
    subprocess.run([flatout, "run", "--quiet", "--no-hooks", "--name", ESCAPES, "--", sys.executable, "-c", "pass", ESCAPES], env=env, timeout=60)
    done = subprocess.run([flatout, *verb], env=env, capture_output=True, timeout=60)
    text = (done.stdout + done.stderr).decode()
    assert len(text) > 20
    assert not [one for one in text if ord(one) < 32 and one not in "\n\t" or 127 <= ord(one) < 160], text
