"""Captures into graphs, and what each mode forbids: the simulated runtime against CUDA's documentation.

CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture"; CUDA Runtime API, cudaStreamBeginCapture and
cudaThreadExchangeStreamCaptureMode.
"""

import pytest
from test_streams import kernels, run  # noqa: F401

UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT, WRONG_THREAD = range(900, 909)

DIAMOND = """
one, other = stream(), stream()
forked, joined = event(), event()
begin_capture(one)
launch(one, 1, "A")
record(forked, one)
wait(other, forked)
launch(one, 5, "B")
launch(other, 5, "C")
record(joined, other)
wait(one, joined)
launch(one, 1, "D")
count = ctypes.c_size_t()
graph = end_capture(one)
call("cudaGraphGetNodes", graph, None, ctypes.byref(count))
executable = instantiate(graph)
synchronize()
"""


def test_nothing_runs_while_it_is_captured(run):  # noqa: F811
    said, truth = run(DIAMOND + "told(nodes=count.value)")
    assert said["nodes"] == 4
    assert truth.operations == []


def test_a_replay_keeps_the_order_of_the_guides_example(run):  # noqa: F811
    """"Cross-stream Dependencies and Events": B and C come after A, D after both."""
    _, truth = run(DIAMOND + """
replay(executable, one)
launch(one, 1, "behind")
told()
""")
    ran = kernels(truth)
    assert ran["A"].end_ns <= min(ran["B"].start_ns, ran["C"].start_ns)
    assert ran["D"].start_ns >= max(ran["B"].end_ns, ran["C"].end_ns)
    assert ran["behind"].start_ns >= ran["D"].end_ns
    graphs = {ran[name].graph for name in "ABCD"}
    assert len(graphs) == 1 and 0 not in graphs and ran["behind"].graph == 0
    assert len({ran[name].graph_node for name in "ABCD"}) == 4


def test_each_replay_runs_all_of_it(run):  # noqa: F811
    _, truth = run(DIAMOND + """
for _ in range(5):
    replay(executable, one)
told()
""")
    assert sorted(operation.name for operation in truth.operations) == sorted("ABCD" * 5)
    ends = [operation.end_ns for operation in truth.operations if operation.name == "D"]
    begins = [operation.start_ns for operation in truth.operations if operation.name == "A"]
    assert all(end <= begin for end, begin in zip(ends, begins[1:]))


ASKED = """
captured, aside = stream(), stream(NON_BLOCKING)
mark = event()
record(mark, aside)
synchronize()
seen = []


def asks():
    seen.append(status_of(call, ASK[0], mark if "Event" in ASK[0] else aside) if "Malloc" not in ASK[0] else status_of(malloc, 4096))


begin_capture(captured, MODE)
launch(captured, 1)
if OTHER_THREAD:
    thread = threading.Thread(target=asks)
    thread.start()
    thread.join()
else:
    asks()
ended = status_of(end_capture, captured)
told(asked=seen[0], ended=ended)
"""


@pytest.mark.parametrize("ask", ["cudaEventQuery", "cudaStreamQuery", "cudaEventSynchronize", "cudaStreamSynchronize", "cudaMalloc"])
@pytest.mark.parametrize("mode, thread, allowed", [
    (0, "own", False), (0, "other", False), (1, "own", False), (1, "other", True), (2, "own", True), (2, "other", True),
])  # fmt: skip
def test_what_may_be_asked_while_a_stream_is_captured(run, mode, thread, allowed, ask):  # noqa: F811
    """In global mode nothing that may wait, from any thread; in thread-local mode not from the thread that captures; relaxed: all."""
    said, _ = run("MODE, OTHER_THREAD, ASK = %d, %s, [%r]\n" % (mode, thread == "other", ask) + ASKED)
    assert (said["asked"] == 0) == allowed, said
    if not allowed:
        assert said["asked"] == UNSUPPORTED
    assert said["ended"] == (0 if allowed else INVALIDATED), "what is forbidden spoils the capture"


def test_a_thread_can_except_its_own_calls(run):  # noqa: F811
    said, _ = run("""
captured = stream()
begin_capture(captured, THREAD_LOCAL)
seen = []


def excepted():
    mode = ctypes.c_int(RELAXED)
    call("cudaThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    seen.extend([mode.value, status_of(malloc, 4096)])


thread = threading.Thread(target=excepted)
thread.start()
thread.join()
told(seen=seen, ended=status_of(end_capture, captured))
""")
    assert said == {"seen": [0, 0], "ended": 0}


@pytest.mark.parametrize("source, status", [
    ('begin_capture(LEGACY)', UNSUPPORTED),
    ('a = stream(); begin_capture(a); launch(LEGACY, 1)', IMPLICIT),
    ('a = stream(); begin_capture(a); b = stream(); e = event(); record(e, b); wait(a, e)', ISOLATION),
    ('a = stream(); b = stream(); e = event(); begin_capture(a); launch(a); record(e, a); wait(b, e); launch(b); end_capture(a)', UNJOINED),
    ('a = stream(); b = stream(); e = event(); begin_capture(a); launch(a); record(e, a); wait(b, e); end_capture(b)', UNMATCHED),
    ('a = stream(); e = event(); begin_capture(a); launch(a); record(e, a); call("cudaEventQuery", e)', CAPTURED_EVENT),
    ('a = stream(); b = stream(); e = event(); begin_capture(a); launch(a); record(e, a); begin_capture(b); launch(b); wait(b, e)', MERGE),
    ('a = stream(); begin_capture(a); copy(malloc_before, pageable_before, 1 << 20, TO_DEVICE, a)', UNSUPPORTED),
])  # fmt: skip
def test_what_a_capture_refuses(run, source, status):  # noqa: F811
    said, _ = run("""
malloc_before, pageable_before = malloc(1 << 20), pageable(1 << 20)


def tries():
    exec(SOURCE)


status = status_of(tries)
print("TOLD " + json.dumps({"status": status}), flush=True)
os._exit(0)
""".replace("SOURCE", repr(source)))
    assert said["status"] == status


def test_only_the_thread_that_began_it_ends_a_capture(run):  # noqa: F811
    said, _ = run("""
captured = stream()
begin_capture(captured)
launch(captured, 1)
seen = []
thread = threading.Thread(target=lambda: seen.append(status_of(end_capture, captured)))
thread.start()
thread.join()
told_status = status_of(end_capture, captured)
print("TOLD " + json.dumps({"other": seen[0], "own": told_status}), flush=True)
os._exit(0)
""")
    assert said["other"] == WRONG_THREAD
