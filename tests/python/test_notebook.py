"""`%load_ext flatout` and `%%flatout`, in a shell of IPython's own."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading

import harness
import pytest
from IPython.core import interactiveshell
from IPython.utils.capture import capture_output


@pytest.fixture
def shell(home, tmp_path, monkeypatch):
    """A fresh shell in a folder of its own, with the extension loaded."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = interactiveshell.InteractiveShell.instance()  # IPython displays by the one shell that a process has
    made.run_line_magic("load_ext", "flatout")
    yield made
    interactiveshell.InteractiveShell.clear_instance()


def run(shell, line, cell):
    """(result, stdout, stderr, what was displayed) of a cell, as a notebook runs it."""
    with capture_output() as captured:
        result = shell.run_cell(f"%%flatout {line}\n{cell}")
    return result, captured.stdout, captured.stderr, captured.outputs


def test_a_cell_is_a_program_and_its_report_is_shown(shell, home):
    result, out, err, _ = run(shell, "--name cell -- --lr 0.1", "import sys\nprint('args', sys.argv[1:])\nprint('aside', file=sys.stderr)\nkept = 5\n")
    assert result.success, err
    assert "args ['--lr', '0.1']\n" in out and "aside\n" in err
    recorded = result.result
    assert recorded.exit_status == 0 and recorded.report["schema"] == "flatout.report/1" and recorded.report["run"]["name"] == "cell"
    listed = subprocess.run([harness.flatout_bin(), "ls"], env={**harness.environment(FLATOUT_HOME=home)}, capture_output=True, text=True).stdout
    assert recorded.id in listed
    assert repr(recorded) == recorded.text and recorded.id in recorded.text
    assert "<html" in recorded.page.lower()
    shown = recorded._repr_html_()
    assert shown.startswith("<iframe srcdoc=\"") and "<script" not in shown and "&lt;" in shown, "the page is inside an attribute"
    assert "kept" not in shell.user_ns, "the cell is a program of its own"


def test_what_it_shares_with_the_notebook(shell):
    """The folder, from which it imports, and the environment, but for the kernel's way to draw; no variable, no standard input."""
    with open("beside.py", "w") as file:
        file.write("here = 'imported'\n")
    shell.user_ns["secret"] = 1
    os.environ["MPLBACKEND"], os.environ["KEPT"] = "module://matplotlib_inline.backend_inline", "yes"
    try:
        result, out, err, _ = run(shell, "", "import beside, os, sys\nprint(beside.here, os.getcwd(), os.environ.get('MPLBACKEND'), os.environ['KEPT'])\n"
                                             "print('secret' in globals(), repr(sys.stdin.read()))\n")
    finally:
        del os.environ["MPLBACKEND"], os.environ["KEPT"]
    assert result.success, err
    assert out.splitlines()[:2] == [f"imported {os.getcwd()} None yes", "False ''"]


def test_lines_are_counted_as_in_the_notebook(shell):
    """The magic is line 1, and the file stays for `flatout tune` and for whoever reads the report later."""
    result, _, err, outputs = run(shell, "", "ok = 1\nraise ValueError('no such luck')\n")
    assert not result.success
    assert ", line 3, in <module>" in err and "ValueError: no such luck" in err
    path = err.split('File "')[1].split('"')[0]
    assert open(path).read() == "# %%flatout\nok = 1\nraise ValueError('no such luck')\n"
    assert os.stat(os.path.dirname(path)).st_mode & 0o077 == 0
    shown = outputs[0].data["text/plain"]
    assert "FAILED: exit code 1" in shown, "the report of a run that failed stands above the error"
    assert str(result.error_in_exec).startswith("the cell's program ended with exit status 1; its report, of run ")


