"""The gradients' norm at updates of a trial. On real PyTorch, without a recorder."""

import json

import pytest
from hooked import main_ring, run
from planned import PROGRAMS

TAKEN = [*range(8), 11]  # the first ones, and the one with which the trial ends


def updates(folder, kind, **environment):
    folder.mkdir()
    done, rings = run(PROGRAMS / "grad_norms.py", kind, rings=folder, **environment)
    assert done.returncode == 0 and "hooks" not in done.stderr, done.stderr
    norms = {step: value for name, step, value in main_ring(rings).values if name == "flatout.grad_norm"}
    return json.loads(done.stdout), norms


@pytest.mark.parametrize("kind", ["plain", "scaled", "fused"])
@pytest.mark.every_change("scaled", "fused")
def test_the_norm_is_that_of_all_gradients_without_a_scale(tmp_path, kind):
    said, norms = updates(tmp_path / "trial", kind, FLATOUT_TRIAL=1, FLATOUT_STOP_AFTER=12)
    made = said["norms"]
    # A GradScaler skips updates 2 and 11, whose gradients overflow: they count and say nothing.
    skipped = {2, 11} if kind in ("scaled", "fused") else set()
    assert {step for step, norm in enumerate(made) if norm is None} == skipped
    assert list(norms) == [step for step in TAKEN if step not in skipped]
    for step, norm in norms.items():
        assert norm == pytest.approx(made[step], rel=1e-4), step
    if kind == "plain":
        untold, none = updates(tmp_path / "untold", kind, FLATOUT_TRIAL=0)
        assert none == {} and untold == said, "looking changed nothing"


@pytest.mark.parametrize("kind", ["embedding", "compiled"])
@pytest.mark.every_change("compiled")
def test_where_it_cannot_be_known_nothing_is_said(tmp_path, kind):
    said, norms = updates(tmp_path / "trial", kind, FLATOUT_TRIAL=1, FLATOUT_STOP_AFTER=12)
    assert norms == {} and None not in said["norms"]
