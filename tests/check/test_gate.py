"""flatout check: what it ends with, and what it writes."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import junitparser
import pytest

import harness

HOSTILE = "<b>&\"'|`x`](y)@all\x1b[2J"


def test_a_run_that_keeps_its_budget(checked):
    done = checked("same", "--baseline", "base")
    assert (done.returncode, done.stderr) == (0, b""), done.stdout.decode()
    text = done.stdout.decode()
    assert "PASSED, all 8 lines are kept" in text
    assert "skipped   idle.sync" in text and "there is no kernel trace" in text


def test_a_run_that_does_not(checked):
    done = checked("slow", "--baseline", "base")
    assert (done.returncode, done.stderr) == (1, b"")
    lines = done.stdout.decode().splitlines()
    assert "FAILED" in "".join(lines[:2])
    words = [line.split()[:2] for line in lines if line.startswith(("OVER", "ok"))]
    assert ["OVER", "step.median_ms"] == words[0]  # what is not kept comes first
    assert [word for word, _ in words] == sorted((word for word, _ in words))  # "OVER" < "ok"
    assert sum("proved worse" in line for line in lines) == 2


def test_without_a_baseline_its_lines_are_not_kept(checked):
    done = checked("base")
    assert done.returncode == 1
    assert b"no baseline was given" in b" ".join(done.stdout.split())


@pytest.mark.parametrize(
    "run, options, budget, said",
    [
        ("nobody", (), "[limits]\nstep.count = {min = 1}", "nobody"),
        ("base", ("--baseline", "nobody"), "[limits]\nstep.count = {min = 1}", "nobody"),
        ("base", (), "[limits]\nstep.meadian_ms = {max = 1}", "budget.toml, line 2"),
        ("base", (), "", "a budget needs a limit"),
        ("base", ("--out", "/nowhere/x"), "[limits]\nstep.count = {min = 1}", "/nowhere"),
    ],
)
def test_what_cannot_be_checked_is_no_failure_of_the_run(checked, run, options, budget, said):
    done = checked(run, *options, budget=budget)
    assert done.returncode == 2 and done.stdout == b""
    assert said in done.stderr.decode() and done.stderr.count(b"\n") == 1


def test_a_missing_budget(checked):
    done = checked.flatout("check", "base", "--budget", "nowhere.toml")
    assert done.returncode == 2 and b"nowhere.toml" in done.stderr
    assert checked.flatout("check", "base").returncode == 2


def test_json_keeps_to_its_schema(checked):
    done = checked("slow", "--baseline", "base", "--format", "json")
    document = json.loads(done.stdout, parse_constant=pytest.fail)
    schema = json.loads((harness.ROOT / "schema/check.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["passed"] is False
    change = next(line for line in document["lines"] if line["id"] == "baseline.step.mean_ms")["change"]
    assert change["interval"][0] < change["worse"] < change["interval"][1] and change["interval"][0] > 1


def test_junit_is_read_by_parsers(checked):
    done = checked("slow", "--baseline", "base", "--format", "junit", "--out", "check.xml")
    assert done.returncode == 1 and b"FAILED" in done.stdout  # the text goes to stdout beside the file
    suites = junitparser.JUnitXml.fromfile(str(checked.folder / "check.xml"))
    assert (suites.tests, suites.errors) == (8, 0)
    (suite,) = suites
    failed = [case.name for case in suite if any(isinstance(result, junitparser.Failure) for result in case.result)]
    assert len(failed) == suites.failures and "step.median_ms" in failed
    assert [case.name for case in suite if any(isinstance(result, junitparser.Skipped) for result in case.result)] == ["idle.sync"]


def test_names_of_anybody_stay_text(checked):
    checked.flatout("run", "--quiet", "--name", HOSTILE, "--", "sh", "-c", "exit 0")
    budget = '[values]\n"<b>|@all\\u0000\\u001b[2J]]>" = {max = 1}\n[run]\nstates = ["finished"]'
    for kind in ("text", "json", "markdown", "junit"):
        done = checked("latest", "--format", kind, budget=budget)
        assert done.returncode == 1, done.stderr
        assert b"\x1b" not in done.stdout and b"\0" not in done.stdout
        if kind == "json":
            assert json.loads(done.stdout)["run"]["name"] == HOSTILE
        if kind == "junit":
            suite = ElementTree.fromstring(done.stdout).find("testsuite")
            assert suite is not None and "<b>&\"'|`x`](y)@all" in suite.get("name", "")
        if kind == "markdown":
            assert b"<b>" not in done.stdout and b"@" not in done.stdout and b"`" not in done.stdout


def test_what_a_tracker_sums_up(checked):
    program = Path(__file__).parent / "programs/tracks.py"
    done = subprocess.run(
        [harness.flatout_bin(), "run", "--quiet", "--name", "tracked", "--", sys.executable, program],
        env=harness.environment(FLATOUT_HOME=checked.folder / "home", PYTHONPATH=harness.ROOT / "python"),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    budget = "[values]\nloss = {max = 2}\n\"loss.min\" = {max = 1}\nlr = {max = 0.1}\nacc.top1 = {min = 0.8}\nnote = {max = 1, optional = true}"
    done = checked("tracked", "--format", "json", budget=budget)
    document = json.loads(done.stdout)
    assert [(line["id"], line.get("value")) for line in document["lines"]] == [
        ("values.loss", 2), ("values.loss.min", 1), ("values.lr", 0.1), ("values.acc.top1", 0.8), ("values.note", None),
    ]  # fmt: skip
    assert done.returncode == 0
