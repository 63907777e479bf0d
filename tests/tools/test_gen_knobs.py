"""gen_knobs.py refuses a schema that is wrong, code that does not fit it, and pages without its marks."""

import copy
import importlib
import pathlib
import sys
import tomllib
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import gen_knobs  # noqa: E402

KNOBS = tomllib.loads((ROOT / gen_knobs.SCHEMA).read_text())["knob"]


def changed(**keys):
    """All knobs, the first with other keys; None takes one away."""
    knobs = copy.deepcopy(KNOBS)
    for key, value in keys.items():
        if value is None:
            del knobs[0][key]
        else:
            knobs[0][key] = value
    return knobs


@pytest.mark.parametrize("keys,words", [
    ({"needs": None}, "it lacks needs"),
    ({"needs": ""}, "cannot be empty"),
    ({"grid": []}, "cannot be empty"),
    ({"grid": ["fast"]}, "it does not take 'fast' of its own grid"),
    ({"risk": "none"}, "risk is one of"),
    ({"changes": "all"}, "changes is one of"),
    ({"acts_on": "both"}, "acts_on is one of"),
    ({"switched": "never"}, "switched is one of"),
    ({"switched": None}, "it lacks switched"),
    ({"value": {"kind": "float"}}, "value.kind is one of"),
    ({"edit": {"at": "model", "keyword": "x"}}, "edit.at is loader or optimizer"),
    ({"colour": "red"}, "nobody reads colour"),
    ({"id": "batch.size"}, "two knobs share the name batch.size"),
    ({"requires": ["no.such"]}, "no.such is no other knob"),
    ({"excludes": ["batch.size"]}, "it excludes batch.size, which does not exclude it"),
    ({"by_hand": [{"value": "torch", "script": "x"}]}, "the last of by_hand must do for any value"),
    ({"hook": {"module": "engine", "class": "LoadingEngine", "at": "start"}}, "hook.at is one of"),
])  # fmt: skip
def test_a_wrong_schema_is_named(keys, words):
    assert any(words in line for line in gen_knobs.problems(changed(**keys)))


def test_the_schema_is_right():
    assert list(gen_knobs.problems(KNOBS)) == []
    assert list(gen_knobs.code_problems(KNOBS, ROOT)) == []


@pytest.mark.parametrize("keys,words", [
    ({"id": "dataloader.motor"}, "no file of src/apply/knobs/ has const Knob& dataloader_motor()"),
    ({"id": "dataloader.motor"}, "docs/knobs/dataloader.motor.md is not there"),
    ({"id": "dataloader.motor"}, 'has no class LoadingEngine with id = "dataloader.motor"'),
    ({"id": "dataloader.motor"}, "docs/knobs/dataloader.engine.md: schema/knobs.toml has no such knob"),
    ({"hook": {"module": "motor", "class": "Motor", "at": "loader"}}, "hooks/knobs/motor.py is not there"),
])  # fmt: skip
def test_code_that_does_not_fit_is_named(keys, words):
    assert any(words in line for line in gen_knobs.code_problems(changed(**keys), ROOT))


def test_a_page_without_its_marks_is_named(tmp_path):
    page = tmp_path / "x.md"
    page.write_text("# x\n")
    with pytest.raises(SystemExit, match="x.md must hold these two lines once"):
        gen_knobs.between_marks(page, "facts\n")
    page.write_text(f"# x\n\n{gen_knobs.BEGIN}\nold\n{gen_knobs.END}\n\nprose\n")
    assert gen_knobs.between_marks(page, "facts\n") == f"# x\n\n{gen_knobs.BEGIN}\n\nfacts\n\n{gen_knobs.END}\n\nprose\n"


def hooks_values():
    """hooks/knobs/values.py as the hooks import it, without PyTorch."""
    package = types.ModuleType("knobs_of_hooks")
    package.__path__ = [str(ROOT / "python/flatout/hooks/knobs")]
    sys.modules["knobs_of_hooks"] = package
    return importlib.import_module("knobs_of_hooks.values"), importlib.import_module("knobs_of_hooks.table").TABLE


SOME = [True, False, 0, 1, 2, 6, -1, 1024, 1025, 4096, 65536, 65537, 1 << 24, 1.0, "torch", "native", "default", "none", "1/2", "1/1", "1/02", "1/65537", None, [1]]


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob["id"])
def test_the_hooks_take_the_values_that_are_declared(knob):
    values, table = hooks_values()
    for value in SOME:
        assert (values.wrong_value(table[knob["id"]], value) is None) == gen_knobs.takes(knob["value"], value), value
