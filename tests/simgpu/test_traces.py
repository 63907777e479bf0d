"""The stored traces agree with the truth that was recorded with them, and the script still makes such."""

import json

import chrome_trace
import pytest
import record_traces
from truth import Operation

STORED = sorted(path.name.removesuffix(".trace.json.gz") for path in record_traces.TRACES.glob("*.trace.json.gz"))
MOST_BYTES = 60 << 10


def stored(folder, name):
    """(the trace, the operations that were placed in its window)"""
    content = json.loads((folder / (name + ".truth.json")).read_text())
    rows = [dict(zip(content["fields"], row)) for row in content["operations"]]
    operations = [Operation(pid=0, **{**row, "name": content["names"][row["name"]]}) for row in rows]
    return chrome_trace.Trace(folder / (name + ".trace.json.gz")), operations


@pytest.mark.parametrize("name", STORED)
def test_a_stored_trace_agrees_with_its_truth(name):
    chrome_trace.assert_agrees(*stored(record_traces.TRACES, name))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_trace_is_small_and_names_no_machine(name):
    path = record_traces.TRACES / (name + ".trace.json.gz")
    assert path.stat().st_size < MOST_BYTES
    assert not {"host_name", "traceName"} & chrome_trace.content_of(path).keys()


def test_each_program_has_a_trace_and_a_line_in_the_readme():
    readme = (record_traces.TRACES / "README.md").read_text()
    for name, (devices, _, sight) in record_traces.PROGRAMS.items():
        assert "| `%s` | %d | %s |" % (name, devices, sight) in readme
        assert name in STORED or {name + "_0", name + "_1"} <= set(STORED)


def test_a_trace_can_be_recorded_anew(simgpu, tmp_path):
    record_traces.record("tiny_kernels", tmp_path)
    traced, operations = stored(tmp_path, "tiny_kernels")
    assert len(chrome_trace.assert_agrees(traced, operations)) == 3 * 40 * 2
