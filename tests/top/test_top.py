"""flatout top in a pseudo-terminal, and as text and JSON."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import jsonschema
import pytest

import harness
from terminal import Terminal

ALTERNATE, NORMAL = b"\x1b[?1049h", b"\x1b[?1049l"


def top(watched, *words, **size):
    return Terminal(["top", *words], FLATOUT_HOME=watched.home, **size)


def test_a_training_keys_mouse_and_size(watched):
    watched.train()
    with top(watched, "--interval", "0.3") as terminal:
        text = terminal.until(lambda text: "data_wait" in text and "train/loss" in text, 40)
        assert "(live)  running" in text.splitlines()[0]
        assert "INPUT-BOUND" in text and "so far" in text
        assert re.search(r"step \d+, [\d.]+ /s, median", text)
        assert "main" in text and terminal.screen.cursor.hidden
        first = int(re.search(r"step (\d+),", text)[1])
        terminal.until(lambda text: (found := re.search(r"step (\d+),", text)) and int(found[1]) > first)

        terminal.press("h")
        terminal.until("flatout top: keys")
        terminal.press("q")  # out of the help
        terminal.until("Processes")
        terminal.press("s")
        terminal.until("sort: memory")
        row = next(y for y, line in enumerate(terminal.screen.display) if " pid " in line and "command" in line)
        terminal.press(f"\x1b[<0;7;{row + 1}M\x1b[<0;7;{row + 1}m")
        terminal.until("sort: pid")
        terminal.press("p")
        terminal.until("PAUSED")
        terminal.press("p")
        terminal.until(lambda text: "PAUSED" not in text)

        for columns, rows in ((120, 40), (40, 8), (30, 5), (200, 50)):
            terminal.resize(columns, rows)
            wanted = "too small" if rows < 8 else "q quit"
            text = terminal.until(lambda text, wanted=wanted: wanted in text)
            assert len(text.splitlines()) <= rows
        terminal.press("q")
        assert terminal.end() == 0
    assert terminal.raw.count(ALTERNATE) == 1 and terminal.raw.count(NORMAL) == 1
    assert b"\x1b[?25h" in terminal.raw and b"\x1b[?1000l" in terminal.raw


def test_a_run_that_ends_and_one_that_is_lost(watched):
    process = watched.train("ends")
    with top(watched, "ends", "--interval", "0.2") as terminal:
        terminal.until("data_wait", 40)
        process.terminate()
        process.wait(30)
        text = terminal.until(lambda text: "killed" in text.splitlines()[0])
        assert "data_wait" in text  # what was known stays
        terminal.press("\x1b")
        assert terminal.end() == 0
    process = watched.train("lost")
    with top(watched, "lost", "--interval", "0.2") as terminal:
        terminal.until("data_wait", 40)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout.split()
        process.kill()
        process.wait(30)
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        terminal.until(lambda text: "lost" in text.splitlines()[0])
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.end() == 0
    assert terminal.raw.endswith(NORMAL)


def test_to_the_background_and_back(watched):
    with top(watched, "--interval", "0.2") as terminal:
        terminal.until("this machine")
        terminal.press("\x1a")  # Ctrl-Z
        deadline = time.monotonic() + 20
        while os.waitpid(terminal.pid, os.WNOHANG | os.WUNTRACED)[0] == 0:
            terminal.read(0.05)
            assert time.monotonic() < deadline
        terminal.read(0.2)
        assert terminal.raw.endswith(NORMAL)
        os.kill(terminal.pid, signal.SIGCONT)
        deadline = time.monotonic() + 20
        while terminal.raw.count(ALTERNATE) < 2:
            terminal.read(0.1)
            assert time.monotonic() < deadline
        terminal.until("q quit")
        terminal.press("\x03")
        assert terminal.end() == 0


def test_a_process_that_flatout_did_not_start(watched):
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass", "--api-key=SECRET1234567890"])
    try:
        with top(watched, busy.pid, "--interval", "0.2") as terminal:
            text = terminal.until(lambda text: re.search(rf"{busy.pid}\s+0\.\d[1-9]|{busy.pid}\s+1\.0", text), 30)
            assert f"process {busy.pid}" in text and "running" in text
            assert f"py-spy dump --pid {busy.pid}" in text and "SECRET1234567890" not in text
            busy.kill()
            busy.wait()
            terminal.until("finished")
            terminal.press("q")
            assert terminal.end() == 0
    finally:
        busy.kill()
        busy.wait()


def test_no_colour(watched):
    for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        with Terminal(["top"], FLATOUT_HOME=watched.home, **extra) as terminal:
            terminal.until("q quit")
            terminal.press("q")
            assert terminal.end() == 0
        assert bool(re.search(rb"\x1b\[0;(3[0-7]|9[0-7]|1;31)m", terminal.raw)) == coloured


def test_names_of_anybody_steer_nothing(watched):
    name = "x\x1b]0;title\x07\x1b[2J\x1b[?1049l\r\n"
    watched.train(name)
    with top(watched, "--interval", "0.2") as terminal:
        terminal.until("data_wait", 40)
        terminal.press("q")
        assert terminal.end() == 0
    assert terminal.screen.title == "" and b"\x1b]" not in terminal.raw
    assert terminal.raw.count(NORMAL) == 1
    once = watched.flatout("top", "--once")
    assert b"\x1b" not in once.stdout and b"(x ]0;" in once.stdout


def test_as_text_and_as_json(watched):
    watched.train()
    deadline = time.monotonic() + 40
    while b"data_wait" not in (done := watched.flatout("top")).stdout:  # no terminal: printed once
        assert done.returncode == 0 and time.monotonic() < deadline, done
        time.sleep(0.2)
    assert done.stdout.isascii() and b"quit" not in done.stdout
    schema = json.loads((harness.ROOT / "schema/top.schema.json").read_text())
    for words in (("live",), (os.getpid(),), ()):
        done = watched.flatout("top", *words, "--once", "--json")
        document = json.loads(done.stdout, parse_constant=pytest.fail)
        jsonschema.Draft202012Validator(schema).validate(document)
    assert document["kind"] == "run" and document["steps"]["phases"]["data_wait"] > 0.3
    stream = subprocess.Popen(
        [harness.flatout_bin(), "top", "--json", "--interval", "0.1"], env=watched.env(), stdout=subprocess.PIPE
    )
    counts = [json.loads(stream.stdout.readline())["steps"]["count"] for _ in range(5)]
    assert counts == sorted(counts) and counts[0] < counts[-1]
    stream.terminate()
    stream.wait(30)
    stream.stdout.close()


def test_its_program_by_number_is_the_run(watched):
    watched.train()

    def shown():
        document = json.loads(watched.flatout("top", "--once", "--json").stdout)
        return document if document.get("steps") else None

    document = harness.wait_for(shown, 40, "no steps are shown", pause_s=0.2)
    (pid,) = [process["pid"] for process in document["processes"] if process["role"] == "main"]
    assert json.loads(watched.flatout("top", pid, "--once", "--json").stdout)["kind"] == "run"


def test_what_is_not_there(watched):
    for word, said in (("nobody", b"no runs in"), ("999999999", b"there is no process 999999999")):
        done = watched.flatout("top", word)
        assert done.returncode == 1 and said in done.stderr and done.stderr.count(b"\n") == 1


def test_a_run_that_begins_later(watched):
    with top(watched, "--interval", "0.2") as terminal:
        terminal.until("this machine")
        watched.train("later")
        terminal.until("(later)  running", 60)
        terminal.press("q")
        assert terminal.end() == 0


def test_a_run_that_is_over(watched):
    watched.train("over", steps=150, wait_ms=1, compute_ms=1).wait(60)
    text = watched.flatout("top", "over", "--once").stdout.decode()
    assert "(over)  finished" in text and "data_wait" in text and "step 150" in text
