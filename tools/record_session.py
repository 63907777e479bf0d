#!/usr/bin/env python3
"""Run the demo once and put its real output beside README.md.

    record_session.py        (or `make session`; after `make build` and `make demo`)

Writes docs/session.txt (the text), docs/session.svg (a picture of that text)
and the part of README.md between the two `session` marks: the picture, and
the machine that it was made on. Nothing of it is written by hand, so the page
shows what the program printed there.
"""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import terminal_svg  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = "flatout run -- python examples/train_images.py build/demo/images --steps 50"
BEGIN, END = "<!-- session: written by tools/record_session.py -->", "<!-- end of session -->"


def run_demo():
    """The program's stdout and flatout's own text, each as it was written."""
    with tempfile.TemporaryDirectory(prefix="flatout-session-") as home:
        said = pathlib.Path(home) / "said.txt"
        command = ["./flatout", "run", "--report-to", str(said), "--", ".venv/bin/python",
                   "examples/train_images.py", "build/demo/images", "--steps", "50"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "FLATOUT_HOME": home})
        if done.returncode != 0 or not said.is_file():
            raise SystemExit(f"record_session: the demo gave exit {done.returncode}; nothing was changed")
        return done.stdout, said.read_text()


def processor():
    match = re.search(r"model name\s*:\s*(.+)", pathlib.Path("/proc/cpuinfo").read_text())
    return match.group(1) if match else platform.machine()


def block():
    machine = f"{processor()}, {len(os.sched_getaffinity(0))} CPUs, {datetime.date.today().isoformat()}"
    return (f"{BEGIN}\n![The closing text of the demo](docs/session.svg)\n\n"
            f"The demo of this repository ([as text](docs/session.txt); {machine}).\n{END}")


def main():
    printed, said = run_demo()
    session = f"$ {SHOWN}\n{printed}{said}"
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, mark, rest = text.partition(BEGIN)
    _, end_mark, after = rest.partition(END)
    if not mark or not end_mark:
        raise SystemExit("record_session: README.md has no session marks")
    (ROOT / "docs" / "session.txt").write_text(session)
    (ROOT / "docs" / "session.svg").write_text(terminal_svg.picture(session))
    readme.write_text(before + block() + after)
    print("record_session: README.md, docs/session.txt, docs/session.svg")


if __name__ == "__main__":
    main()
