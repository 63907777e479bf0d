"""Simulated CUPTI under clients in C: records, buffers, callbacks, and a library that CUDA itself loads."""

import json
import pathlib
import subprocess

import machine
import pytest
from truth import Truth

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "cupti"
MEMCPY, MEMSET, KERNEL, RUNTIME, CONTEXT, CONCURRENT_KERNEL, CUDA_EVENT, STREAM, SYNCHRONIZATION, EXTERNAL = 1, 2, 3, 5, 9, 10, 36, 37, 38, 39
NONE = 0xFFFFFFFF  # CUPTI_SYNCHRONIZATION_INVALID_VALUE


@pytest.fixture(scope="module")
def built(simgpu, tmp_path_factory):
    """{name of a program: its file}, compiled against NVIDIA's headers."""
    folder = tmp_path_factory.mktemp("cupti")
    libraries = ["-L", str(machine.BUILT / "lib"), "-l:libcudart.so.13", "-l:libcupti.so.13", "-l:libcuda.so.1"]
    made = {}
    for source in sorted(PROGRAMS.glob("*.c")):
        made[source.stem] = folder / (source.stem + (".so" if source.stem == "injected" else ""))
        kind = ["-shared", "-fPIC"] if source.stem == "injected" else []
        command = ["gcc", "-O1", "-Wall", "-Wno-unused-function", *kind, "-isystem", str(machine.BUILT / "include"), str(source)]
        subprocess.run([*command, "-o", str(made[source.stem]), *libraries, "-Wl,--allow-shlib-undefined"], check=True)
    return made


@pytest.fixture
def client(simgpu, built):
    def run(name, *arguments, **how):
        scratch = simgpu.scratch()
        done = subprocess.run(
            [str(built[name]), *map(str, arguments)], env=simgpu.environment(scratch, **how), capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()], Truth(scratch / "truth")

    return run


def of_kind(records, *kinds):
    return [record for record in records if record.get("kind") in kinds]


ALL = (MEMCPY, MEMSET, CONCURRENT_KERNEL, RUNTIME, CUDA_EVENT, SYNCHRONIZATION, EXTERNAL)


@pytest.fixture
def all_records(client):
    return client("records", *ALL)


def test_operations_are_recorded_as_they_were_while_enabled(all_records):
    records, truth = all_records
    seen = sorted(of_kind(records, MEMCPY, MEMSET, CONCURRENT_KERNEL), key=lambda record: record["correlation"])
    real = sorted(truth.operations[1:-1], key=lambda operation: operation.correlation)
    assert [record["correlation"] for record in seen] == [operation.correlation for operation in real]
    for record, operation in zip(seen, real):
        assert abs(record["start"] - operation.start_ns) <= 1000 and abs(record["end"] - operation.end_ns) <= 1000
        assert (record["stream"], record.get("bytes", 0)) == (operation.stream, operation.bytes)
    copies = [(record["copy"], record["from"], record["to"], record["flags"]) for record in of_kind(seen, MEMCPY)]
    assert copies == [(1, 1, 3, 1), (1, 2, 3, 1), (2, 3, 2, 0), (8, 3, 3, 1)]  # sort, memory of both sides, asynchronous
    assert [record["value"] for record in of_kind(seen, MEMSET)] == [7]
    kernels = of_kind(seen, CONCURRENT_KERNEL)
    assert [(one["name"], one["grid"], one["block"], one["queued"]) for one in kernels] == [
        ("_Z8a_kernelPfi", blocks, 256, 0) for blocks in (1000, 2000)
    ]


