import subprocess

import pytest

import harness


class Flatout:
    """The binary with a home of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"

    def __call__(self, *args, stdin=b"", env=None, timeout=60):
        return subprocess.run(
            [harness.flatout_bin(), *map(str, args)],
            input=stdin,
            capture_output=True,
            env=env or self.env(),
            cwd=self.folder,
            timeout=timeout,
        )

    def env(self, **extra):
        return harness.environment(FLATOUT_HOME=self.home, **extra)

    def start(self, *args, **popen):
        return subprocess.Popen(
            [harness.flatout_bin(), *map(str, args)], env=self.env(), cwd=self.folder, **popen
        )

    def report(self, run="latest"):
        return harness.report_of(self.home, run)

    def ids(self):
        return sorted(p.name for p in (self.home / "runs").glob("*"))


@pytest.fixture
def cli(tmp_path):
    return Flatout(tmp_path)


@pytest.fixture(scope="session")
def cli_in():
    """folder -> the binary with a home in it, for runs that several tests share."""
    return Flatout
