"""What a suite did: counted from the JUnit reports of pytest, GoogleTest and ctest, never from an exit status alone."""

import dataclasses
import xml.etree.ElementTree as ElementTree

RETRIED_SHARE = 0.2  # of a suite's tests may measure twice; above it, either the machine or the test is not fit to tell


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    retried: int = 0  # measured twice, whatever became of it
    note: str = ""
    failures: list = dataclasses.field(default_factory=list)  # names, of those that have one
    unstable: list = dataclasses.field(default_factory=list)  # names of those that passed only when they were run alone

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.retried += other.retried
        self.failures = self.failures + other.failures
        self.unstable = self.unstable + other.unstable
        return self

    @property
    def text(self):
        """The counts, as they stand behind a suite's name and in the last line."""
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


class Skip(Exception):
    """This machine cannot run the suite; the text says why."""


def count_junit(path):
    """What one JUnit file (pytest's) or GoogleTest file says, case by case."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as problem:  # the terminal's colours in a message of Node's
        return Tally(failed=1, note=f"{path.name} cannot be read: {problem}")
    tally = Tally()
    for case in root.iter("testcase"):
        tally.retried += any(one.get("name") == "retried" for one in case.iter("property"))
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed += 1
            tally.failures.append(case.get("name", ""))
        elif case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed") \
                or case.get("status") == "notrun":
            tally.skipped += 1
        else:
            tally.passed += 1
    return tally


def count_ctest(ctest_xml, gtest_folder):
    """ctest knows programs, GoogleTest knows cases: cases count, and a program that left no report counts as one."""
    tally = Tally()
    reports = {path.stem: count_junit(path) for path in sorted(gtest_folder.glob("*.xml"))}
    for report in reports.values():
        tally += report
    for program in ElementTree.parse(ctest_xml).getroot().iter("testcase"):
        report = reports.get(program.get("name") + "_test")
        if program.get("status") != "run":
            # "fail" without a failed case is a crash, a time-out or a leak found at the end.
            # It has no name in `failures`: what a sanitizer finds shows once in many runs, and is no accident.
            tally.failed += 0 if report and report.failed else 1
        elif report is None:
            tally.passed += 1
    return tally


def bounded_retries(tally):
    """One more failure where too many tests measured twice: then passing says little."""
    if tally.retried:
        tally.note = "; ".join(filter(None, [tally.note, f"{tally.retried} measured twice"]))
    if tally.retried > RETRIED_SHARE * (tally.passed + tally.failed):
        tally.failed += 1
        tally.note += f", more than {RETRIED_SHARE:.0%}: run it again on a quieter machine"
    return tally
