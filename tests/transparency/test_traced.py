"""Where PyTorch compiles, traces or transforms a program, or the program watches what it calls, flatout is not to be seen: graphs, breaks,
recompiles, warnings, logs and results of each case are those of the bare program. `compare_traced.py` runs the same under any other Python."""

import json
import subprocess
import sys

import pytest
from compare_traced import MATRIX, both, differences

SLOW = """dynamic= after_eager eval no_grad inference_mode fullgraph=False behind_training workers layer_in_place method_of_class
    breaks,aot outside,aot function,autocast in_place,autocast in_place,breaks function,fullgraph=True loss_in_function accumulated""".split()
ALSO_OF_CI = ("in_place,after_eager", "in_place,breaks,aot", "adam_step,fullgraph=False", "jit_trace")


def of_ci(name):
    return name.startswith(ALSO_OF_CI) or not any(part in name for part in SLOW)


@pytest.fixture(scope="module")
def names():
    """Cases of a family, as the matrix has them."""

    def of(family):
        done = subprocess.run([sys.executable, str(MATRIX), family, "--names"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return of


def check(flatout, tmp_path, family, cases, options=()):
    bare, ours, report = both(flatout, sys.executable, family, tmp_path, options, cases)
    assert sorted(bare) == sorted(cases)
    found = differences(bare, ours)
    assert not found, "\n".join(found)
    assert report["steps"]["count"] >= 1, "without hooks every case would be the same"
    return bare, ours, report


@pytest.mark.parametrize("family", ["compiling", "tracing", "watching"])
def test_traced(flatout, tmp_path, names, family):
    bare, _, _ = check(flatout, tmp_path, family, [name for name in names(family) if of_ci(name)])
    raised = [name for name, case in bare.items() if "raises" in case or "ended" in case]
    assert raised == [name for name in raised if name.startswith(("sgd_step", "adam_step", "step_in_function"))], raised


@pytest.mark.slow
@pytest.mark.parametrize("family", ["compiling", "tracing", "watching"])
def test_all_traced(flatout, tmp_path, names, family):
    check(flatout, tmp_path, family, [name for name in names(family) if not of_ci(name)])


@pytest.mark.slow
def test_inductor(flatout, tmp_path, names):
    check(flatout, tmp_path, "generating", names("generating"))


TRACERS = ("jit_trace", "symbolic_trace", "own_tracer", "export", "make_fx_step", "grad", "vmap", "fake")


def test_knobs_hold_nothing_where_a_model_is_traced(flatout, tmp_path):
    """The first model that is traced is the program's own, whatever a plan asks for; the training behind it is the plan's."""
    plan = tmp_path / "plan.toml"
    plan.write_text('[knobs]\nprecision.bf16 = true\nlayout.channels_last = true\n')
    cases = ["%s,first,train" % name for name in TRACERS]
    bare, ours, _ = both(flatout, sys.executable, "tracing", tmp_path, ("--plan", plan), cases)
    for name in cases:
        assert ours[name].get("raises") is None and ours[name]["stderr"] == bare[name]["stderr"]
        (first, trained), (traced, plan_trained) = bare[name]["gives"], ours[name]["gives"]
        if name.startswith(("jit_trace", "symbolic_trace")):  # these call the model once more, as any training forward
            first, traced = first[0], traced[0]
        assert traced == first, name
        assert plan_trained != trained, "the plan was applied"
