"""Facts about programs that PyTorch compiles or traces, and of those that watch what they call."""

from pathlib import Path

import pytest
from hooked import main_ring, run

PROGRAM = Path(__file__).parent / "programs/traced_facts.py"


@pytest.mark.parametrize("how", ["fullgraph", "in_place", "default_device", "functions", "operators_at_first", "traced_first"])
@pytest.mark.every_change("fullgraph", "in_place", "traced_first")
def test_steps_phases_and_facts_are_those_of_a_plain_loop(tmp_path, how):
    done, rings = run(PROGRAM, how, rings=tmp_path)
    assert done.returncode == 0, done.stderr
    ring = main_ring(rings)
    begun = [phase.phase for phase in ring.phases if phase.begin and phase.phase in ("forward", "backward", "optimizer")]
    assert begun == ["forward", "backward", "optimizer"] * 4, "four updates, and nothing that was traced"
    (model,) = ring.fact("model")
    assert (model["class"], model["parameters"], model["compiled"]) == ("Net", 90, how in ("fullgraph", "in_place"))
    (precision,) = ring.fact("precision")
    assert precision["autocast"] == "off" and "float32_matmul_precision" in precision
    assert not ring.fact("problem")
