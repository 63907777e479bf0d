"""The points of a grid: one value of each knob."""

import itertools
import random

WORKERS = "dataloader.num_workers"
PREFETCH = "dataloader.prefetch_factor"


def points(grid):
    """The cross product of `grid` (knob -> values), each point as {knob: value}.

    Without workers nothing is prefetched, so that of the points that differ in
    that alone one is left."""
    seen, out = set(), []
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values))
        if point.get(WORKERS) == 0:
            point.pop(PREFETCH, None)
        key = tuple(sorted(point.items()))
        if key not in seen:
            seen.add(key)
            out.append(point)
    return out


def name_of(point):
    return " ".join(f"{_short(knob)}={_text(value)}" for knob, value in point.items()) or "as it is"


def _short(knob):
    """"dataloader.num_workers" -> "num_workers", "arg:--workers={}" -> "workers"."""
    return knob.split(":")[-1].removesuffix("={}").removeprefix("--").split(".")[-1]


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_turns(points, rounds, seed=0):
    """(round, point) for every point in every round, each round in an order of its own, so that
    what changes with time on the machine is spread over all points."""
    for number in range(rounds):
        order = list(points)
        random.Random(seed + number).shuffle(order)
        for point in order:
            yield number, point


def spoilt(point, never):
    """Whether the point has a value that must not be kept: `never` is knob -> list of values or {above: n}."""
    return any(forbidden(knob, value, never) for knob, value in point.items())


def forbidden(knob, value, never):
    rule = never.get(knob)
    if rule is None:
        return False
    if isinstance(rule, dict):
        return value > rule["above"]
    return value in rule
