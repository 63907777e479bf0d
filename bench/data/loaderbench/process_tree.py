"""CPU time and memory of a process and all below it, from /proc."""

import os

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """(parent, own ticks, ticks of reaped children), or None where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


def tree(root):
    """{pid: its stat} of the root and all its descendants that are there now."""
    everyone = {int(name): _stat(name) for name in os.listdir("/proc") if name.isdigit()}
    everyone = {pid: stat for pid, stat in everyone.items() if stat}
    below, grown = {root} & everyone.keys(), True
    while grown:
        more = {pid for pid, stat in everyone.items() if stat[0] in below} - below
        below, grown = below | more, bool(more)
    return {pid: everyone[pid] for pid in below}


def cpu_ns(root):
    """CPU time that the tree has taken so far, including what has ended and was waited for. In steps of a clock tick."""
    return sum(own + reaped for _, own, reaped in tree(root).values()) * TICK_NS


def _rollup(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            lines = file.readlines()[1:]
    except OSError:
        return {}
    return {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss")}


def pss_bytes(root):
    """(all, of which pages of files) of the tree's proportional set size. A page of the page cache that is mapped counts as a file's."""
    parts = [_rollup(pid) for pid in tree(root)]
    return sum(p.get("Pss", 0) for p in parts), sum(p.get("Pss_File", 0) for p in parts)
