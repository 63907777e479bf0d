"""Methods of the program's own objects are called as often as without flatout."""

import sys
from pathlib import Path

import harness
import pictures
import pytest
from hooked import run

PROGRAM = Path(__file__).parent / "programs/counts.py"


def test_methods_of_a_dataset_and_a_model(flatout, tmp_path):
    plain = harness.run_plain([sys.executable, PROGRAM])
    observed = harness.run_observed([sys.executable, PROGRAM], tmp_path)
    assert b"__len__" in plain.out, plain.err
    assert observed.out == plain.out
    assert observed.report["steps"]["count"] == 20


@pytest.mark.parametrize("trial", ["0", "1"], ids=["run", "trial"])
def test_what_is_looked_at(flatout, tmp_path, trial):
    """Joined datasets, indices, batch samplers, iterators and scalers of the program's own classes."""
    program = Path(__file__).parent / "programs/looked_at.py"
    plain = harness.run_plain([sys.executable, program])
    assert b"Rows __len__" in plain.out, plain.err
    done, rings = run(program, rings=tmp_path, FLATOUT_TRIAL=trial)
    assert done.stdout == plain.out.decode(), done.stderr
    assert any(ring.fact("precision")[-1]["scaler"] for ring in rings if ring.role == 0)


def test_what_is_looked_at_of_pictures(flatout, tmp_path):
    """Attributes that classes of the program's compute: a set of pictures, its loader and what makes its batches."""
    program = Path(__file__).parent / "programs/looked_at_pictures.py"
    pictures.write(tmp_path / "pictures", 8)
    plain = harness.run_plain([sys.executable, program, tmp_path / "pictures"])
    if plain.code == 77:
        pytest.skip("torchvision is not in build/torchvision; `make test` fetches it")
    assert b"\nsamples" in plain.out, plain.err
    (tmp_path / "rings").mkdir()
    done, rings = run(program, tmp_path / "pictures", rings=tmp_path / "rings")
    assert done.stdout == plain.out.decode(), done.stderr
    refused = [fact["native_refusal"] for ring in rings for fact in ring.fact("loader") if "native_refusal" in fact]
    assert any("of its own" in why for why in refused), refused
