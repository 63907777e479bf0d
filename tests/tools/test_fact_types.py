"""The types of facts are refused where schema/facts.toml would make C++ that means something else."""

import pathlib
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import fact_types  # noqa: E402


def fact(**more):
    return {"key": "a", "type": "AFact", "list": "all", "text": "t", "example": "{}", "field": [{"name": "x", "type": "count"}], **more}


def test_the_schema_is_well_formed():
    assert fact_types.problems(tomllib.loads((ROOT / "schema/facts.toml").read_text())["fact"]) == []


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"stated_": True}, "AFact: stated_ is no key of a fact"),
        ({"field": [{"name": "x", "type": "integer"}]}, "AFact.x: no type is called integer"),
        ({"field": [{"name": "x", "type": "text", "least": 1}]}, "AFact.x: a text has no bounds"),
        ({"field": [{"name": "x", "type": "flag", "needed": True}]}, "AFact.x: needed is no key of a field"),
        ({"field": [{"name": "x", "type": "flag"}, {"name": "x", "type": "count"}]}, "AFact.x: stands there twice"),
    ],
)
def test_what_is_refused(more, problem):
    assert fact_types.problems([fact(**more)]) == [problem]


def test_two_facts_share_nothing():
    assert fact_types.problems([fact(), fact()]) == ["key a: stands there twice", "type AFact: stands there twice", "list all: stands there twice"]


def test_a_required_field_ends_the_fact_and_a_default_fills_it():
    wanted = fact(field=[{"name": "x", "type": "count", "required": True}, {"name": "y", "type": "number", "default": 0}])
    text = fact_types.reader(wanted)
    assert "return false;" in text
    assert 'out.y = from.number("y").value_or(0);' in text