def test_calls_are_recorded_once_each_with_the_correlation_of_their_operations(all_records):
    records, truth = all_records
    calls = of_kind(records, RUNTIME)
    assert len({call["correlation"] for call in calls}) == len(calls)
    assert all(call["own_thread"] and call["own_process"] and call["start"] <= call["end"] for call in calls)
    by_correlation = {call["correlation"]: call for call in calls}
    for operation in truth.operations[1:-1]:
        call = by_correlation[operation.correlation]
        assert call["start"] - 1000 <= operation.enqueued_ns <= call["end"] + 1000
    names = [call["function"] for call in sorted(calls, key=lambda call: call["start"])]
    assert names.count("cudaLaunchKernel_v7000") == 2 and names.count("cudaMemcpyAsync_v3020") == 3
    assert names[-3:] == ["cudaStreamSynchronize_v3020", "cudaDeviceSynchronize_v3020", "cudaMalloc_v3020"]
    assert by_correlation[max(by_correlation)]["result"] == 2  # cudaErrorMemoryAllocation


def test_external_correlations_come_right_before_the_call_that_they_are_of(all_records):
    records, _ = all_records
    assert {"popped": 42} in records
    first = next(i for i, record in enumerate(records) if record.get("kind") == EXTERNAL)
    pair, call = records[first : first + 2], records[first + 2]
    assert [(one["of"], one["external"]) for one in pair] == [(3, 42), (4, 43)]
    assert call["function"] == "cudaLaunchKernel_v7000" and {one["correlation"] for one in pair} == {call["correlation"]}
    later = of_kind(records[first + 3 :], EXTERNAL)
    assert {(one["of"], one["external"]) for one in later} == {(3, 41), (4, 43)}  # the inner one was taken off


def test_waits_and_events_are_recorded(all_records):
    records, _ = all_records
    waits = of_kind(records, SYNCHRONIZATION)
    (event,) = of_kind(records, CUDA_EVENT)
    side = event["stream"]
    # the stream waits for the event, so does the host, a query, then for the stream and for the device
    assert [(one["type"], one["stream"]) for one in waits] == [(2, 7), (1, NONE), (1, NONE), (3, side), (4, NONE)]
    assert all(one["context"] == 1 and one["result"] == 0 and one["start"] <= one["end"] for one in waits)
    assert {(one["event"], one["record"]) for one in waits[:3]} == {(event["event"], event["record"])}
    assert {(one["event"], one["record"]) for one in waits[3:]} == {(NONE, NONE)}
    assert waits[1]["end"] >= event["time"]


def test_only_what_is_enabled_is_recorded(client):
    records, _ = client("records", MEMSET)
    assert {record["kind"] for record in records if "kind" in record} == {MEMSET}


def test_kernels_of_the_older_kind_and_their_queued_times(client):
    records, truth = client("records", KERNEL, env={"LATENCY": 1})
    kernels = of_kind(records, KERNEL)
    assert [record["grid"] for record in kernels] == [1000, 2000]
    enqueued = {operation.correlation: operation.enqueued_ns for operation in truth.operations}
    assert all(abs(record["queued"] - enqueued[record["correlation"]]) <= 1000 for record in kernels)


def test_a_flush_waits_for_no_kernel_and_a_forced_one_gives_it_without_times(client):
    lines, _ = client("flush", slower=200)
    at = {line["at"]: i for i, line in enumerate(lines) if "at" in line}
    kernels = {i: line for i, line in enumerate(lines) if "kind" in line}
    assert lines[at["running"]]["query"] == lines[at["forced"]]["query"] == 600  # still not ready
    assert len(kernels) == 2 and lines[at["running"]]["completed"] == 0
    ended, forced = sorted(kernels)
    assert at["running"] < ended < at["ended"] < forced < at["forced"]
    assert kernels[ended]["end"] > kernels[ended]["start"] > 0
    assert kernels[forced]["end"] == kernels[forced]["start"] == 0


def test_buffers_are_full_before_the_next_one_is_asked_for(client):
    lines, _ = client("buffers", 10 * 216 + 215, 0, "accept")  # 216: sizeof(CUpti_ActivityKernel10)
    grids = [record["grid"] for record in of_kind(lines, CONCURRENT_KERNEL)]
    assert grids == [*range(1, 101)] * 2
    counts = [(line["dropped"], line["requested"], line["completed"]) for line in lines if "dropped" in line]
    assert counts == [(0, 10, 10), (0, 10, 10), (0, 20, 20)]


