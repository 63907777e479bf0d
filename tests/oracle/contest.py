"""What was tuned against the best point of the grid, run in turns.

The best of many points is the luckiest of them, too, so that its rate in the grid is too high. Both are run
anew here, in turns, with the program as it is, and with each knob of the plan left out."""

import statistics
from dataclasses import asdict, dataclass, field

import grid
import point

ROUNDS = 3


@dataclass
class Contest:
    rates: dict = field(default_factory=dict)  # arm -> samples a second, one a round; None where it failed
    failures: list = field(default_factory=list)  # "round 2, tuned: why", one a run without a rate
    to_json = asdict

    @property
    def failed(self):
        """What each run without a rate was, in words. A plan that fails in one round of three is a plan that fails."""
        without = [name for name, rates in self.rates.items() if not all(rates)]
        return self.failures or [f"a run of {name} failed" for name in without]

    def ratio(self, arm, to):
        """Median, least and most of the ratios of those rounds in which both ran; None where there is none."""
        pairs = [a / b for a, b in zip(self.rates[arm], self.rates[to]) if a and b]
        if not pairs:
            return None
        return statistics.median(pairs), min(pairs), max(pairs)


def arms(best, tuned, scratch):
    """name -> arguments of point.run."""
    out = {"as it is": {}, "best": {"point": best}}
    if not tuned.kept:
        return out
    scratch.mkdir(parents=True, exist_ok=True)
    for left_out in (None, *tuned.kept):
        name = "tuned" if left_out is None else f"tuned without {left_out}"
        file = scratch / f"{name.replace(' ', '_')}.toml"
        file.write_text(without(tuned.plan, left_out))
        out[name] = {"plan": file}
    return out


def without(plan, knob):
    """The plan's text less one knob: its line in [knobs], or its [[knob]]. Evidence of it is left aside by flatout."""
    if knob is None:
        return plan
    own = f'[[knob]]\nname = "{knob.removeprefix("user.")}"\n'
    parts = [part for part in plan.split("\n\n") if not part.startswith(own)]
    lines = "\n\n".join(parts).splitlines()
    return "\n".join(line for line in lines if not line.replace('"', "").startswith(f"{knob} = ")) + "\n"


def hold(program, words, cwd, scratch, best, tuned, say=print, rounds=ROUNDS):
    out = Contest()
    sides = arms(best, tuned, scratch)
    for number, (name, how) in grid.in_turns(sides.items(), rounds, seed=100):
        measured = point.run(program, words, cwd, scratch / "run", **how)
        out.rates.setdefault(name, []).append(measured.samples_per_s)
        if not measured.samples_per_s:
            out.failures.append(f"round {number + 1}, {name}: {measured.problem}")
        say(f"    contest {number + 1}/{rounds} {name}: {rate_text(measured)}")
    if not tuned.kept:
        out.rates["tuned"] = out.rates["as it is"]
    return out


def rate_text(measured):
    return f"{measured.samples_per_s:.1f} samples/s" if measured.samples_per_s else measured.problem
