"""`make accuracy`, its second part: how good what `flatout tune` finds is, as docs/tuning-accuracy.md.

Every figure in the page is measured. It takes hours: what was measured is kept in build/oracle, and a second
call goes on from there, unless --fresh is given. Exit status 1 when a program missed a bound, when a knob
that does nothing was kept, when the intervals of predictions held too few measured gains, and when something was not measured (--minutes); the page says it all the same.
"""

import argparse
import datetime
import os
import shutil
import sys
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "zoo")]
import harness  # noqa: E402
import page  # noqa: E402
import placebo  # noqa: E402
import study  # noqa: E402
from page_section import section, write  # noqa: E402

PROGRAMS = tomllib.loads((HERE / "oracle.toml").read_text())
PLACEBO_PROGRAMS = 20


def placebo_programs():
    """The first programs of the zoo by name, as they are."""
    names = sorted(path.stem for path in (HERE.parent / "zoo/programs").glob("*.py"))[:PLACEBO_PROGRAMS]
    return {name: {"folder": "tests/zoo", "command": [f"programs/{name}.py"], "env": {"ZOO_SCALE": "20"}}
            for name in names}


class Deadline:
    """What is begun after it is left for the next call; what was measured before is told all the same."""

    def __init__(self, minutes):
        self.at = None if minutes is None else time.monotonic() + minutes * 60

    def passed(self):
        return self.at is not None and time.monotonic() > self.at


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--no-placebo", action="store_true", help="without the programs tuned with a useless knob")
    parser.add_argument("--minutes", type=float, help="begin nothing new after these; 0 = only tell what was measured")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--beside", default="", help="what else runs on the machine meanwhile: said in the page of what is measured now")
    parser.add_argument("--kept", type=Path, default=harness.ROOT / "build/oracle")
    parser.add_argument("--out", type=Path, default=harness.ROOT / "docs/tuning-accuracy.md")
    args = parser.parse_args()
    harness.take_default_signals()
    if args.fresh:
        shutil.rmtree(args.kept, ignore_errors=True)
    deadline, began, load = Deadline(args.minutes), datetime.date.today(), os.getloadavg()[0]
    studies, placebos, missing = [], {}, []
    for name in args.only:
        store = args.kept / f"{name}.json"
        if deadline.passed() and not study.load(name, PROGRAMS[name], store).complete:
            missing.append(name)
            continue
        print(f"{name}", flush=True)
        studies.append(study.study(name, PROGRAMS[name], store, say=told, beside=args.beside))
        told("\n".join(f"    MISSED: {problem}" for problem in studies[-1].problems) or "    met")
    for name, program in {} if args.no_placebo else placebo_programs().items():
        store = args.kept / "placebo" / f"{name}.json"
        if deadline.passed() and not store.exists():
            missing.append(f"placebo in {name}")
            continue
        placebos[name] = placebo.tune(name, program, store, say=told)
    said = page.text(studies, placebos, missing, began, load)
    for other in ("simulated", "again") if args.out.exists() else ():  # tests/simgpu/tune/tuning_accuracy.py and tuned_again.py write them
        if theirs := section(args.out.read_text(), other):
            said += f"\n{theirs}\n"
    write(args.out, said)
    print(f"wrote {args.out}")
    wrong = any(one.problems for one in studies) or any(placebo.problems(one) for one in placebos.values())
    narrow = page.coverage_of(studies).problems
    told("\n".join(f"MISSED: {problem}" for problem in narrow))
    return 1 if wrong or missing or narrow else 0


def told(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