def test_the_error_of_a_cell_is_one_line(shell):
    from flatout.notebook import CellFailed

    result, _, _, _ = run(shell, "", "import sys; sys.exit(9)\n")
    assert isinstance(result.error_in_exec, CellFailed) and "exit status 9" in str(result.error_in_exec)
    assert result.error_in_exec._render_traceback_() == [f"CellFailed: {result.error_in_exec}"]
    result, _, _, _ = run(shell, "", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n")
    assert "signal 9" in str(result.error_in_exec)


@pytest.mark.parametrize("line, cell, kind, word", [
    ("--frob", "pass\n", "CellFailed", "recorded nothing"),
    ("--name 'x", "pass\n", "CellFailed", "No closing quotation"),
    ("", "!ls\n", "SyntaxError", "invalid syntax"),
    ("", "x = (\n", "SyntaxError", ""),
])
def test_what_cannot_be_run_is_said(shell, line, cell, kind, word):
    result, _, err, _ = run(shell, line, cell)
    error = result.error_in_exec or result.error_before_exec
    assert type(error).__name__ == kind and word in str(error)
    if line == "--frob":
        assert "--frob" in err, "flatout's own words"


def test_files_that_the_user_names_are_written_and_read(shell):
    result, _, err, _ = run(shell, "--json told.json --html=told.html", "pass\n")
    assert result.success, err
    assert os.path.getsize("told.json") and open("told.html").read() == result.result.page


@pytest.mark.parametrize("line", [
    "-j told.json -o told.txt", "-jtold.json -otold.txt", "-qj told.json -o told.txt", "--name -x -j told.json -qotold.txt",
    "-n -q -jtold.json --report-to=told.txt", "--rate 20 --json=told.json -o told.txt", "-njoke --home=home -jtold.json -o told.txt",
])
def test_files_named_in_whatever_way_are_the_commands(shell, line):
    result, _, err, _ = run(shell, line, "pass\n")
    assert result.success, err
    with open("told.json") as told:
        assert json.load(told) == result.result.report
    assert open("told.txt").read().rstrip("\n") == result.result.text and ("q" in line or result.result.text)


def test_the_options_are_those_of_the_command_line():
    """Which take a value, and by which letter."""
    from flatout import notebook

    told = subprocess.run([harness.flatout_bin(), "run", "--help"], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^  (?:-(\w), |    )(--[\w-]+)(?: ([A-Z][A-Z,]*))?(?:  |$)", told, re.MULTILINE)
    assert len(options) == sum(line.startswith(("  -", "      --")) for line in told.splitlines()) > 10
    assert {name for _, name, value in options if not value} == set(notebook._FLAGS)
    assert {letter: name for letter, name, value in options if value and letter} == notebook._SHORT


def test_what_another_run_left_is_not_shown(shell):
    """Where this one writes nothing, as one that is refused."""
    for name in ("told.json", "told.html", "told.txt"):
        with open(name, "w") as file:
            file.write('{"run": {"id": "old1"}}')
    result, _, _, outputs = run(shell, "--frob -j told.json --html told.html -o told.txt", "pass\n")
    assert type(result.error_in_exec).__name__ == "CellFailed" and "recorded nothing" in str(result.error_in_exec) and outputs == []
    result, _, err, _ = run(shell, "-j told.json --html told.html -o told.txt", "pass\n")
    assert result.success and result.result.id != "old1" and "old1" not in result.result.text + result.result.page, err


def test_a_pipe_is_not_read(shell):
    """Which nobody would ever write to again: what goes there is shown by whoever reads it. The report itself has to come back."""
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDWR)  # so that flatout can write
    try:
        result, _, err, _ = run(shell, "--report-to pipe --html /dev/null", "pass\n")
        assert result.success and result.result.text == result.result.page == "" and result.result._repr_html_() is None, err
        assert os.read(reader, 1 << 16).startswith(b"flatout run ")
        ran = "open('ran', 'w')\n"
        for line in ("--json pipe", "-jpipe", "-qj /dev/null"):
            result, _, _, _ = run(shell, line, ran)
            assert type(result.error_in_exec).__name__ == "CellFailed" and "name a regular file" in str(result.error_in_exec)
    finally:
        os.close(reader)
    assert not os.path.exists("ran"), "refused before it runs"


def test_a_program_that_is_not_there_is_said(shell, monkeypatch):
    monkeypatch.setenv("FLATOUT_BIN", "/nowhere/flatout")
    result, _, _, _ = run(shell, "", "pass\n")
    assert type(result.error_in_exec).__name__ == "ProgramMissing" and "/nowhere/flatout" in str(result.error_in_exec)


def test_an_interrupt_of_the_notebook_is_one_of_the_program(shell):
    """Sent once the program has said that it is ready: a Ctrl-C of the kernel. The report is shown all the same."""
    ready, write = os.pipe()

    def interrupt():
        os.read(ready, 1)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    os.environ["READY"] = f"/proc/{os.getpid()}/fd/{write}"
    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        result, out, err, outputs = run(shell, "", "import os, threading\ntry:\n    open(os.environ['READY'], 'w').write('.')\n"
                                                   "    threading.Event().wait(60)\nexcept KeyboardInterrupt:\n    print('stopped in time')\n    raise\n")
    finally:
        del os.environ["READY"]
        sender.join()
        os.close(ready), os.close(write)
    assert out.count("stopped in time\n") == 1 and isinstance(result.error_in_exec, KeyboardInterrupt), err
    assert "flatout run" in outputs[0].data["text/plain"] and "Traceback" not in out


def test_output_of_what_stays_behind_is_not_waited_for(shell):
    result, out, err, _ = run(shell, "", "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
                                         "left = subprocess.Popen(['sleep', '30'])\nprint(left.pid)\n")
    os.kill(int(out.split()[0]), signal.SIGKILL)
    assert result.success, err


def to_stdout(monkeypatch, take):
    """Has sys.stdout give each text that it gets to take()."""
    class Stream:
        def write(self, text):
            take(text)

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stdout", Stream())


def test_output_comes_as_it_is_made(home, monkeypatch):
    """Not at the end: the program waits for its first line to have come."""
    from flatout import cell_program

    seen, write = os.pipe()
    to_stdout(monkeypatch, lambda text: os.write(write, b".") if "first" in text else None)
    code = f"print('first'); import select; import sys; f = open('/proc/{os.getpid()}/fd/{seen}'); sys.exit(not select.select([f], [], [], 60)[0])"
    assert cell_program.run_cell([sys.executable, "-u", "-c", code]) == (0, False)
    os.close(seen), os.close(write)


STUBBORN = """import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid())
while True:
    %s
"""


def stubborn(monkeypatch, then, error, times):
    """run_cell() of a program under `flatout run` that ignores what it can, prints its id and does `then` for ever, where sys.stdout
    raises `error` the first `times`: (what run_cell() gave or raised, whether the program has ended)."""
    from flatout import cell_program

    programs, raised = [], []

    def take(text):
        if not programs:
            programs.append(os.pidfd_open(int(text.split()[0])))
        if len(raised) < times:
            raised.append(1)
            raise error

    to_stdout(monkeypatch, take)
    try:
        outcome = cell_program.run_cell([str(harness.flatout_bin()), "run", "--quiet", "--", sys.executable, "-u", "-c", STUBBORN % then])
    except OSError as failure:
        outcome = failure
    ended, _, _ = select.select(programs, [], [], 15)
    os.close(programs[0])
    return outcome, bool(ended)


def test_a_third_interrupt_kills_the_program_too(home, monkeypatch):
    """Not `flatout run` alone, with the cell waiting for the output of a program that nobody can stop any more."""
    assert stubborn(monkeypatch, "print()", KeyboardInterrupt, 3) == ((-signal.SIGKILL, True), True)


def test_an_error_of_the_notebooks_output_leaves_no_program(home, monkeypatch):
    error = OSError("the notebook is gone")
    assert stubborn(monkeypatch, "signal.pause()", error, 1) == (error, True)


def test_what_stays_behind_may_go_on_printing(home, monkeypatch):
    """The end of the program is the end of the cell, and all that the program said comes; what stays gets SIGPIPE."""
    from flatout import cell_program

    texts = []
    to_stdout(monkeypatch, texts.append)
    command = ["sh", "-c", "yes left & seq 20000 | sed s/.*/S/; exit 3"]
    assert cell_program.run_cell(command) == (3, False)
    assert "".join(texts).count("S") == 20000, "one letter a line: what two write into one pipe may be cut within a word"


def test_a_killed_cell_is_an_interrupted_one(shell, monkeypatch):
    """It has recorded nothing that could be shown."""
    from flatout import notebook

    monkeypatch.setattr(notebook, "run_cell", lambda command: (-signal.SIGKILL, True))
    result, _, _, outputs = run(shell, "", "pass\n")
    assert isinstance(result.error_in_exec, notebook.CellInterrupted) and outputs == []


def test_under_flatout_run_the_cell_is_part_of_that_run(shell, monkeypatch):
    """As a notebook has it that was started by `flatout run -- jupyter`: the inner flatout steps aside."""
    with open("/proc/self/stat") as file:
        start_ticks = file.read().rpartition(")")[2].split()[19]
    monkeypatch.setenv("FLATOUT_RUN", "ab12")
    monkeypatch.setenv("FLATOUT_RECORDER", f"{os.getpid()}:{start_ticks}")
    result, out, err, _ = run(shell, "", "print('ran')\n")
    assert result.success and result.result is None and out == "ran\n" and "run ab12" in err
    result, _, _, _ = run(shell, "", "raise SystemExit(3)\n")
    assert str(result.error_in_exec) == "the cell's program ended with exit status 3"


def test_it_can_be_taken_away_again(shell):
    shell.run_line_magic("unload_ext", "flatout")
    assert "flatout" not in shell.magics_manager.magics["cell"]
    shell.run_line_magic("load_ext", "flatout")
    assert "flatout" in shell.magics_manager.magics["cell"]
