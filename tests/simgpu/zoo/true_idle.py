"""Why a simulated device idled, in truth: from the simulator's record and the program's own marks alone.

The simulator knows when the device ran what, when the host enqueued it, and when each of the host's calls began and
ended. The program knows when it fetched a batch, saved, evaluated, and when its first step began. Nothing of flatout
is used here, and nothing of what its hooks or CUPTI said.

The cause of each nanosecond in which nothing of the process runs on the device, which the next operation ends:

1. That operation is enqueued. Then the device is at it: `launch` for the time that the simulated device takes from an
   enqueued operation to its begin, where it waits for nothing else; the rest, in which it waits for another stream,
   another device or somebody else's work, is `unexplained`.
2. It is not. Then the host is late, and what it does at that moment is the cause. The program's marks come first:
       data         fetches a batch, builds the iterator
       checkpoint   saves, evaluates
       startup      before the first step: all of it
   then the call in which the thread is that enqueues the operation, or, where it is in none, the thread that trains:
       sync         waits for the device, a stream or an event
       copy         copies
       startup      takes or frees memory, loads code, makes streams and graphs
       launch       any other call, or none
3. Of `launch`, as much as a wait had cost belongs to that wait (`sync`, or `copy` where the host waited for a copy): a
   host that stands in such a call while the device works would without it have enqueued all that follows sooner by as
   long as it stood, and so each later gap would be shorter, until the gaps together are as long as it stood. Waits do
   not add up: what is owed is what the longest one cost that is not used up. Waits inside a mark of 2 owe nothing.
`peer` is a host that waits for other ranks in a mark of its own, which no program of the zoo has: a collective that
waits is a kernel, and busy. `throttle` never leaves a gap.
"""

import bisect
import json
from dataclasses import dataclass

from cut import boundaries
from truth import COPIES, union_ns

CAUSES = ("data", "copy", "launch", "sync", "peer", "startup", "checkpoint", "throttle", "unexplained")
LATENCY_NS = 5_000  # from the enqueueing of an operation to its begin, at most: core/device_spec.cc
OF_MARK = {"data_wait": "data", "epoch_gap": "data", "epoch_end": "data", "checkpoint": "checkpoint", "eval": "checkpoint"}
WAITS = ("sync", "copy")
SETUP = (
    "Malloc", "Free", "HostAlloc", "HostRegister", "MemAlloc", "MemFree", "MemCreate", "MemMap", "MemUnmap", "MemRelease", "MemSetAccess",
    "MemAddress", "Module", "Library", "StreamCreate", "CtxCreate", "DevicePrimaryCtxRetain", "Init", "GraphInstantiate",
)  # fmt: skip


def kind_of_call(name):
    """Of a name of the runtime or the driver."""
    bare = name.removeprefix("cuda") if name.startswith("cuda") else name.removeprefix("cu")
    if bare.split("_")[0].endswith("Synchronize"):
        return "sync"
    if bare.startswith("Memcpy"):
        return "copy"
    return "startup" if bare.startswith(SETUP) else "launch"


def matters(name):
    """Whether a call of this name keeps the host, or may enqueue something."""
    return kind_of_call(name) != "launch" or any(part in name for part in ("Launch", "Memset"))


class Intervals:
    """Disjoint (begin, end, what), in order."""

    def __init__(self, intervals):
        self.all = sorted(intervals)
        self.begins = [one[0] for one in self.all]

    def at(self, t):
        """(what, until the next change); what is None outside of all."""
        number = bisect.bisect_right(self.begins, t) - 1
        if number >= 0 and t < self.all[number][1]:
            return self.all[number][2], self.all[number][1]
        return None, self.begins[number + 1] if number + 1 < len(self.all) else float("inf")

    def between(self, begin, end):
        """Those that reach into that time."""
        number = max(0, bisect.bisect_right(self.begins, begin) - 1)
        while number < len(self.all) and self.all[number][0] < end:
            if self.all[number][1] > begin:
                yield self.all[number]
            number += 1


