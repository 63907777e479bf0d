"""A loader, a clock and a link to a peer that do as the test says."""

import numpy as np
from loaderbench import check_set
from loaderbench.image_folder import MEAN, SIDE, STD


class Clock:
    """Time moves only when a fake says so."""

    def __init__(self):
        self.now_ns = 0

    def __call__(self):
        return self.now_ns

    def wait(self, deadline_ns):
        self.now_ns = max(self.now_ns, deadline_ns)


class TimedLoader:
    """Batches of the given sizes; each costs the clock what `costs_ns` says, the first after `start_ns`."""

    def __init__(self, clock, sizes, costs_ns, start_ns=0):
        self.clock, self.sizes, self.costs_ns, self.start_ns = clock, sizes, costs_ns, start_ns

    def __iter__(self):
        self.clock.now_ns += self.start_ns
        for size, cost in zip(self.sizes, self.costs_ns):
            self.clock.now_ns += cost
            yield None, list(range(size))


def image_of(number, left=0.1, width=0.6, flipped=False, channels="rgb"):
    """What a right loader makes of picture `number` of the check set, as float32 CHW."""
    red, blue = check_set.colour_of(number)
    rise = check_set.GREEN_HIGH - check_set.GREEN_LOW
    green = check_set.GREEN_LOW + rise * (left + width * np.linspace(0, 1, SIDE))
    row = np.empty((3, SIDE))
    row[0], row[1], row[2] = red, green[::-1] if flipped else green, blue
    row = row[["rgb".index(c) for c in channels]]
    row = ((row / 255 - np.array(MEAN)[:, None]) / np.array(STD)[:, None]).astype(np.float32)
    return np.broadcast_to(row[:, None, :], (3, SIDE, SIDE))


class CheckLoader:
    """Gives the check set as a right loader does, unless told how to be wrong: `change` maps the epoch's numbers to others."""

    def __init__(self, batch_size=64, change=lambda numbers: numbers, seed=0, label_of=lambda n: n, **image):
        self.batch_size, self.change, self.label_of, self.image = batch_size, change, label_of, image
        self.rng = np.random.default_rng(seed)

    def one(self, number):
        width = self.image.get("width", np.clip(self.rng.normal(0.635, 0.17), 0.2, 1))
        flipped = self.image.get("flipped", self.rng.random() < 0.5)
        return image_of(number, 0, width, flipped, self.image.get("channels", "rgb"))

    def __iter__(self):
        numbers = list(self.change(self.rng.permutation(check_set.PICTURES).tolist()))
        for begin in range(0, len(numbers), self.batch_size):
            batch = numbers[begin:begin + self.batch_size]
            yield np.stack([self.one(n) for n in batch]), np.array([self.label_of(n) for n in batch])


def started(**changed):
    return {"why_not": None, "versions": {"peer": "1"}, "pid": 1, "packed": False, "differs": [], "thread_counts": [2],
            "ready_ns": 2_000_000_000, **changed}


def answered_epoch(samples, wall_ns, batch=64):
    batches = -(-samples // batch)
    return {"samples": samples, "batches": batches, "wall_ns": wall_ns, "first_ns": wall_ns // 10,
            "waits_ns": [wall_ns // batches] * batches, "cpu_ns": wall_ns * 2, "starvation": 0.25}


class Link:
    """A peer whose epochs take `wall_ns`; `answers` overrides what it says to an order. `log` gets (name, what) of all links."""

    class process:
        pid = 1

    def __init__(self, name, log, wall_ns, samples=640, answers=None):
        self.name, self.log, self.wall_ns, self.samples, self.answers, self.began_ns = name, log, wall_ns, samples, answers or {}, 0

    def ask(self, do, limit_s=0, **order):
        self.log.append((self.name, do))
        if do in self.answers:
            answer = self.answers[do](order) if callable(self.answers[do]) else self.answers[do]
            if isinstance(answer, Exception):
                raise answer
            return answer
        return {"start": started(), "prepare": {"packed_bytes": None, "took_ns": 0}, "open": {"opened_ns": 10**8},
                "check": {"problems": [], "samples": 266}, "epoch": answered_epoch(self.samples, self.wall_ns)}[do]

    def pause(self):
        self.log.append((self.name, "pause"))

    def go_on(self):
        self.log.append((self.name, "go on"))

    def end(self):
        self.log.append((self.name, "end"))
