"""`%%flatout` in a notebook: runs the cell's code as a program under `flatout run`, and shows the report below the cell.

    %load_ext flatout

    %%flatout --stop-after 200 -- --lr 0.1
    ... a whole training program ...

Before `--` stand options of `flatout run`, behind it arguments of the program. The cell is a program of its own: it begins in the
notebook's folder, in a new Python process, and shares no variable with the notebook. Its lines are counted as the notebook counts
those of the cell. docs/python.md#in-a-notebook says more.
"""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flatout.cell_program import run_cell
from flatout.program import find_program

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["CellFailed", "CellInterrupted", "Recorded", "flatout_cell", "register", "unregister"]

_MAGIC = "flatout"


class CellFailed(RuntimeError):
    """The cell's program did not end well. The notebook shows the message alone: the program's traceback stands above it."""

    def _render_traceback_(self) -> list[str]:
        return [f"CellFailed: {self}"]


class CellInterrupted(KeyboardInterrupt):
    """The cell was interrupted, and its program with it. One line as well."""

    def _render_traceback_(self) -> list[str]:
        return ["KeyboardInterrupt"]


class Recorded:
    """A recorded run of a cell: what `%%flatout` gives, which a notebook shows as a page and a terminal as text.

    `exit_status`: the program's, negative where a signal ended it. `text`: the report as `flatout run` prints it. `report`: the report
    as a dict (flatout.report/1). `page`: the report as one HTML page, "" where none could be written.
    """

    def __init__(self, exit_status: int, text: str, report: dict[str, Any], page: str) -> None:
        self.exit_status, self.text, self.report, self.page = exit_status, text, report, page

    @property
    def id(self) -> str:
        """The run's id, for `flatout report` and the other verbs."""
        return str(self.report["run"]["id"])

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        """An HTML page inside another: its styles and the notebook's do not meet."""
        if not self.page:
            return None
        return (f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts allow-popups" '
                'style="width: 100%; height: 640px; border: 0" title="flatout report"></iframe>')


def register(shell: InteractiveShell) -> None:
    """Adds `%%flatout` to a shell of IPython's."""
    shell.register_magic_function(flatout_cell, magic_kind="cell", magic_name=_MAGIC)  # type: ignore[call-arg,arg-type]


def unregister(shell: InteractiveShell) -> None:
    """Takes `%%flatout` away again."""
    shell.magics_manager.magics["cell"].pop(_MAGIC, None)


def flatout_cell(line: str, cell: str) -> Recorded | None:
    """Run the cell as a program under `flatout run`, and show the report.

    %%flatout [options of flatout run] [-- arguments of the program]

    None where the notebook itself runs under `flatout run`, which then records the cell, too. Raises CellFailed where the program ends
    with another exit status than 0, with the report shown before, or where flatout could not run it; SyntaxError where the cell is no
    program; CellInterrupted, a KeyboardInterrupt, where it was interrupted.
    """
    options, arguments = _divided(line)
    compile(cell, "<cell>", "exec", dont_inherit=True)  # magics and shell commands are IPython's: without this the program would fail with the same words
    with tempfile.TemporaryDirectory(prefix="flatout-cell-") as folder:
        given = _given(options)
        files = {name: _Told(given.get(name, os.path.join(folder, name))) for name in ("--report-to", "--json", "--html")}
        if not files["--json"].is_readable:
            raise CellFailed(f"%%flatout --json {given['--json']}: the report is read from there, so name a regular file, or none")
        missing = [word for name, file in files.items() if name not in given for word in (name, file.path)]
        command = [find_program(), "run", *options, *missing, "--", sys.executable, "-u", str(_cell_file(line, cell)), *arguments]
        status, interrupted = run_cell(command)
        recorded = _recorded(status, *(file.content() for file in files.values()))
    outer = os.environ.get("FLATOUT_RUN", "")
    if recorded is None and not outer:
        if interrupted:
            raise CellInterrupted
        raise CellFailed(f"flatout run ended with status {status} and recorded nothing; its reason stands above")
    if recorded is None:
        print(f"%%flatout: this notebook runs under flatout run itself, whose run {outer} the cell is a part of", file=sys.stderr)
    if status == 0:
        return recorded
    if recorded is not None:
        _show(recorded)
    if interrupted:
        raise CellInterrupted
    ended = f"signal {-status} ended the cell's program" if status < 0 else f"the cell's program ended with exit status {status}"
    raise CellFailed(ended if recorded is None else f"{ended}; its report, of run {recorded.id}, stands above")


def _divided(line: str) -> tuple[list[str], list[str]]:
    """Options of `flatout run`, and arguments of the program."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CellFailed(f"%%flatout {line}: {error}") from None
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1:]


# Options of `flatout run` as its command line has them: where a value is that of another option, it is none of these.
_FLAGS = ("--help", "--no-hooks", "--no-bench", "--no-live", "--no-argv", "--record-output", "--quiet", "--tune", "--accept-unproved")
_SHORT = {"n": "--name", "j": "--json", "o": "--report-to", "p": "--plan"}  # those that take a value


def _given(options: list[str]) -> dict[str, str]:
    """Values of the options that the user gave, by long names: of "--json FILE", "--json=FILE", "-j FILE", "-jFILE" and "-qj FILE"."""
    made: dict[str, str] = {}
    words = iter(options)
    for word in words:
        short = re.fullmatch(rf"-([^-{''.join(_SHORT)}]*)([{''.join(_SHORT)}])(.*)", word, re.DOTALL)
        if short:
            made[_SHORT[short[2]]] = short[3] or next(words, "")
        elif word.startswith("--") and word not in _FLAGS:
            name, _, value = word.partition("=")
            made[name] = value or next(words, "")
    return made


def _cell_file(line: str, cell: str) -> Path:
    """The cell as a file, which stays: reports name its lines, and `flatout tune` may run it later. The same cell is the same file."""
    import hashlib

    # The magic's own line, so that lines are counted as in the notebook.
    text = f"# %%flatout {line}".rstrip() + "\n" + cell
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = f"cell-{hashlib.sha256(text.encode()).hexdigest()[:12]}.py"
    try:
        return _written(Path(cache) / "flatout" / "cells" / name, text)
    except OSError:
        return _written(Path(tempfile.mkdtemp(prefix="flatout-cells-")) / name, text)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text, encoding="utf-8")
    return path


class _Told:
    """A file that `flatout run` is to write. What stood there before is not this run's; a terminal or a pipe would be waited for."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._before = self._mark()

    @property
    def is_readable(self) -> bool:
        """Whether it is a regular file, or can become one."""
        return self.path != "" and (self._before is not None or not os.path.exists(self.path))

    def content(self) -> str:
        """What the run wrote, or ""."""
        if self._mark() in (None, self._before):
            return ""
        try:
            return Path(self.path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _mark(self) -> tuple[int, int] | None:
        """Of a regular file's content, which changes where it is written."""
        try:
            facts = os.stat(self.path)
        except OSError:
            return None
        return (facts.st_ino, facts.st_mtime_ns) if stat.S_ISREG(facts.st_mode) else None


def _recorded(status: int, text: str, report: str, page: str) -> Recorded | None:
    return Recorded(status, text.rstrip("\n"), json.loads(report), page) if report else None


def _show(recorded: Recorded) -> None:
    from IPython.display import display

    display(recorded)
