"""Many and odd processes: forks without exec, short lives, nothing left behind."""

import harness
from scene import python, rings_left


def test_fork_without_exec(flatout, tmp_path):
    command = python("forks.py", 8)
    plain = harness.run_plain(command)
    observed = harness.run_observed(command, tmp_path)
    assert (observed.out, observed.err, observed.code) == (plain.out, plain.err, 0)
    assert observed.report["steps"]["count"] == 40, "the children's steps are not the parent's"
    assert observed.report["overhead"]["dropped"] == 0
    assert rings_left(observed) == []


def test_300_short_lived_children(flatout, tmp_path):
    command = python("many_children.py")
    plain = harness.run_plain(command)
    observed = harness.run_observed(command, tmp_path)
    assert plain.code == 0, plain.err
    assert (observed.out, observed.err, observed.code) == (plain.out, plain.err, 0)
    assert observed.report["steps"]["count"] == 30
    assert observed.report["run"]["state"] == "finished"
    assert rings_left(observed) == []
