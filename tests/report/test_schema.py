"""Every report that C++ writes holds to the published schema."""

import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
EXAMPLES = BINARY.resolve().parents[1] / "test" / "report_examples"


@pytest.fixture(scope="module")
def schema():
    return json.loads((ROOT / "schema" / "report.schema.json").read_text())


@pytest.fixture(scope="module")
def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )


@pytest.fixture(scope="module")
def reports():
    if not EXAMPLES.exists():
        pytest.fail(f"{EXAMPLES} is missing: build everything, or set FLATOUT_BIN")
    printed = subprocess.run([EXAMPLES], capture_output=True, check=True).stdout.decode()
    return [json.loads(text, parse_constant=pytest.fail) for text in printed.split("\f") if text]


def test_examples_are_valid(validator, reports):
    assert len(reports) > 200
    for report in reports:
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(report)]
        assert not errors, errors


def test_phases_of_the_examples_sum_to_one(reports):
    named = [r for r in reports[:9] if "steps" in r]
    assert len(named) >= 5
    for report in named:
        assert sum(report["steps"]["phases"].values()) == pytest.approx(1, abs=0.001)


BROKEN = {
    "null": lambda r: r["steps"].update(median_ms=None),
    "string for a number": lambda r: r["steps"].update(median_ms="674"),
    "exit code and signal": lambda r: r["run"].update(signal="SIGKILL"),
    "unknown state": lambda r: r["run"].update(state="done"),
    "local time": lambda r: r["run"].update(started="2025-11-21T02:02:50.123+01:00"),
    "one-sided interval": lambda r: r["findings"][0]["advice"][0].update(interval=[1.0]),
    "speedup without interval": lambda r: r["findings"][0]["advice"][0].pop("interval"),
    "unknown severity": lambda r: r["findings"][0].update(severity="fatal"),
    "no overhead": lambda r: r.pop("overhead"),
    "other schema": lambda r: r.update(schema="flatout.report/2"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_schema_refuses(what, validator, reports):
    report = json.loads(json.dumps(reports[0]))
    assert validator.is_valid(report)
    BROKEN[what](report)
    assert not validator.is_valid(report)


def test_keys_may_be_added(validator, reports):
    report = json.loads(json.dumps(reports[0]))
    report["new"] = 1
    report["steps"]["new"] = 1
    assert validator.is_valid(report)
