#!/usr/bin/env python3
"""Makes a store for the page and the API: real runs, one with many points, thousands of small ones.

    tests/ui/make_store.py HOME [--real] [--tune] [--long POINTS] [--small COUNT] [--live SECONDS]

What was made up is written by build/release/test/made_up_store (target `made_up_store`).
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLATOUT = Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
PYTHON = ROOT / ".venv/bin/python"


def made_up_store(*words: object) -> subprocess.Popen:
    """Starts the writer of made-up runs."""
    program = FLATOUT.parent.parent / "test/made_up_store"
    return subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, text=True)


def made_up(*words: object) -> list[str]:
    """Ids of the runs that were made up."""
    process = made_up_store(*words)
    ids = process.communicate()[0].split()
    if process.returncode != 0:
        sys.exit(f"made_up_store {words} failed")
    return ids


def real(home: Path) -> None:
    """A few short trainings of the zoo, recorded."""
    for name, program in (("loader", "sleep_2w.py"), ("compute", "healthy.py")):
        script = ROOT / "tests/zoo/programs" / program
        if script.exists():
            subprocess.run([FLATOUT, "run", "--home", home, "--name", name, "--no-bench", "--stop-after", "40",
                            "--", PYTHON, script], check=False, stdout=subprocess.DEVNULL)


def tune(home: Path) -> None:
    """A short tune of the program that waits for its loader."""
    subprocess.run([FLATOUT, "tune", "--home", home, "-b", "60s", "--steps", "24", "--",
                    PYTHON, ROOT / "tests/zoo/programs/sleep_2w.py"], check=False, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--long", type=int, default=0, help="points of one long run")
    parser.add_argument("--small", type=int, default=0, help="small runs")
    parser.add_argument("--live", type=float, default=0, help="seconds that a run goes on in the background")
    options = parser.parse_args()
    if options.long:
        print("long:", *made_up("values", options.home, options.long, 10))
    if options.small:
        print("small:", len(made_up("small", options.home, options.small)))
    if options.real:
        real(options.home)
    if options.tune:
        tune(options.home)
    if options.live:
        process = made_up_store("live", options.home, options.live)
        assert process.stdout is not None
        print("live:", process.stdout.readline().strip(), "pid", process.pid)


if __name__ == "__main__":
    main()
