#!/usr/bin/env python3
"""Run programs that nobody here wrote, unmodified, on small data, bare and under flatout.

    programs_of_others.py SOURCES --work DIR [--flatout PATH] [--only NAME,NAME] [--rounds 5] [--do check,advice,tune]

SOURCES holds the folders that tools/others/programs.py names, each a copy of the
repository and commit that stand there (`--list` prints them); no text of
theirs is in this project. The programs need torch, torchvision, timm,
transformers, datasets, evaluate, accelerate, lightning with jsonargparse, keras
and autograd in the Python that runs this, and no network.

    check    two bare runs and one under flatout: exit status, output, files, steps, report
    advice   the first advice applied by hand, interleaved with the program as it is
    tune     `flatout tune` with a budget of five minutes

What was measured goes to DIR/results.json, a part at a time; `--table` prints
the table of docs/programs-of-others.md from it and runs nothing.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from others import compare, data, page, programs, running  # noqa: E402

TUNE_BUDGET = "5m"
WARM_UP_STEPS = 10  # at the program's beginning, not measured


def check(program, place):
    """Exit status, output, files, steps and the report, beside two bare runs."""
    one, two = (running.run(program, *place) for _ in range(2))
    seen = running.run(program, *place, flatout=place.flatout)
    alike = {name: compare.compare(*(getattr(r, name) for r in (one, two, seen))) for name in ("out", "err")}
    alike["files"] = compare.compare_files(one.files, two.files, seen.files)
    work = place.work
    for name, ran in (("bare", one), ("bare-again", two), ("flatout", seen)):
        (work / f"{name}.out").write_text(ran.out)
        (work / f"{name}.err").write_text(ran.err)
    return {
        "status": [one.status, two.status, seen.status],
        "alike": {name: {"same": d.same, "varies": d.varies, "first": list(d.first)} for name, d in alike.items()},
        "files": len(one.files),
        "wall_s": [one.wall_s, two.wall_s, seen.wall_s],
        "printed_steps": [program.printed_steps(r.text) for r in (one, seen)],
        "expected_steps": program.expected,
        "report": seen.report,
        "told": seen.told,
    }


def advice(program, place, rounds):
    """As it is and with the advice, by turns: seconds a step as printed, and of the whole run."""
    if not program.advice:
        return None
    with_plan = place.flatout if program.advice.get("plan") else None
    rows = []
    running.run(program, *place, flatout=with_plan, advice=program.advice)  # what it keeps for later runs is then there
    for number in range(rounds):
        row = {}
        for kind in ("as_it_is", "advised") if number % 2 == 0 else ("advised", "as_it_is"):
            ran = running.run(
                program, *place, flatout=with_plan, advice=program.advice if kind == "advised" else None
            )  # fmt: skip
            if ran.status:
                raise RuntimeError(f"{program.name}, {kind}: exit status {ran.status}: {ran.err[-400:]}")
            row[kind] = {"wall_s": ran.wall_s, "step_s": running.step_s(program, ran, WARM_UP_STEPS)}
            if with_plan and kind == "advised":
                row["plan"] = (ran.report or {}).get("plan")
        rows.append(row)
        print(f"  round {number + 1}: {json.dumps({k: row[k] for k in ('as_it_is', 'advised')})}", flush=True)
    return {"what": program.advice, "rounds": rows, "load_before": os.getloadavg()[0]}


def tune(program, place):
    """`flatout tune` of the program in its own folder, without its seed."""
    running.lay_out(program, place.sources, place.data, place.work / "place")
    folder = place.work / "place"
    out = place.work / "tune.json"
    options = ["--budget", TUNE_BUDGET, "--home", str(place.work / "home"), "--json", str(out)]
    environment = running.environment_of(folder, program.environment)
    running.prepare(program, folder, environment)
    command = [str(place.flatout), "tune", *options, "--", sys.executable, *programs.without_seed(program.command)]
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report = json.loads(out.read_text()) if out.exists() else None
    return {"status": done.returncode, "printed": done.stdout, "err": done.stderr, "report": report}


class Place:
    """Where one program runs. Unpacks as the folders that `running.run` takes."""

    def __init__(self, sources, made, work, flatout):
        self.sources, self.data, self.work, self.flatout = sources, made, work, flatout

    def __iter__(self):
        return iter((self.sources, self.data, self.work))


def load(file):
    return json.loads(file.read_text()) if file.exists() else {"programs": {}}


def store(file, results):
    begun = file.with_suffix(".begun")
    begun.write_text(json.dumps(results, indent=1))
    begun.rename(file)


def measure(program, place, parts, rounds):
    missing = running.sources_missing(program, place.sources)
    if missing:
        return {"skipped": f"the sources have no {', '.join(missing)}"}
    place.work.mkdir(parents=True, exist_ok=True)
    done = {}
    for part in parts:
        print(f"{program.name}: {part}", flush=True)
        try:
            if part == "check":
                done[part] = check(program, place)
            elif part == "advice":
                done[part] = advice(program, place, rounds)
            else:
                done[part] = tune(program, place)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            done[part] = {"failed": str(error)}
            print(f"  failed: {error}", flush=True)
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=pathlib.Path, nargs="?")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/programs-of-others")
    parser.add_argument("--flatout", type=pathlib.Path, default=ROOT / "build/release/bin/flatout")
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--do", default="check", help="check, advice and tune, with commas between them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--list", action="store_true", help="print repository, commit and files of each program")
    parser.add_argument("--table", action="store_true", help="print the page's table from what was measured")
    args = parser.parse_args()
    if args.list:
        for p in programs.PROGRAMS:
            print(f"{p.name}: {p.source.repository} {p.source.commit}: {', '.join(p.files.values())}")
        return 0
    file = args.work / "results.json"
    results = load(file)
    if args.table:
        print(page.table(results))
        return 0
    if not args.sources:
        parser.error("SOURCES: the folder with the programs' repositories")
    names = [n for n in args.only.split(",") if n] or list(programs.BY_NAME)
    unknown = sorted(set(names) - set(programs.BY_NAME))
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(programs.BY_NAME)}")
    made = args.work.resolve() / "data"
    data.make(made)
    results["date"] = datetime.date.today().isoformat()
    results["cpus"] = len(os.sched_getaffinity(0))
    for name in names:
        place = Place(args.sources.resolve(), made, args.work.resolve() / name, args.flatout.resolve())
        done = measure(programs.BY_NAME[name], place, args.do.split(","), args.rounds)
        results["programs"].setdefault(name, {}).update(done)
        store(file, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
