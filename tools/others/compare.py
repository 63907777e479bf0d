"""Is what a program prints and writes under flatout what it prints and writes without?

Two bare runs say what the program itself varies: times, progress, what is by
chance. Only that may differ.
"""

import dataclasses
import re

# Progress that is drawn anew as time passes, so that its number of lines is by chance.
PROGRESS = re.compile(r"\d+%\||it/s[\],]|s/it[\],]|examples/s\]|[━╸]|\x1b\[")
CLOCK = re.compile(r"\d+[-/]\d+[-/]\d+[ T]\d+:\d+:\d+([.,]\d+)?|\d+:\d\d:\d\d(\.\d+)?")
NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
MARK = "#"


def lines_of(text):
    """Lines, without those of progress; spaces that only align count as one. A carriage return begins a line anew."""
    lines = re.split(r"[\r\n]+", text.replace("\b", ""))
    return [CLOCK.sub("(time)", " ".join(line.split())) for line in lines if line.strip() and not PROGRESS.search(line)]


def words_of(line):
    return NUMBER.split(line)


def shape(line):
    return NUMBER.sub(MARK, line)


@dataclasses.dataclass(frozen=True)
class Difference:
    same: bool
    varies: int = 0  # lines in which bare runs differ, too
    first: tuple = ()  # the first line that differs: bare, under flatout


def varying_columns(first, second):
    """{shape: the numbers of it, by place, that differ in any two lines of the bare runs}: one that is equal by chance varies, too."""
    columns = {}
    for one, two in zip(first, second):
        if one != two and shape(one) == shape(two):
            differ = {n for n, (a, b) in enumerate(zip(words_of(one), words_of(two))) if a != b}
            columns.setdefault(shape(one), set()).update(differ)
    return columns


def line_differs(one, two, other, columns):
    """Whether `other` says something else where both bare runs say the same."""
    if other in (one, two):
        return False
    if shape(one) != shape(two):
        return shape(other) not in (shape(one), shape(two))
    if shape(other) != shape(one):
        return True
    free = columns.get(shape(one), set())
    return any(a != b for n, (a, b) in enumerate(zip(words_of(one), words_of(other))) if n not in free)


def compare(one, two, other):
    """What `other` printed, beside two bare runs."""
    first, second, third = (lines_of(text) for text in (one, two, other))
    if len(first) != len(second):
        return compare_shapes(first, second, third)
    columns = varying_columns(first, second)
    for a, b, c in zip(first, second, third):
        if line_differs(a, b, c, columns):
            return Difference(False, first=(a, c))
    if len(first) != len(third):
        short = min(len(first), len(third))
        return Difference(False, first=((first + [""])[short], (third + [""])[short]))
    return Difference(True, varies=sum(a != b for a, b in zip(first, second)))


def compare_shapes(first, second, third):
    """Bare runs of different lengths: each shape of line that both have, `third` must have, and no others."""
    shapes = [{shape(line) for line in lines} for lines in (first, second, third)]
    lost = sorted((shapes[0] & shapes[1]) - shapes[2])
    new = sorted(shapes[2] - shapes[0] - shapes[1])
    if lost or new:
        return Difference(False, first=((lost or [""])[0], (new or [""])[0]))
    return Difference(True, varies=len(shapes[0] ^ shapes[1]))


def compare_files(one, two, other):
    """Files as {name: digest}. Names may vary in their numbers where those of bare runs do."""
    names = [{n if n in one and n in two else shape(n): d for n, d in files.items()} for files in (one, two, other)]
    if names[0].keys() != names[2].keys():
        lost, new = (sorted(names[a].keys() - names[b].keys()) for a, b in ((0, 2), (2, 0)))
        return Difference(False, first=(", ".join(lost), ", ".join(new)))
    for name, digest in names[2].items():
        if names[0][name] == names[1].get(name) != digest:
            return Difference(False, first=(name, f"{name} with other bytes"))
    return Difference(True, varies=sum(names[1].get(n) != d for n, d in names[0].items()))
