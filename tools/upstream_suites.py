#!/usr/bin/env python3
"""Runs the suites that tools/run_upstream_suites.sh describes and writes what came of each test as a page.

What is expected not to pass stands with its reason in tools/upstream/not_applicable.toml; anything else that fails is a failure,
and so is a test that is listed there and passes. Exit status 1 if there is one.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

from wrap_docs import wrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "dataloader-compat.md"
EXPECTED = ROOT / "tools" / "upstream" / "not_applicable.toml"
# Not test_incremental_state.py, which tests classes inside torchdata, nor test_hugging_face.py, which needs the datasets package.
SUITES = {"torch": ["test/test_dataloader.py"],
          "torchdata": ["test/stateful_dataloader/test_%s.py" % name for name in ("dataloader", "state_dict", "sampler")]}
SILENT_S = 1200  # without the end of a test: it hangs, and counts as failed; some spawn fifty workers

Suite = collections.namedtuple("Suite", "kind checkout origin commit file")


def suites_of(checkout):
    checkout = pathlib.Path(checkout).resolve()
    for kind, files in SUITES.items():
        there = [file for file in files if (checkout / file).exists()]
        if there:
            commit, origin = (_git(checkout, *words) or "unknown" for words in (("rev-parse", "HEAD"), ("remote", "get-url", "origin")))
            origin = "/".join(origin.removesuffix(".git").split("/")[-2:])  # a fork's or a copy's suite is not called by torch's name
            return [Suite(kind, checkout, origin, commit, file) for file in there]
    sys.exit("%s: neither test/test_dataloader.py nor test/stateful_dataloader/ is in it" % checkout)


def _git(checkout, *words):
    return subprocess.run(["git", "-C", checkout, *words], capture_output=True, text=True).stdout.strip()


def run(suite, select):
    """{test: (outcome, why)}. A test that hangs is ended, and those behind it are run."""
    outcomes = {}
    while True:
        done, hung = _run_once(suite, select, list(outcomes))
        outcomes.update(done)
        if hung is None:
            return outcomes
        outcomes[hung] = ("failed", "no end within %d s" % SILENT_S)


def run_again(suite, outcomes, expected):
    """Tests that failed, alone: some give processes a number of seconds, which they do not have on a machine at work."""
    failed = [test for test, (outcome, _) in outcomes.items() if outcome == "failed" and not reason(expected, suite, test)]
    for test in failed:
        done, hung = _run_once(suite, None, [], [test])
        if hung is None and done:
            outcomes.update(done)
    return [test for test in failed if outcomes[test][0] == "passed"]


def _run_once(suite, select, over, only=()):
    path = [str(ROOT / "tools" / "upstream"), str(ROOT / "python")] + ([str(suite.checkout)] if suite.kind == "torchdata" else [])
    with tempfile.TemporaryDirectory() as folder:
        told = pathlib.Path(folder, "outcomes")
        told.touch()
        environment = dict(os.environ, FLATOUT_UPSTREAM=suite.kind, FLATOUT_UPSTREAM_OUTCOMES=str(told), PYTHONDONTWRITEBYTECODE="1",
                           PYTHONPATH=os.pathsep.join(path + [os.environ.get("PYTHONPATH", "")]))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "record_outcomes", "-p", "no:cacheprovider", "--tb=short"]
        command += only or [suite.file]
        command += ["-k", select] if select else []
        command += [word for test in over for word in ("--deselect", test)]
        child = subprocess.Popen(command, cwd=suite.checkout, env=environment, start_new_session=True)
        hung = _wait(child, told)
        lines = [json.loads(line) for line in told.read_text().splitlines()]
    done, began = {}, None
    for line in lines:
        if line["outcome"] == "began":
            began = line["test"]
        elif done.get(line["test"], ("",))[0] != "failed":
            done[line["test"]] = (line["outcome"], line["why"])
    if not lines and child.returncode not in (0, 5):
        sys.exit("%s: pytest ended with %d before the first test; what is above says why" % (suite.file, child.returncode))
    crashed = child.returncode not in (0, 1, 5) or hung
    return done, began if crashed and began not in done else None


def _wait(child, told):
    """True where it had to be ended."""
    size, since = -1, time.monotonic()
    while True:
        try:
            child.wait(1)
            return False
        except subprocess.TimeoutExpired:
            pass
        if told.stat().st_size != size:
            size, since = told.stat().st_size, time.monotonic()
        elif time.monotonic() - since > SILENT_S:
            os.killpg(child.pid, 9)
            child.wait()
            return True


def reason(expected, suite, test):
    for entry in expected:
        if entry["suite"] in suite.file and any(fnmatch.fnmatch(test.partition("::")[2], one) for one in entry["tests"]):
            return entry["reason"]
    return None


def sort_out(suite, outcomes, expected):
    """(passed, {reason: tests} not applicable, {reason: tests} skipped by the suite itself, [(test, why)] failed)."""
    passed, excused, skipped, failed = [], collections.defaultdict(list), collections.defaultdict(list), []
    for test, (outcome, why) in sorted(outcomes.items()):
        known = reason(expected, suite, test)
        if outcome == "skipped":
            skipped[why.removeprefix("Skipped: ")].append(test)
        elif outcome == "passed":
            passed.append(test) if known is None else failed.append((test, "passes, but is listed as not applicable: " + known))
        else:
            excused[known].append(test) if known else failed.append((test, why))
    return passed, excused, skipped, failed


def page(results):
    import torch

    lines = ["# Upstream suites against flatout.torch.DataLoader", "",
             "Written by `tools/run_upstream_suites.sh` with torch %s, Python %s. The checkouts are not stored." % (
                 torch.__version__, sys.version.split()[0]), "",
             "| suite | repository | commit | passed | not applicable | skipped by itself | failed |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for suite, (passed, excused, skipped, failed, _) in results:
        count = [len(passed), sum(map(len, excused.values())), sum(map(len, skipped.values())), len(failed)]
        lines.append("| %s `%s` | %s | `%s` | %d | %d | %d | %d |" % (suite.kind, suite.file, suite.origin, suite.commit[:12], *count))
    for kind in SUITES.keys() - {suite.kind for suite, _ in results}:
        lines += ["", "No checkout of %s was given: its suite was not run.%s" % (
            kind, " torchdata's `test_dataloader.py` is adapted from it." if kind == "torch" else "")]
    for suite, (_, excused, skipped, failed, again) in results:
        if again:
            lines += ["", "`%s`: passed when run again alone: %s." % (pathlib.Path(suite.file).name, ", ".join("`%s`" % _short(test) for test in again))]
        for title, groups in (("Not applicable", excused), ("Skipped by the suite", skipped)):
            if groups:
                lines += ["", "## %s: %s `%s`" % (title, suite.kind, pathlib.Path(suite.file).name), ""]
                lines += ["- %s: %s" % (why, ", ".join("`%s`" % _short(test) for test in tests)) for why, tests in sorted(groups.items())]
        if failed:
            lines += ["", "## Failed: %s `%s`" % (suite.kind, pathlib.Path(suite.file).name), ""]
            lines += ["- `%s`: %s" % (_short(test), why.replace("|", "\\|")[:200]) for test, why in failed]
    return "\n".join(lines) + "\n"


def _short(test):
    return test.partition("::")[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="+")
    parser.add_argument("-k", dest="select", help="only these tests, as pytest's -k; the page is then printed, not written")
    arguments = parser.parse_args()
    expected = tomllib.loads(EXPECTED.read_text())["not_applicable"]
    results = []
    for suite in [suite for checkout in arguments.checkout for suite in suites_of(checkout)]:
        outcomes = run(suite, arguments.select)
        again = run_again(suite, outcomes, expected)
        results.append((suite, (*sort_out(suite, outcomes, expected), again)))
    text = wrap(page(results))
    sys.stdout.write(text) if arguments.select else PAGE.write_text(text)
    return 1 if any(failed for _, (_, _, _, failed, _) in results) else 0


if __name__ == "__main__":
    sys.exit(main())
