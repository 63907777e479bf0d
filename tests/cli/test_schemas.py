"""Every verb that prints JSON names a schema that stands in schema/, and keeps to it."""

import json

import jsonschema
import pytest
from PIL import Image

import harness
from test_verbs import record

ROOT = harness.ROOT


@pytest.fixture
def pictures(cli):
    for name in ("cat", "dog"):
        (cli.folder / "train" / name).mkdir(parents=True)
        for number in range(3):
            Image.new("RGB", (40, 30), (number * 60, 20, 200)).save(cli.folder / "train" / name / f"{number}.jpg")
    (cli.folder / "train/cat/bad.jpg").write_bytes(b"no picture")
    return cli


def held(done, name, status=0):
    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout, parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(json.loads((ROOT / "schema" / f"{name}.schema.json").read_text())).validate(document)
    return document


def test_pack_and_bench(pictures):
    packed = held(pictures("pack", "train", "packed", "--format", "json"), "pack", status=1)
    assert packed["samples"] == 6 and packed["left_out"] == 1 and "bad.jpg" in packed["named"][0]["why"]
    measured = held(pictures("bench", "data", "packed", "--epochs", "1", "--size", "16", "--format", "json"), "bench_data")
    assert measured["samples"] == 6 and len(measured["samples_per_s"]) == 1


def test_verbs_on_runs(cli):
    run_id = record(cli)
    for words, name in (
        (["ls"], "ls"), (["show", run_id], "show"), (["report"], "report"), (["compare", run_id, run_id], "compare"), (["accuracy"], "accuracy"),
        (["tag", run_id, "a"], "tag"), (["note", run_id, "b"], "tag"), (["rm", "--dry-run", run_id], "rm"),
    ):  # fmt: skip
        held(cli(*words, "--format", "json"), name)
    held(cli("export", run_id, "--json"), "export")


def test_every_schema_is_one(cli):
    for path in sorted((ROOT / "schema").glob("*.schema.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["schema"]["const"].startswith("flatout.")
