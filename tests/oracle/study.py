"""One program of the oracle: its grid, its tune and the contest of both, kept as they are measured."""

import json
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import contest as contests
import grid
import point
import tuned as tunes

ROUNDS = 2  # over the grid; the second one of the points that may be the best
MAY_BE_BEST = 0.8  # of the best rate of the first round: two runs of one point differ by less
SHARE_BOUND = 0.95  # of the best point's rate
TIME_BOUND = 0.25  # of the grid's time
SLOWER_BOUND = 0.97  # of the rate without a knob: the rest is the machine's noise
FAILED_POINT_S = 20  # a run that takes longer hangs: programs here train for a few seconds


@dataclass
class Study:
    name: str
    program: dict
    points: list
    runs: dict = field(default_factory=dict)  # point's name -> [[samples_per_s, seconds, problem], ...]
    tuned: tunes.Tuned | None = None
    contest: contests.Contest | None = None
    beside: str = ""  # what else ran on the machine, in words; "" = nothing

    # What was measured, as figures.

    def rate(self, at):
        """Mean of the point's runs; None where one failed."""
        rates = [run[0] for run in self.runs.get(grid.name_of(at), [])]
        return statistics.fmean(rates) if len(rates) == ROUNDS and all(rates) else None

    @property
    def allowed(self):
        never = self.program.get("never", {})
        return [at for at in self.points if not grid.spoilt(at, never)]

    @property
    def best(self):
        rated = [(self.rate(at), at) for at in self.allowed if self.rate(at)]
        return max(rated, key=lambda pair: pair[0])[1] if rated else None

    def to_run(self, at):
        """Whether a run of the point is left. What failed once is not tried again."""
        runs = self.runs.get(grid.name_of(at), [])
        if not runs or runs[0][2]:
            return not runs
        return len(runs) < ROUNDS and self._may_be_best(at, runs[0][0])

    def _may_be_best(self, at, rate):
        firsts = [self.runs[grid.name_of(one)][0][0] for one in self.allowed if self.runs.get(grid.name_of(one))]
        return at in self.allowed and rate >= MAY_BE_BEST * max(first or 0 for first in firsts)

    @property
    def complete(self):
        """Nothing is left to measure."""
        grid_done = not any(self.to_run(at) for at in self.points)
        return grid_done and self.tuned is not None and (self.contest is not None or self.best is None)

    @property
    def grid_runs(self):
        """Of a grid search that runs each point in every round: what fails is run once."""
        return sum(1 if runs[0][2] else ROUNDS for runs in self.runs.values())

    @property
    def grid_seconds(self):
        """Of such a search: a round that a point was left out of takes as long as those that it was in."""
        return sum(statistics.fmean(run[1] for run in runs) * (1 if runs[0][2] else ROUNDS) for runs in self.runs.values())

    @property
    def trials_seconds(self):
        """The grid's runs at the mean length of this tune's own trials, which end without a shutdown."""
        return self.grid_runs * self.tuned.seconds / max(self.tuned.trials, 1)

    @property
    def time_share(self):
        return self.tuned.seconds / min(self.grid_seconds, self.trials_seconds)

    @property
    def problems(self):
        out = []
        if self.tuned.document is None:
            return [f"tune gave no document: {self.tuned.output[-300:]}"]
        share = self.contest.ratio("tuned", "best")
        if share is None or share[0] < SHARE_BOUND:
            out.append(f"reaches {share[0]:.1%} of the best point" if share else "no contest")
        out += [f"contest: {failed}" for failed in self.contest.failed]
        if self.time_share > self.program.get("time_bound", TIME_BOUND):
            out.append(f"took {self.time_share:.0%} of the grid's time")
        for knob, value in self.tuned.kept.items():
            ratio = self.contest.ratio("tuned", f"tuned without {knob}")
            if ratio and ratio[0] < SLOWER_BOUND:
                out.append(f"keeps {knob}={value}, without which it is faster (x{ratio[0]:.3f})")
        return out + kept_badly(self.program, self.tuned)


def kept_badly(program, tuned):
    """What a tune with a document kept and must not: harmful values, anything where nothing helps, a doubtful loss; and a changed folder."""
    never = program.get("never", {})
    out = [f"keeps {knob}={value}" for knob, value in tuned.kept.items() if grid.forbidden(knob, value, never)]
    if program.get("nothing") and tuned.kept:
        out.append("keeps something where nothing helps")
    out += [f"keeps {row['knob']} with a loss gate that says {row['loss_gate']}"
            for row in tuned.document["trials"] if row["kept"] and row["loss_gate"] in ("failed", "inconclusive")]
    return out + ([f"the program's folder changed: {', '.join(tuned.changed[:3])}"] if tuned.changed else [])


def study(name, program, store, say=print, beside=""):
    """Measures what `store` (a JSON file) does not hold yet. The program is copied to a folder of its own."""
    out = load(name, program, store)
    if not out.complete:
        out.beside = beside or out.beside
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="oracle.") as folder:
        folder = Path(folder)
        words = point.prepare(program, folder / "program")
        where = (words, folder / "program", folder / "scratch")
        if out.tuned is None:
            out.tuned = tunes.tune(program, *where, ["--steps", program.get("tune_steps", program["steps"]), *program.get("options", [])])
            save(out, store)
            say(out.tuned.output)
        _measure_grid(out, where, store, say)
        if out.contest is None and out.best is not None:
            out.contest = contests.hold(program, *where, out.best, out.tuned, say)
            save(out, store)
    return out


def _measure_grid(out, where, store, say):
    words, cwd, scratch = where
    for number, at in grid.in_turns(out.points, ROUNDS):
        runs = out.runs.get(grid.name_of(at), [])
        if len(runs) > number or not out.to_run(at):
            continue
        measured = point.run(out.program, words, cwd, scratch, point=at, timeout=FAILED_POINT_S)
        out.runs[grid.name_of(at)] = [*runs, [measured.samples_per_s, measured.seconds, measured.problem]]
        save(out, store)
        say(f"    {number + 1}/{ROUNDS} {grid.name_of(at)}: {contests.rate_text(measured)}")


def load(name, program, store):
    out = Study(name, program, grid.points(program["grid"]))
    if not store.exists():
        return out
    kept = json.loads(store.read_text())
    if kept["program"] != program:
        raise SystemExit(f"{store} holds figures of {name} as it was; remove it, or ask for --fresh")
    out.runs = kept["runs"]
    out.beside = kept.get("beside", "")
    out.tuned = tunes.Tuned(**kept["tuned"]) if kept["tuned"] else None
    out.contest = contests.Contest(**kept["contest"]) if kept["contest"] else None
    return out


def save(out, store):
    store.parent.mkdir(parents=True, exist_ok=True)
    half = store.with_suffix(".half")
    half.write_text(json.dumps({
        "program": out.program,
        "runs": out.runs,
        "tuned": out.tuned.to_json() if out.tuned else None,
        "contest": out.contest.to_json() if out.contest else None,
        "beside": out.beside,
    }))
    half.replace(store)