class Host:
    """What one process did, and when."""

    def __init__(self, calls, marks):
        self.main = marks["facts"]["pid"]
        spans = [tuple(span) for span in marks["spans"]]
        ordered = sorted(spans, key=lambda span: (span[1], -span[2]))
        self.end_ns = marks["facts"]["end_ns"]
        self.edges = boundaries(ordered, marks["loader"], self.end_ns)  # of its steps
        self.first_step_ns = self.edges[0] if self.edges else self.end_ns
        self.marks = Intervals(self._of_marks(ordered, self.first_step_ns))
        by_thread = {}
        for call in calls:
            by_thread.setdefault(call.thread, []).append((call.begin_ns, call.end_ns, kind_of_call(call.name)))
        self.threads = {thread: Intervals(found) for thread, found in by_thread.items()}
        self.by_correlation = {call.correlation: call.thread for call in calls}

    @staticmethod
    def _of_marks(spans, first_step_ns):
        """The outermost mark that names a cause; before the first step it is start-up."""
        found, reached = [(0, first_step_ns, "startup")], first_step_ns
        for name, begin, end in spans:
            if name in OF_MARK and end > reached:
                found.append((max(begin, reached), end, OF_MARK[name]))
                reached = end
        return found

    def thread_of(self, operation):
        return self.by_correlation.get(operation.correlation, self.main)

    def at(self, thread, t):
        """(cause, until) at that time."""
        cause, until = self.marks.at(t)
        if cause is not None:
            return cause, until
        for one in dict.fromkeys((thread, self.main)):
            what, ends = self.threads[one].at(t) if one in self.threads else (None, float("inf"))
            until = min(until, ends)
            if what is not None:
                return what, until
        return "launch", until

    def waits(self, begin, end, *threads):
        """(cause, how long the host stood) of each wait in that time, in order."""
        for thread in dict.fromkeys(one for one in threads if one in self.threads):
            for since, until, what in self.threads[thread].between(begin, end):
                if what in WAITS and self.marks.at(since)[0] is None:
                    yield what, min(until, end) - since


@dataclass
class Shares:
    """Of a device, over the times that are asked for."""

    window_ns: int
    busy: float
    compute: float
    comm_exposed: float
    copy_exposed: float
    idle_account: dict  # cause -> share; sums to 1 - busy


def is_collective(operation):
    return operation.kind == "kernel" and "nccl" in operation.name.lower()


def idle_pieces(operations, host):
    """[(begin, end, cause)] of all the time in which nothing runs, from the first operation to the last."""
    return list(Gaps(operations, host).pieces())


def shares(operations, idle, windows):
    """`operations`: all of one process on one device; `idle`: its pieces. `windows`: disjoint (begin, end), in order."""
    length = sum(end - begin for begin, end in windows)
    kernels = [one for one in operations if one.kind not in COPIES]
    own = [one for one in kernels if not is_collective(one)]
    busy, computes, compute = (sum(union_ns(some, *window) for window in windows) for some in (operations, kernels, own))
    sums = dict.fromkeys(CAUSES, 0)
    for begin, end, cause in idle:
        sums[cause] += sum(max(0, min(end, until) - max(begin, since)) for since, until in windows)
    account = {cause: ns / length for cause, ns in sums.items()}
    return Shares(length, busy / length, compute / length, (computes - compute) / length, (busy - computes) / length, account)


class Gaps:
    """Of one device."""

    def __init__(self, operations, host):
        self.operations, self.host = operations, host
        self.owed, self.owed_to, self.looked_until = 0, "sync", 0

    def pieces(self):
        reached = self.operations[0].start_ns
        for one in self.operations:  # in order of their start
            if one.start_ns > reached:
                yield from self.gap(one, reached, one.start_ns)
            reached = max(reached, one.end_ns)

    def gap(self, ends_with, begin, end):
        thread = self.host.thread_of(ends_with)
        for cause, stood in self.host.waits(self.looked_until, begin, thread, self.host.main):
            if stood >= self.owed:
                self.owed, self.owed_to = stood, cause
        self.looked_until = end
        enqueued = max(ends_with.enqueued_ns, begin)
        yield from self.late(thread, begin, enqueued)
        started = max(enqueued, end - LATENCY_NS)
        if started > enqueued:
            yield enqueued, started, "unexplained"
        yield from self.slow(started, end)

    def late(self, thread, begin, end):
        while begin < end:
            cause, until = self.host.at(thread, begin)
            until = min(until, end)
            if cause == "launch":
                yield from self.slow(begin, until)
            else:
                if cause not in WAITS:
                    self.owed = max(0, self.owed - (until - begin))
                yield begin, until, cause
            begin = until

    def slow(self, begin, end):
        """The host, or the device's own way to the begin of what it has."""
        lost = min(self.owed, end - begin)
        self.owed -= lost
        if lost > 0:
            yield begin, begin + lost, self.owed_to
        if begin + lost < end:
            yield begin + lost, end, "launch"


def of_marks_file(path):
    return json.loads(path.read_text())
