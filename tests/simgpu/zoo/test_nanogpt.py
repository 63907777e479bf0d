"""nanoGPT's train.py, where there is a checkout of it: unmodified, as its README starts it."""

import nanogpt
import pytest

pytestmark = pytest.mark.skipif(nanogpt.lacks() is not None, reason=str(nanogpt.lacks()))


def test_it_is_compute_bound_and_its_steps_are_its_iterations(flatout, simgpu, tmp_path, retried):
    seen = nanogpt.observe(tmp_path / "first", iterations=40, slower=60)
    if seen.problems:
        retried("; ".join(seen.problems))
        seen = nanogpt.observe(tmp_path / "second", iterations=40, slower=60)
    assert not seen.problems, f"{'; '.join(seen.problems)}\n{seen.report['verdict']}"
