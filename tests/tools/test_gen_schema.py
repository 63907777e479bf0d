"""gen_schema.py refuses an id or a name that two metrics have, also one that was retired."""

import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
SPEC = importlib.util.spec_from_file_location("gen_schema", ROOT / "tools" / "gen_schema.py")
gen_schema = importlib.util.module_from_spec(SPEC)
sys.path.insert(0, str(ROOT / "tools"))
SPEC.loader.exec_module(gen_schema)

RETIRED = [{"id": 2, "name": "b"}]


@pytest.mark.parametrize(
    ("identity", "name", "twice"),
    [(3, "c", []), (1, "c", ["1"]), (3, "a", ["a"]), (2, "c", ["2"]), (3, "b", ["b"])],
)
def test_used_twice(identity, name, twice):
    metrics = [{"id": 1, "name": "a"}, {"id": identity, "name": name}]
    assert gen_schema.used_twice({"metric": metrics, "retired": RETIRED}) == twice
