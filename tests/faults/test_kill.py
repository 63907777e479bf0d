"""SIGKILL at random moments: the program, flatout, or both.

Afterwards the state is right and no step is lost that the program had
announced. $FLATOUT_KILLS is the number of kills, 50 by default; the moments
come from a fixed seed, so a failure can be had again.
"""

import os
import random
import signal
import subprocess
import time

import harness
import pytest
from scene import announced, children, command_line, python, wait_until_ended

KILLS = int(os.environ.get("FLATOUT_KILLS", "50"))
FAST_KILLS = 20
VICTIMS = ("program", "flatout", "both")
START_UP_S = 0.5  # some kills fall before the first step


def program_of(recorder, name):
    """The pid that runs `name` below the recorder, once it is there.

    Told by how its command line begins: flatout's own children bear the rest of it.
    """

    def found():
        lines = {child: command_line(child) for child in children(recorder)}
        return [child for child, line in lines.items() if line.startswith(os.fsencode(harness.PYTHON)) and name in line]

    return harness.wait_for(found, 30, "flatout did not start the program", pause_s=0.002)[0]


def wait_for_steps(file, count, process):
    def enough():
        assert process.poll() is None, f"flatout ended: {process.stderr.read().decode()}"
        return announced(file)[0] >= count

    harness.wait_for(enough, 60, "the program makes no steps", pause_s=0.005)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_and_report(tmp_path, victim, moment, in_start_up):
    """(report, announced before the kill, begun in the end, the program's pid)."""
    file, home = tmp_path / "announced", tmp_path / "home"
    command = [harness.flatout_bin(), "run", "--report-to", tmp_path / "said", "--"]
    process = subprocess.Popen(
        [str(c) for c in [*command, *python("steps.py", file)]],
        env=harness.environment(FLATOUT_HOME=home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    program = None
    try:
        program = program_of(process.pid, b"steps.py")
        if not in_start_up:
            wait_for_steps(file, 3, process)
        time.sleep(moment)
        if victim != "program":
            kill(process.pid)
        if victim != "flatout":
            kill(program)
        process.wait(timeout=20)
        if victim == "both":
            wait_until_ended(program)
        if victim == "flatout":
            time.sleep(0.1)  # the program goes on by itself
        done, _ = announced(file)
        report = harness.report_of(home)
        _, begun = announced(file)
        return report, done, begun, program
    finally:
        process.kill()
        if program:
            kill(program)
        process.wait()
        process.stderr.close()


# Of fifty moments every change sees twenty: each victim, in start-up and later; the rest is for make test-slow.
@pytest.mark.parametrize("number", [pytest.param(n, marks=() if n < FAST_KILLS else pytest.mark.slow) for n in range(KILLS)])
def test_kill(flatout, tmp_path, number):
    draws = random.Random(number)
    victim = VICTIMS[number % len(VICTIMS)]
    in_start_up = number % 10 >= 8
    moment = draws.uniform(0, START_UP_S if in_start_up else 1.0)
    report, done, begun, program = kill_and_report(tmp_path, victim, moment, in_start_up)
    run = report["run"]
    if victim == "program":
        assert (run["state"], run["signal"]) == ("killed", "SIGKILL")
    else:
        assert run["state"] == "lost"
        assert run.get("survivors", []) == ([program] if victim == "flatout" else [])
    count = (report.get("steps") or {}).get("count", 0)
    assert done <= count <= begun, f"{victim} killed after {moment:.3f} s"
    assert report["overhead"]["dropped"] == 0
    if not in_start_up:
        assert count >= 3


def test_program_lives_on_without_flatout(flatout, tmp_path):
    """flatout is killed; the program makes its steps, ends by itself, and they are all kept."""
    file, home = tmp_path / "announced", tmp_path / "home"
    with open(tmp_path / "out", "wb") as out:
        process = subprocess.Popen(
            [str(c) for c in [flatout, "run", "--", *python("steps.py", file, 400)]],
            env=harness.environment(FLATOUT_HOME=home),
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
    wait_for = program_of(process.pid, b"steps.py")
    while announced(file)[0] < 50:
        time.sleep(0.01)
    process.kill()
    process.wait()
    wait_until_ended(wait_for)
    assert (tmp_path / "out").read_text() == "done\n"
    report = harness.report_of(home)
    assert report["run"]["state"] == "lost"
    assert report["run"].get("survivors", []) == []
    assert report["steps"]["count"] == 400
