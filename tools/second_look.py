"""A second look at the few tests of a suite that failed, alone on the machine.

Many tests start real programs and wait for what these do. On two cores with compilers beside them one of thousands now
and then looks a moment too early. That is a fault, of the test or of the product, and is named as one: `unstable` in the
suite's line and in the last lines. It does not make the suite fail, as long as there are few: what is broken fails again,
and where more tests failed than an accident explains nobody looks a second time.
"""

import dataclasses

MOST = 3  # of a suite, and of a whole run


def second_look(tally, again):
    """`tally`, or what it becomes where `again(names)`, the tally of the failed tests alone, has all of them passed."""
    if not 0 < tally.failed <= MOST or len(tally.failures) != tally.failed or tally.note:
        return tally
    names = list(tally.failures)
    print(f"\n  a second look, alone, at {', '.join(names)}", flush=True)
    second = again(names)
    if second.failed or second.passed < tally.failed:
        return tally
    return dataclasses.replace(tally, passed=tally.passed + tally.failed, failed=0, failures=[], unstable=names)
