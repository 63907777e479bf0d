"""What a user sees who types flatout at a terminal."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import harness
import pytest

from terminals import COLOUR, TITLE, Session, plain, shown
from test_verbs import record

# Steps without torch: through the C ABI that flatout finds beside itself would need a build, so
# the training is torch's smallest.
TRAIN = """
import sys, time
sys.path.insert(0, {tests!r})
import eager
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range({steps}):
    sys.stdout.write("step %d " % step); sys.stdout.flush()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    time.sleep({pause})
    print("done", flush=True)
"""


@pytest.fixture
def training(cli):
    def write(steps=40, pause=0.1):
        script = cli.folder / "train.py"
        script.write_text(TRAIN.format(tests=str(harness.ROOT / "tests"), steps=steps, pause=pause))
        return [sys.executable, script]

    return write


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def titles(seen):
    return [part.decode() for part in re.findall(rb"\x1b\]2;([^\x07]*)\x07", seen)]


def test_while_it_runs_the_title_has_step_and_rate_and_the_output_is_the_programs(cli, training):
    expected = subprocess.run(list(map(str, training(steps=80, pause=0))), capture_output=True, cwd=cli.folder, timeout=120).stdout
    command = training(steps=80)
    seen, code = shown(cli, "run", "--", *command)
    assert code == 0
    said = titles(seen)
    assert any(re.fullmatch(r"flatout: step \d+, [\d.]+ steps/s(, [a-z-]+ so far)?, [\d.]+ s", line) for line in said), said
    assert any("so far" in line for line in said), said
    assert said[-1] == "" and seen.count(b"\x1b[22;2t") == seen.count(b"\x1b[23;2t") == 1, "the title from before comes back"
    rest = TITLE.sub(b"", seen)
    assert rest.startswith(expected), "nothing between two words of one line"
    assert b"\r\x1b[K" not in seen


@pytest.mark.parametrize("how", [dict(env={"TERM": "dumb"}), dict(env={"TERM": "linux"}), dict(options=["--quiet"]), dict(options=["--no-live"])], ids=["dumb", "linux", "quiet", "no-live"])
@pytest.mark.every_change("dumb", "no-live")
def test_no_title_where_it_is_not_wanted(cli, training, how):
    seen, code = shown(cli, "run", *how.get("options", []), "--", *training(steps=25), env=how.get("env"))
    assert code == 0 and b"\x1b]" not in seen and b"\x1b[2K" not in seen


def test_a_terminal_of_its_own_gets_a_line(cli, training):
    """flatout speaks to the terminal, the program to files."""
    with open(cli.folder / "out", "wb") as out:
        session = Session(cli, "run", "--report-to", "/dev/tty", "--", *training(steps=40), stdout=out, stderr=out)
        session.resize(30)
        seen, code = session.finish()
    assert code == 0
    lines = re.findall(rb"\r\x1b\[K(flatout: [^\r\x1b]*)", seen)
    assert any(line.startswith(b"flatout: step ") for line in lines), lines
    assert all(len(line) < 30 for line in lines)
    assert seen.rindex(b"\r\x1b[K") < seen.index(b"flatout run "), "it is gone before the report"
    assert (cli.folder / "out").read_bytes().startswith(b"step 0 done\n")


@pytest.mark.parametrize("program_has", ["stdout", "stderr"])
@pytest.mark.every_change("stderr")
def test_a_terminal_that_the_program_writes_to_gets_a_title_whatever_it_is_called(cli, training, program_has):
    with open(cli.folder / "out", "wb") as out:
        other = {"stdout": "stderr", "stderr": "stdout"}[program_has]
        seen, code = shown(cli, "run", "--report-to", "/dev/tty", "--", *training(steps=30), **{other: out})
    assert code == 0 and titles(seen) and b"\r\x1b[K" not in seen


def test_another_terminal_gets_a_line(cli, training):
    master, slave = os.openpty()
    with open(cli.folder / "out", "wb") as out:
        done = subprocess.Popen([harness.flatout_bin(), "run", "--report-to", os.ttyname(slave), "--", *training(steps=30)], stdin=subprocess.DEVNULL,
                                stdout=out, stderr=out, env=cli.env(TERM="xterm"), cwd=cli.folder, start_new_session=True)
        assert done.wait(timeout=120) == 0
    os.close(slave)
    seen = b""
    with contextlib.suppress(OSError):  # where nobody has the other end any more
        while piece := os.read(master, 65536):
            seen += piece
    os.close(master)
    assert b"\r\x1b[Kflatout: step " in seen and b"\x1b]" not in seen and b"flatout run " in seen


def wait_until(condition, timeout=60):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_stopped_terminal_stops_no_signal(cli, training):
    """After Ctrl-S whoever writes to the terminal waits. The program, whose output is a file, does not."""
    with open(cli.folder / "out", "wb") as out:
        session = Session(cli, "run", "--", *training(steps=100_000), stdout=out)
        session.until(rb"\x1b\]2;flatout: step ")
        session.type(b"\x13")
        said = cli.folder / "out"
        begun = said.read_bytes().count(b"done")
        wait_until(lambda: said.read_bytes().count(b"done") > begun + 25)  # more than two seconds: the title would have changed
        children = Path(f"/proc/{session.process.pid}/task/{session.process.pid}/children")
        trained = [int(pid) for pid in children.read_text().split() if b"train.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        assert trained
        session.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not any(b"train.py" in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in trained if Path(f"/proc/{pid}/cmdline").exists()))
        session.type(b"\x11")
        _, code = session.finish()
    assert code == -signal.SIGTERM


def test_ctrl_c_while_the_title_is_shown(cli, training):
    session = Session(cli, "run", "--", *training(steps=100_000))
    session.until(rb"\x1b\]2;flatout: step ")
    session.type(b"\x03")
    seen, code = session.finish()
    assert code == -2, "it ends as the program ended"
    assert titles(seen)[-1] == "" and seen.rstrip().endswith(b"t") is False
    assert b"KeyboardInterrupt" in seen and b"flatout run " in seen
    assert seen.index(b"\x1b[23;2t") < seen.index(b"flatout run ")


def test_in_the_background_the_title_is_the_shells(cli, training):
    job = shlex.join(map(str, [harness.flatout_bin(), "run", "--", *training(steps=30)]))
    for end, titled in (("& wait", False), ("", True)):
        seen, code = shown(cli, "-c", f"set -m; {job} {end}", program="bash")
        assert code == 0 and b"step 29 done" in TITLE.sub(b"", seen)
        assert bool(titles(seen)) == titled, end


NAMES = ["grün", "学習-8", "e\u0301tape", "plain"]


@pytest.fixture
def named(cli):
    for name in NAMES:
        record(cli, "--name", name)
    return cli


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_ls_holds_its_columns(named, columns):
    seen, code = shown(named, "ls", columns=columns)
    lines = plain(seen).decode().splitlines()
    assert code == 0 and len(lines) == 5 and all(width(line) <= columns for line in lines), lines
    at = width(lines[0][: lines[0].index("state")])
    for name, line in zip(reversed(NAMES), lines[1:]):
        assert name in line and width(line[: line.index("finished")]) == at, line


def test_ls_follows_the_window(named):
    wide = plain(shown(named, "ls", columns=160)[0])
    narrow = plain(shown(named, "ls", columns=60)[0])
    assert b"duration" in wide and b"duration" not in narrow and b"state" in narrow


@pytest.mark.parametrize(
    "options, env, coloured",
    [([], {}, True), ([], {"NO_COLOR": "1"}, False), ([], {"NO_COLOR": ""}, True), ([], {"TERM": "dumb"}, False),
     (["--color", "never"], {}, False), (["--color", "always"], {"NO_COLOR": "1"}, True)],
)
@pytest.mark.parametrize("verb", ["ls", "doctor"])
@pytest.mark.every_change("ls-options0-env0-True", "ls-options1-env1-False", "ls-options2-env2-True", "ls-options3-env3-False", "ls-options4-env4-False", "ls-options5-env5-True", "doctor-options0-env0-True", "doctor-options4-env4-False")
def test_colour(named, verb, options, env, coloured):
    seen, _ = shown(named, verb, *options, env=env)
    assert (b"\x1b[" in seen) == coloured
    bare, _ = shown(named, verb, "--color", "never")
    size = re.compile(rb"[\d.]+ GB")  # of what is free, which moves
    assert size.sub(b"", COLOUR.sub(b"", seen)) == size.sub(b"", bare), "colour changes nothing else"


def test_a_pipe_has_neither_colour_nor_cut_lines(named):
    record(named, script="exit 0; : " + "x" * 200)
    done = subprocess.run([harness.flatout_bin(), "ls"], env=named.env(TERM="xterm"), capture_output=True, timeout=60)
    assert b"\x1b" not in done.stdout and b"x" * 200 in done.stdout
    done = subprocess.run([harness.flatout_bin(), "ls", "--color", "always"], env=named.env(TERM="xterm"), capture_output=True, timeout=60)
    assert b"\x1b[1m" in done.stdout


def test_a_locale_without_unicode_gets_ascii(named):
    for env, there in (({"LC_ALL": "C"}, False), ({"LC_ALL": "de_DE.UTF-8"}, True), ({"LANG": "C"}, False)):
        seen, _ = shown(named, "ls", columns=160, env=env)
        assert ("学習" in seen.decode()) == there and seen.isascii() != there


def test_help_is_as_wide_as_the_window(cli):
    for columns in (60, 80, 160):
        seen, code = shown(cli, "help", "ls", columns=columns)
        lines = seen.decode().splitlines()
        assert code == 0 and "Usage: flatout ls [OPTIONS]" in lines
        text = lines[: lines.index("Examples:")]  # those are for copying, and not broken
        assert max(map(len, text)) <= columns
    assert len(shown(cli, "help", "ls", columns=60)[0].splitlines()) > len(shown(cli, "help", "ls", columns=160)[0].splitlines())


def test_a_mistyped_verb(cli):
    seen, code = shown(cli, "repotr")
    assert code == 2 and b"did you mean flatout report?" in seen
