"""Texts of help, ls, rm and doctor at 60, 80 and 160 columns, with and without colour, as they are kept in golden/.

FLATOUT_WRITE_GOLDEN=1 writes them anew: read the difference as a stranger would.
"""

import json
import os
import re
from pathlib import Path

import pytest

from terminals import shown
from test_verbs import record

GOLDEN = Path(__file__).parent / "golden"
COLUMNS = (60, 80, 160)


def held(name, text):
    path = GOLDEN / name
    if os.environ.get("FLATOUT_WRITE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text, f"{path.name} says otherwise; FLATOUT_WRITE_GOLDEN=1 writes it anew"


def as_kept(text):
    """Escapes as people read them."""
    return text.replace("\x1b", "<ESC>")


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("verb", [[], ["run"], ["ls"], ["rm"], ["report"], ["tune"]], ids=lambda words: " ".join(words) or "flatout")
def test_help(cli, verb, columns):
    seen, code = shown(cli, "help", *verb, columns=columns)
    assert code == 0
    held(f"help-{verb[0] if verb else 'flatout'}-{columns}.txt", seen.decode())


def a_store(cli):
    """Runs of every kind, with ids, times and sizes that stay."""
    record(cli, "--name", "grün", script="exit 0")
    record(cli, "--name", "学習-8", script="exit 3")
    tune = record(cli)
    (cli.home / "runs" / tune / "tune.journal").write_text("")
    cli("tag", "grün", "baseline")
    return {run["id"]: number for number, run in enumerate(reversed(json.loads(cli("ls", "--format", "json").stdout)["runs"]))}


def still(text, ids):
    """Ids, times and sizes of this run of the test in their places, as wide as they are."""
    for run_id, number in ids.items():
        text = text.replace(run_id, f"id{number}".ljust(len(run_id), "x"))
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-01-02 03:04", text)
    return re.sub(r" *[\d.]+ (s|kB)(?=  )", lambda found: found[1].rjust(len(found[0])), text)


def squeezed(text):
    """Without what depends on how wide figures are."""
    return re.sub(r" {2,}", "  ", text)


@pytest.mark.parametrize("colour", ["never", "always"])
@pytest.mark.parametrize("columns", COLUMNS)
def test_ls(cli, columns, colour):
    ids = a_store(cli)
    seen, code = shown(cli, "ls", "--color", colour, columns=columns)
    assert code == 0
    held(f"ls-{columns}-{colour}.txt", squeezed(as_kept(still(seen.decode(), ids))))


def test_rm(cli):
    ids = a_store(cli)
    seen, code = shown(cli, "rm", "--dry-run", *ids)
    assert code == 0
    held("rm.txt", still(seen.decode(), ids))


@pytest.mark.parametrize("colour", ["never", "always"])
@pytest.mark.parametrize("columns", COLUMNS)
def test_doctor(cli, columns, colour):
    """Of its lines those that say the same on every machine."""
    seen, code = shown(cli, "doctor", "--color", colour, columns=columns)
    lines = as_kept(seen.decode()).splitlines()
    kept = [line for line in lines if re.search(r"flatout \d|rights|can record|records less", line)]
    assert all(len(re.sub(r"<ESC>\[\d*m", "", line)) <= columns for line in lines if "/" not in line), lines
    if code == 0:
        held(f"doctor-{columns}-{colour}.txt", "\n".join(kept) + "\n")
