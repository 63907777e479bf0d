"""One colour, one meaning; and what stands in one chart is told apart without red or green."""

import itertools
import pathlib
import re

import pytest

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "src/report/html/assets"

# What stands side by side in one chart. Striped ones are named apart: the stripes tell them from solid ones.
WAITING = ("data-wait", "h2d", "comm", "sync")
TOGETHER = {
    "phases that wait": WAITING,
    "phases that do not": ("forward", "backward", "optimizer", "checkpoint", "other"),
    "parts of a run": ("startup", "steps", "eval", "checkpoint", "epoch-gap", "end"),
    "processes": ("main", "worker", "launcher", "helper"),
    "two runs": ("run-a", "run-b"),
}
GROUND = {"page", "card", "text", "muted", "rule", "accent", "stripe"}
# Machado, Oliveira, Fernandes 2009, severity 1, in linear RGB.
SEEN = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def colours():
    text = (ASSETS / "colours.css").read_text()
    found = dict(re.findall(r"--([\w-]+): light-dark\((#\w+, #\w+)\)", text))
    assert len(found) > 30
    return {name: tuple(value.split(", ")) for name, value in found.items()}


def linear(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def oklab(rgb):
    r, g, b = (min(1, max(0, part)) for part in rgb)
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)  # noqa: E741
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def distance(one, other, seen):
    places = []
    for colour in (one, other):
        rgb = linear(colour)
        places.append(oklab([sum(weight * part for weight, part in zip(row, rgb)) for row in SEEN[seen]]))
    return sum((a - b) ** 2 for a, b in zip(*places)) ** 0.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_no_colour_has_two_meanings(theme):
    meanings = {name: values[theme] for name, values in colours().items() if name not in GROUND}
    for (one, a), (other, b) in itertools.combinations(meanings.items(), 2):
        assert distance(a, b, "all") > 0.025, (one, a, other, b)


def test_each_class_takes_its_colour_by_name_and_no_name_is_without_use():
    rules = "".join((ASSETS / name).read_text() for name in ("page.css", "plots.css"))
    assert not re.search(r"(fill|stroke|color|background): *#", re.sub(r"@media print.*", "", rules, flags=re.S))
    used = set(re.findall(r"var\(--([\w-]+)\)", rules))
    assert used == set(colours())


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_what_stands_together_is_told_apart(theme, seen):
    found = colours()
    for chart, names in TOGETHER.items():
        for one, other in itertools.combinations(names, 2):
            far = distance(found[one][theme], found[other][theme], seen)
            assert far > 0.05, (chart, one, other, round(far, 3))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(theme):
    def light(name):
        r, g, b = linear(colours()[name][theme])
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for text in ("text", "muted", "accent", "limit"):
        for ground in ("page", "card"):
            high, low = sorted((light(text), light(ground)), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