def test_a_buffer_takes_no_more_records_than_the_client_says(client):
    lines, _ = client("buffers", 64 << 10, 3, "accept")
    counts = [line for line in lines if "dropped" in line]
    assert len(of_kind(lines, CONCURRENT_KERNEL)) == 200
    assert counts[0]["completed"] == 34 and counts[-1]["completed"] == 68


def test_records_without_a_buffer_are_dropped_and_counted_once(client):
    lines, _ = client("buffers", 64 << 10, 0, "decline")
    assert [line["dropped"] for line in lines if "dropped" in line] == [100, 0, 0]
    assert [record["grid"] for record in of_kind(lines, CONCURRENT_KERNEL)] == [*range(1, 101)]  # of the second round


def test_a_buffer_too_small_for_any_record_drops_them(client):
    lines, _ = client("buffers", 16, 0, "accept")
    assert [line["dropped"] for line in lines if "dropped" in line][0] == 100
    assert not of_kind(lines, CONCURRENT_KERNEL)


@pytest.fixture
def callbacks(client):
    return client("callbacks")[0]


def test_callbacks_come_at_entry_and_exit_of_each_call(callbacks):
    sites = [line for line in callbacks if line.get("domain") == "runtime"]
    entries, exits = sites[::2], sites[1::2]
    assert [(one["function"], one["correlation"]) for one in entries] == [(one["function"], one["correlation"]) for one in exits]
    assert all(one["site"] == 0 for one in entries) and all(one["site"] == 1 and one["kept"] for one in exits)
    names = [one["function"] for one in entries]
    # none of cudaFree, which is switched off, of what a callback calls, nor after the end
    assert names == [
        "cudaMalloc", "cudaStreamCreateWithFlags", "cudaMemcpyAsync", "cudaLaunchKernel", "cudaStreamSynchronize", "cudaDeviceSynchronize",
        "cudaStreamSynchronize", "cudaStreamDestroy",
    ]  # fmt: skip
    assert [one["result"] for one in exits] == [0, 0, 0, 0, 0, 0, 400, 0]
    assert not entries[0]["has_context"] and exits[0]["has_context"] and exits[0]["context"] == 1


def test_callbacks_show_parameters_and_the_kernel(callbacks):
    (launch,) = [line for line in callbacks if line.get("function") == "cudaLaunchKernel" and line["site"] == 0]
    assert (launch["id"], launch["symbol"], launch["grid"], launch["block"]) == (211, "_Z8a_kernelPfi", 33, 256)
    (copy,) = [line for line in callbacks if line.get("function") == "cudaMemcpyAsync" and line["site"] == 0]
    assert (copy["id"], copy["bytes"], copy["copy"]) == (41, 64, 1)


def test_contexts_streams_and_waits_cause_callbacks_of_their_own(callbacks):
    (made,) = [line["made"] for line in callbacks if "made" in line]
    resources = [(line["id"], line["stream"]) for line in callbacks if line.get("domain") == "resource"]
    assert resources == [(1, 0), (3, made), (4, made)]  # context, stream, and its end
    waits = [(line["id"], line["stream"]) for line in callbacks if line.get("domain") == "synchronize"]
    assert waits == [(1, made), (2, 0)]


def test_there_is_one_subscriber_at_a_time(callbacks):
    assert {"second": 39} in callbacks  # CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
    assert {"state": [1, 0], "none": 1} in callbacks
    assert callbacks[-1] == {"again": 1, "enable": 1}  # the program then subscribes anew, or fails


