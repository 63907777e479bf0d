"""`flatout analyze` of several ranks' traces, and `flatout compare` of traces."""

import gzip
import json
import os
import subprocess

import harness
import jsonschema
import pytest
from analyzed import TRACES, span

REPORT = json.loads((harness.ROOT / "schema/report.schema.json").read_text())
COMPARE = json.loads((harness.ROOT / "schema/compare.schema.json").read_text())
STEPS = 12
PITCH_US = 10300.0
LATE_US = 3000  # that rank 1's fetch takes longer than the others'


def rank_trace(rank, ahead=0.0, numbered=False, says_rank=True, kernel="volta_sgemm_128x64_nn", compute=4000):
    """Steps of a fetch, a kernel and an all-reduce, from which all ranks go together."""
    events = []
    for step in range(STEPS):
        begin = ahead + PITCH_US * step
        fetch = 1000 + (LATE_US if rank == 1 else 0)
        launch = begin + fetch + 50
        leave = begin + 1000 + LATE_US + compute + 2000
        number = 10 * step + 1
        said = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2]", "Seq": step} if numbered else {}
        events += [
            span("user_annotation", f"ProfilerStep#{step}", begin, PITCH_US - 100),
            span("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, fetch),
            span("cpu_op", "aten::mm", launch - 20, 60),
            span("cuda_runtime", "cudaLaunchKernel", launch, 10, correlation=number),
            {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": launch + 20, "dur": compute, "args": {"device": 0, "stream": 7, "correlation": number}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "pid": 0, "tid": 9, "ts": launch + 20 + compute,
             "dur": leave - launch - 20 - compute, "args": {"device": 0, "stream": 9, **said}},
            span("user_annotation", "Optimizer.step#SGD.step", leave + 10, 100),
        ]
    trace = {"schemaVersion": 1, "traceEvents": events}
    if says_rank:
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 4}
    return trace


def written(folder, name, trace):
    folder.mkdir(exist_ok=True)
    path = folder / name
    text = json.dumps(trace).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def flatout(*words, code=0):
    done = subprocess.run([harness.flatout_bin(), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def ranks_of(files):
    report = json.loads(flatout("analyze", *files, "--format", "json").stdout)
    jsonschema.validate(report, REPORT)
    return report


@pytest.mark.parametrize("numbered", [False, True])
def test_the_rank_that_fetches_longer_holds_the_others(tmp_path, numbered):
    skew = [0, 7.5e6, -4e6]
    files = [written(tmp_path, f"t{rank}.json.gz", rank_trace(rank, skew[rank], numbered)) for rank in (2, 0, 1)]
    report = ranks_of(files)
    ranks = report["ranks"]
    assert ranks["numbered_by"] == "trace" and ranks["world_size"] == 4 and ranks["collectives"] == STEPS
    assert ranks["matched_by"] == ("number" if numbered else "order")
    assert [rank["rank"] for rank in ranks["list"]] == [0, 1, 2]
    assert [round(rank["clock_ahead_ms"]) for rank in ranks["list"]] == [0, 7500, -4000]
    assert [rank["last"] for rank in ranks["list"]] == [0, STEPS, 0]
    late = ranks["straggler"]
    assert late["rank"] == 1 and late["cause"] == "late_data"
    assert late["held_ms"] == pytest.approx(STEPS * LATE_US / 1000)
    assert late["phases_ms"]["data_wait"] == pytest.approx((STEPS - 1) * LATE_US / 1000, rel=0.02)
    (finding,) = [finding for finding in report["findings"] if finding["id"] == "rank_imbalance"]
    assert finding["cause"] == "late_data" and finding["share"] == pytest.approx(late["share"])


def test_text_and_page_say_who_is_late(tmp_path):
    files = [written(tmp_path, f"rank{rank}.json", rank_trace(rank, says_rank=False)) for rank in range(3)]
    text = flatout("analyze", *files).stdout
    assert "3 ranks, numbered by their files' names; 12 collectives matched by their order and ends" in " ".join(text.split())
    assert "RANK-IMBALANCE" in text and "waits for its data" in " ".join(text.split())
    page = tmp_path / "page.html"
    flatout("analyze", *files, "--format", "html", "--out", page)
    assert 'id="ranks"' in page.read_text()


def test_other_jobs_are_not_matched(tmp_path):
    other = rank_trace(1)
    for k, event in enumerate(other["traceEvents"]):
        event["ts"] = event["ts"] * (1 + 0.07 * (k // 7 % 5)) + 13 * k * k
    files = [written(tmp_path, "a.json", rank_trace(0)), written(tmp_path, "b.json", other)]
    ranks = ranks_of(files)["ranks"]
    assert ranks["collectives"] == 0 and "straggler" not in ranks


def test_an_unreadable_one_is_named(tmp_path):
    good = written(tmp_path, "a.json", rank_trace(0))
    bad = tmp_path / "b.json"
    bad.write_text("no trace")
    assert "b.json" in flatout("analyze", good, bad, code=1).stderr
    assert "takes one trace" in flatout("analyze", good, good, "--format", "perfetto", code=1).stderr


def test_traces_are_compared(tmp_path):
    before = written(tmp_path / "x", "before.json", rank_trace(0))
    after = written(tmp_path / "x", "after.json.gz", rank_trace(0, kernel="ampere_s1688gemm_128x64", compute=1500))
    document = json.loads(flatout("compare", before, after, "--format", "json").stdout)
    jsonschema.validate(document, COMPARE)
    (contrast,) = document["runs"]
    assert document["baseline"]["id"] == "before" and contrast["run"]["id"] == "after"
    trace = contrast["trace"]
    assert trace["per"] == "step"
    changes = {kernel["name"]: kernel["change"] for kernel in trace["kernels"]}
    assert changes["volta_sgemm_128x64_nn"] == "went" and changes["ampere_s1688gemm_128x64"] == "came"
    (gemm,) = [one for one in trace["classes"] if one["name"] == "gemm"]
    assert gemm["before_ms"] == pytest.approx(4, rel=0.1) and gemm["after_ms"] == pytest.approx(1.5, rel=0.1)
    text = flatout("compare", before, after).stdout
    assert "Kernels by class, of a step" in text and "GPU idle by cause, of a step" in text
    assert "The device" in flatout("compare", before, after, "--format", "html", "--out", "-").stdout


def test_two_files_of_one_name_keep_their_folders(tmp_path):
    files = [written(tmp_path / name, "trace.json", rank_trace(0)) for name in ("a", "b")]
    document = json.loads(flatout("compare", *files, "--format", "json").stdout)
    assert document["baseline"]["id"] == str(files[0]) and document["runs"][0]["run"]["id"] == str(files[1])


@pytest.mark.skipif(not TRACES.is_dir(), reason=f"no real traces at {TRACES}")
def test_memory_does_not_grow_with_the_ranks():
    """Sixteen times the same trace: only figures and collectives are kept of each."""
    file = TRACES / "hta_control_nccl.pt.trace.json.gz"

    def peak(count):
        process = subprocess.Popen([harness.flatout_bin(), "analyze", *[file] * count, "--format", "json"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss / 1024

    two, many = peak(2), peak(16)
    assert many < two + 20, f"{two:.0f} MB of two ranks, {many:.0f} MB of sixteen"
