"""Which processes of a trial are alive; a tune that is interrupted, and its rows."""

import signal
import subprocess
from pathlib import Path


def processes_with(argument):
    """Pids of the test program that were started with `argument`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended
        if "train.py" in words and argument in words and "tune" not in words:
            found.append(int(entry.name))
    return found


def interrupt_after(tune, command, beginning, *options):
    """What a tune had printed until a Ctrl-C after the first line that begins so."""
    words = [str(word) for word in [*tune.words(*options), "--", *command]]
    process = subprocess.Popen(words, env=tune.env(), cwd=tune.folder, stdout=subprocess.PIPE, text=True)
    out = ""
    for line in process.stdout:
        out += line
        if line.startswith(beginning):
            break
    process.send_signal(signal.SIGINT)
    out += process.stdout.read()
    assert process.wait(timeout=60) == 128 + signal.SIGINT
    return out


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith(("baseline ", "+ "))]
