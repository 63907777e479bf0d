import subprocess
import sys
from pathlib import Path

import pytest

import harness

LOOP = Path(__file__).parents[1] / "check/programs/marked_loop.py"


class Watched:
    """A home, and trainings in it that go on until the test is over."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.started = []

    def env(self, **extra):
        return harness.environment(FLATOUT_HOME=self.home, **extra)

    def train(self, name="live", steps=100000, wait_ms=8, compute_ms=4):
        library = harness.flatout_bin().parents[1] / "lib/libflatout.so"
        process = subprocess.Popen(
            [harness.flatout_bin(), "run", "--quiet", "--name", name, "--",
             sys.executable, LOOP, library, str(steps), str(wait_ms), str(compute_ms)],
            env=self.env(),
            start_new_session=True,
        )  # fmt: skip
        self.started.append(process)
        return process

    def flatout(self, *words):
        return subprocess.run([harness.flatout_bin(), *map(str, words)], env=self.env(), capture_output=True, timeout=60)


@pytest.fixture
def watched(tmp_path):
    held = Watched(tmp_path)
    yield held
    for process in held.started:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