def test_a_forked_child_has_no_part_in_its_parents_session(client):
    lines, _ = client("fork")
    (child,) = [line for line in lines if "child" in line]
    assert child == {"child": True, "refused": 3, "flushed": 7, "subscribed": 0, "completed": 0}
    assert lines[-1] == {"child_status": 0}
    assert [record["grid"] for record in of_kind(lines, CONCURRENT_KERNEL)] == [10, 20]


def test_threads_that_launch_and_flush_at_once_lose_and_double_nothing(client):
    lines, truth = client("threads")
    last = lines[-1]
    assert last["entered"] == last["left"] == last["launches"] == len(truth.operations)
    assert last["dropped"] == 0 and last["same"] == 1
    correlations = sorted(record["correlation"] for record in of_kind(lines, CONCURRENT_KERNEL))
    assert correlations == sorted(operation.correlation for operation in truth.operations)
    calls = [record["correlation"] for record in of_kind(lines, RUNTIME)]
    assert len(set(calls)) == len(calls) and set(correlations) <= set(calls)


def test_with_a_period_full_buffers_come_without_a_call(client):
    lines, _ = client("period")
    assert [line["completed"] for line in lines if "completed" in line] == [2, 3]
    assert [record["grid"] for record in of_kind(lines, CONCURRENT_KERNEL)] == [*range(1, 8)]


def test_cupti_can_be_detached_from_a_callback(client):
    lines, _ = client("detach")
    assert lines[-1] == {"calls": 6, "later": 0, "old": 1}
    assert [record["grid"] for record in of_kind(lines, CONCURRENT_KERNEL)] == [1]


def test_contexts_functions_attributes_and_wrong_arguments(client):
    lines, _ = client("contexts", devices=2)
    assert {"ids": [1, 2], "device": 1} in lines
    kernels = of_kind(lines, CONCURRENT_KERNEL)
    assert [(one["grid"], one["device"], one["context"]) for one in kernels] == [(101, 1, 2), (600, 1, 2)]
    assert len(of_kind(lines, MEMSET)) == 1
    assert [one["function"] for one in of_kind(lines, RUNTIME)] == ["cudaMalloc_v3020"] * 2
    (attribute,) = [line for line in lines if "attribute" in line]
    assert attribute["attribute"] == [250, 5] and (attribute["small"], attribute["null"]) == (10, 1)
    assert attribute["name"] == "CUPTI_ERROR_INVALID_KIND" and "kind" in attribute["text"].lower()
    (refused,) = [line for line in lines if "kinds" in line]
    assert refused == {"kinds": [38, 14, 21, 21], "callbacks": 1, "clock": 1, "pop": [18, 1], "context": 3, "counters": 27}
    assert {"detached": 7} in lines
    before = lines.index({"made before": True})
    assert not of_kind(lines[:before], CONTEXT, STREAM)
    # what there was already, both contexts and the one stream, and what was made then
    assert [record["kind"] for record in of_kind(lines[before:], CONTEXT, STREAM)] == [CONTEXT, CONTEXT, STREAM, STREAM]


def test_cuda_loads_the_library_that_the_environment_names(simgpu, built):
    program = "import torch\nx = torch.ones(4, device='cuda')\nprint('values', x.numel(), flush=True)\nimport os\nos._exit(0)\n"
    result = simgpu.run(program, env={"CUDA_INJECTION64_PATH": built["injected"]})
    assert result.status == 0 and "values 4" in result.output
    told = [line for line in result.output.splitlines() if line.startswith("injected:")]
    assert told[0] == "injected: 1 device" and len(told) == 2 and told[1].startswith("injected: first cu")


def test_a_library_that_is_not_there_keeps_no_program_from_running(simgpu, tmp_path):
    program = "import torch\nprint(torch.ones(4, device='cuda').numel(), flush=True)\nimport os\nos._exit(0)\n"
    result = simgpu.run(program, env={"CUDA_INJECTION64_PATH": tmp_path / "none.so", "SIMGPU_LOG": 1})
    assert result.status == 0 and "CUDA_INJECTION64_PATH" in result.output
