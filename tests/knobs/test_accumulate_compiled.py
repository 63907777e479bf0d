"""batch.accumulate in loops whose update torch.compile takes."""

import pytest
from planned import train

ID = "batch.accumulate"
WHOLE = 2 * (5 * [8] + [4])


def both(tmp_path, how):
    program = "compiled_updates.py"
    return [train(tmp_path / name, plan, program=program, how=how) for name, plan in (("bare", None), ("parts", {ID: 2}))]


@pytest.mark.parametrize("how", ["step", "inlined", "whole"])
def test_steps_of_torch_wait_for_the_last_part(tmp_path, how):
    """Dynamo breaks off in each, so that it is called."""
    bare, parts = both(tmp_path, how)
    assert parts.knobs[ID]["applied"] is True, parts.knobs
    assert bare.saw["sizes"] == WHOLE and parts.saw["sizes"] == 2 * (11 * [4])
    assert parts.saw["weights"] == pytest.approx(bare.saw["weights"], rel=1e-4)
