"""`flatout run --record-output`: the program writes what it writes anyway, and that is recorded."""

import os
import resource
import shlex
import subprocess

import harness
import pytest
from compare import assert_same, both, python


def logs(folder, *words, status=0) -> str:
    environment = harness.environment(FLATOUT_HOME=folder / "flatout" / "home")
    done = subprocess.run([harness.flatout_bin(), "logs", "latest", *words], env=environment, capture_output=True, timeout=60)
    assert done.returncode == status, done.stderr
    return (done.stderr if status else done.stdout).decode()


def recorded(program, folder, *options, env=None):
    command = [harness.PYTHON, "-c", program] if isinstance(program, str) else program
    return both(command, folder, env=env, options=["--record-output", "--no-bench", *options])


@pytest.mark.parametrize("buffered", [False, True])
def test_a_program_that_does_everything_with_its_streams(flatout, tmp_path, buffered):
    plain, observed = recorded(python("written.py"), tmp_path, env={"PYTHONUNBUFFERED": "" if buffered else "1", "PYTHONIOENCODING": "utf-8:surrogateescape"})
    assert_same(plain, observed)
    lines = [line.partition(" | ")[2] for line in logs(tmp_path).splitlines()]
    assert not any("such character" in line for line in lines if "print(" not in line)  # which was never written
    for line in ("returns 4 0 None", "a\tb", "THROUGH A TEE", "in a handler", "logged", "299 %", "in a child", "another python", "its stderr", "ValueError: of the child",
                 "a text of its own kind"):
        assert line in lines, line
    assert "unflushed and on" in lines and "not to be seen" not in lines
    assert any(line.startswith("xxx") and line.endswith("9983616 more bytes are left out]") for line in lines)
    assert sum(line.endswith(" %") for line in lines) == 1
    assert [line for line in lines if line.startswith("TypeError")]  # of a traceback


def test_without_the_option_nothing_is_recorded(flatout, tmp_path):
    observed = harness.run_observed([harness.PYTHON, "-c", "import sys; print(vars(sys.stdout))"], tmp_path, options=["--no-bench"])
    assert observed.out == b"{'mode': 'w'}\n"
    assert not list((tmp_path / "home" / "runs").glob("*/output"))


def test_killed_it_has_its_last_line(flatout, tmp_path):
    program = "import os, sys; print('one'); print('Loading', end=''); sys.stdout.flush(); os.kill(os.getpid(), 9)"
    plain, observed = recorded(program, tmp_path)
    assert_same(plain, observed)
    assert logs(tmp_path) == "one\nLoading\n"


def test_limits_and_closed_descriptors(flatout, tmp_path):
    """A file that may not grow, a folder that goes away, all descriptors closed: the program goes on, and what was lost is said."""
    program = """
import os, resource, shutil, sys
print("before")
os.closerange(3, 1000)
mine = [os.open(f"mine{i}", os.O_WRONLY | os.O_CREAT) for i in range(600)]
print("closed")
resource.setrlimit(resource.RLIMIT_FSIZE, (10, -1))
for i in range(10): print("no room", i)
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
print(any(os.path.getsize(f"mine{i}") for i in range(600)))
import time; time.sleep(1.1)
print("after")
shutil.rmtree(os.path.join(os.path.dirname(os.environ.get("FLATOUT_TRACK_FILES", "/nowhere/x")), "output"), ignore_errors=True)
print("gone")
"""
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 700
    plain, observed = recorded(program, tmp_path)
    assert_same(plain, observed)
    assert b"False" in observed.out


def test_a_flood_keeps_its_ends(flatout, tmp_path):
    env = {"FLATOUT_OUTPUT_BYTES": "512K"}
    program = "for i in range(100_000): print('line', i)"
    plain, observed = recorded(program, tmp_path, env=env)
    assert_same(plain, observed)
    (folder,) = (tmp_path / "flatout" / "home" / "runs").glob("*/output")
    assert sum(one.stat().st_size for one in folder.iterdir()) <= 512 << 10
    lines = logs(tmp_path).splitlines()
    gaps = [line for line in lines if line.startswith("[")]
    assert lines[0] == "line 0" and lines[-1] == "line 99999" and gaps
    left_out = int(gaps[-1].split()[0][1:])
    assert len(lines) - len(gaps) + left_out == 100_000
    assert logs(tmp_path, "--tail", "2") == "line 99998\nline 99999\n"
    assert logs(tmp_path, "--contains", "LINE 99999") == "line 99999\n"
    assert "no process 1 wrote output" in logs(tmp_path, "--pid", "1", status=1)


def test_streams_that_are_not_there(flatout, tmp_path):
    for redirect in (">&-", "2>&-", ">&- 2>&-", ">/dev/full"):
        command = ["sh", "-c", f"exec {shlex.quote(harness.PYTHON)} -c 'import sys; print(1); sys.stderr.write(\"2\\n\"); sys.stdout.flush()' {redirect}"]
        plain, observed = recorded(command, tmp_path)
        assert_same(plain, observed)


def test_a_terminal_stays_one(flatout, tmp_path):
    master, slave = os.openpty()
    command = [harness.flatout_bin(), "run", "-q", "--no-live", "--no-bench", "--record-output", "--home", tmp_path, "--",
               harness.PYTHON, "-c", "import sys; print(sys.stdout.isatty())"]
    subprocess.run(command, stdin=slave, stdout=slave, stderr=slave, env=harness.environment(), timeout=60, check=True)
    os.close(slave)
    assert os.read(master, 1000) == b"True\r\n"
    os.close(master)
