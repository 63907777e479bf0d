"""batch.accumulate in programs that call torch.compile."""

import pytest
from planned import train

ID = "batch.accumulate"
WHOLE = 2 * (5 * [8] + [4])


def both(tmp_path, how):
    program = "compiled_updates.py"
    return [train(tmp_path / name, plan, program=program, how=how) for name, plan in (("bare", None), ("parts", {ID: 2}))]


@pytest.mark.parametrize("how", ["step", "whole", "own", "clip"])
@pytest.mark.every_change("step")
def test_a_program_that_compiles_a_function_goes_on_with_whole_batches(tmp_path, how):
    """Dynamo may go into what an update calls: Python 3.11 ended there with a guard that failed."""
    bare, parts = both(tmp_path, how)
    assert parts.knobs[ID]["applied"] is False and "compiles a function of its own" in parts.knobs[ID]["reason"]
    assert parts.saw == bare.saw and bare.saw["sizes"] == WHOLE


def test_a_program_that_compiles_once_the_knob_was_refused_meets_nothing_of_it(tmp_path):
    """A batch of 7 cannot be divided by two; clipping is compiled behind the first batch."""
    bare, parts = both(tmp_path, "refused before")
    assert parts.knobs[ID]["applied"] is False and "cannot be divided" in parts.knobs[ID]["reason"]
    assert parts.saw == bare.saw


@pytest.mark.parametrize("how", ["model", "method"])
@pytest.mark.every_change("model")
def test_a_program_that_compiles_its_model_trains_in_parts(tmp_path, how):
    bare, parts = both(tmp_path, how)
    assert parts.knobs[ID]["applied"] is True, parts.knobs
    assert bare.saw["sizes"] == WHOLE and parts.saw["sizes"] == 2 * (11 * [4])
    assert parts.saw["weights"] == pytest.approx(bare.saw["weights"], rel=1e-4)
