"""The comparison with nvidia-smi, on answers made up here; its runs need a GPU."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import gpu_fields  # noqa: E402
from gpu_fields import Field  # noqa: E402


@pytest.mark.parametrize(
    "field, ours, theirs, verdict",
    [
        (Field("a", "q"), "H200", ["H200"], "equal"),
        (Field("a", "q"), "H200", ["H100"], "DIFFERS"),
        (Field("a", "q"), 16, ["16", "16"], "equal"),
        (Field("a", "q"), 8, ["16"], "DIFFERS"),
        (Field("a", "q"), None, ["16"], "MISSING"),
        (Field("a", "q"), None, ["[N/A]"], "not given by nvidia-smi"),
        (Field("a", "q", 0.01, 0.1), 0.5, ["40", "60"], "agrees"),
        (Field("a", "q", 0.01, 0.1), 0.36, ["40", "60"], "agrees"),
        (Field("a", "q", 0.01, 0.1), 0.30, ["40", "60"], "DIFFERS"),
    ],
)
def test_judge(field, ours, theirs, verdict):
    assert gpu_fields.judge(field, ours, theirs)[1] == verdict


def test_every_field_is_a_row_and_a_missing_one_says_why():
    looks = [{field.query: "1" for field in gpu_fields.FIELDS}]
    rows = gpu_fields.compare({"unavailable": {"power_w": "no sensor"}}, looks)
    assert len(rows) == len(gpu_fields.FIELDS)
    assert ("power_w", "absent", "1", "MISSING: no sensor") in rows
