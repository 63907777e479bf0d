"""A pytest plugin: one line of JSON a test, as soon as it is over, into the file that FLATOUT_UPSTREAM_OUTCOMES names."""

import json
import os


def _say(**outcome):
    with open(os.environ["FLATOUT_UPSTREAM_OUTCOMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps(outcome) + "\n")


def pytest_runtest_logstart(nodeid, location):
    del location
    _say(test=nodeid, outcome="began", why="")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        _say(test=report.nodeid, outcome=report.outcome, why=_why(report.longrepr))


def _why(told):
    if isinstance(told, tuple):
        return told[2]
    crash = getattr(told, "reprcrash", None)
    return (crash.message if crash is not None else str(told or "")).strip().partition("\n")[0]
