"""The process of one peer: reads orders as JSON lines from standard input, answers each with one on standard output's first owner.

    python -m loaderbench.peer_process NAME

What libraries print goes to standard error. Times are CLOCK_MONOTONIC, which the parent shares. Any exception of a peer becomes an
answer {"error": ...}: one that fails must not take the others' figures with it.
"""

import json
import os
import resource
import sys
import time
import traceback

from . import adapters, check, check_set, process_tree
from .epoch import run_epoch, starvation


def cpu_ns():
    """CPU time of this process, its ended children and all that live below it."""
    own = sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    below = process_tree.tree(os.getpid())
    below.pop(os.getpid(), None)
    return round(own * 1e9) + sum(ticks + reaped for _, ticks, reaped in below.values()) * process_tree.TICK_NS


class Peer:
    def __init__(self, name):
        self.adapter, self.loader = adapters.load(name), None

    def start(self, order):
        reason = self.adapter.why_not()
        answer = {"why_not": reason, "versions": {} if reason else self.adapter.versions(), "pid": os.getpid(),
                  "packed": self.adapter.packed, "differs": list(self.adapter.differs),
                  "thread_counts": self.adapter.thread_counts(order["cores"])}
        return {**answer, "ready_ns": time.monotonic_ns()}

    def prepare(self, order):
        began = time.monotonic_ns()
        return {"packed_bytes": self.adapter.prepare(order["folder"], order["packed"]), "took_ns": time.monotonic_ns() - began}

    def open(self, order):
        self.close(order)
        began = time.monotonic_ns()
        self.loader = self.adapter.open(order["folder"], order["packed"], order["batch_size"], order["threads"], order["seed"])
        return {"opened_ns": time.monotonic_ns() - began}

    def epoch(self, order):
        before, stages = cpu_ns(), self._stages()
        epoch = run_epoch(self.loader, step_ns=order.get("step_ns", 0), at_most_batches=order.get("at_most_batches"))
        return {"samples": epoch.samples, "batches": epoch.batches, "wall_ns": epoch.wall_ns, "first_ns": epoch.first_ns,
                "waits_ns": epoch.waits_ns, "cpu_ns": cpu_ns() - before, "starvation": starvation(epoch),
                "stages": {key: value - stages[key] for key, value in self._stages().items()}}

    def _stages(self):
        """Nanoseconds by stage since the loader was opened, where it counts them itself."""
        return self.adapter.stages(self.loader)

    def check(self, order):
        self.open(order)
        problems = check.check(self.loader, order["batch_size"], lambda loader, visit: run_epoch(loader, visit=visit))
        return {"problems": problems, "samples": check_set.PICTURES}

    def close(self, order):
        close = getattr(self.loader, "close", None)
        self.loader = None
        if callable(close):
            close()
        return {}


def serve(peer, orders, answers):
    for line in orders:
        order = json.loads(line)
        try:
            answer = getattr(peer, order["do"])(order)
        except Exception as problem:
            traceback.print_exc()
            answer = {"error": f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    orders = os.fdopen(os.dup(0), "r")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # workers must not read our orders
    serve(Peer(sys.argv[1]), orders, answers)
    answers.flush()
    os._exit(0)  # a library's threads must not hold the end up


if __name__ == "__main__":
    main()
