"""Programs that log while somebody looks: started, waited for, killed."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import harness
from harness import wait_for

PROGRAMS = Path(__file__).resolve().parent / "programs"


def taken(said: Path) -> int:
    """Steps that log() has taken of a script."""
    text = said.read_bytes() if said.exists() else b""
    return int(text) if text.strip() else 0


def start(home: Path, *words, under=True, options=()) -> subprocess.Popen:
    """`flatout run` of a program of ours, or the program alone."""
    prefix = [harness.flatout_bin(), "run", "--quiet", "--home", home, *options, "--"] if under else []
    env = harness.environment(FLATOUT_HOME=home, FLATOUT_BIN=harness.flatout_bin(), PYTHONPATH=harness.ROOT / "python")
    return subprocess.Popen([str(word) for word in [*prefix, sys.executable, PROGRAMS / words[0], *words[1:]]], env=env,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


@contextlib.contextmanager
def ended_with(*processes):
    """Nothing of them lives on."""
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)
            if process.stderr:
                process.stderr.close()


def child_of(process: subprocess.Popen, program: str) -> int:
    """The Python that runs `program` under this `flatout run`."""

    def find():
        for entry in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            line = Path(f"/proc/{entry}/cmdline").read_bytes()
            if line.startswith(os.fsencode(sys.executable)) and program.encode() in line:
                return int(entry)
        return None

    return wait_for(find)


def counts(server, run: str) -> dict:
    """How many points each name has, summed over processes."""
    out: dict = {}
    for one in server.get(f"/runs/{run}")["series"]:
        if one["kind"] == "value":
            out[one["name"]] = out.get(one["name"], 0) + one["count"]
    return out


def points(server, run: str, name: str) -> list:
    """(step, value) of all of a name's points, in order of step."""
    found = []
    for one in server.get(f"/runs/{run}")["series"]:
        if one["kind"] == "value" and one["name"] == name:
            curve = server.get(f"/runs/{run}/series", key=one["key"], x="step", width=8192)["series"][0]
            assert curve["raw"], "more points than can be asked for at once"
            found += zip(curve["x"], curve["last"])
    return sorted(found)


def row(server, run: str) -> dict:
    return server.get(f"/runs/{run}")["row"]


def only_run(server, seconds: float = 20) -> str:
    """The id of the one run there."""
    return wait_for(lambda: [one["id"] for one in server.get("/runs")["runs"]], seconds)[0]
