"""What an advised change gives: the program plain, as it is and as advised, and its own steps' time."""

import statistics
from dataclasses import dataclass

import observe
from cut import steps_of


@dataclass
class Gain:
    workers: int
    predicted: float
    interval: tuple
    measured: float
    spread: tuple  # least and largest of the repetitions

    @property
    def error(self):
        return self.predicted / self.measured - 1


def measure(name, report, folder, scale=1.0, repetitions=3):
    """Interleaved and in alternating order: what the first of two runs leaves behind meets both alike."""
    to, predicted, interval = observe.predicted_gain(report)
    before = report.get("loader", {}).get("workers", 0)
    longer = scale * min(max(predicted, 1.0), 4.0)  # the same time for fewer seconds a step
    arms = {"as it is": (scale, before), "advised": (longer, to)}
    ratios = []
    for number in range(repetitions):
        order = list(arms) if number % 2 == 0 else list(reversed(arms))
        step_ns = {arm: steady_step_ns(name, folder / f"{number}-{arm[:2]}", *arms[arm]) for arm in order}
        ratios.append(step_ns["as it is"] / step_ns["advised"])
    return Gain(to, predicted, interval, statistics.median(ratios), (min(ratios), max(ratios)))


def steady_step_ns(name, folder, scale, workers):
    """Mean of the steps in which the loader's queue is neither filling nor running out."""
    folder.mkdir(parents=True, exist_ok=True)
    env = observe.environment(name, folder, scale, ZOO_WORKERS=workers)
    outcome = observe.harness.run_plain(observe.command(name), env=env)
    if outcome.code != 0:
        raise RuntimeError(f"{name}: exit {outcome.code}: {outcome.err.decode()[-2000:]}")
    prefetched = 2 * workers
    steps = steps_of(folder / "marks.json", [])[observe.WARM_UP + prefetched :]
    steady = steps[: len(steps) - prefetched]
    if len(steady) < 10:
        raise RuntimeError(f"{name}: too few steps with {workers} workers")
    return statistics.mean(step.own_ns for step in steady)
