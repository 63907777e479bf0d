"""Holds a Chrome trace of torch.profiler against the truth of the simulated device."""

import ctypes
import gzip
import json
import pathlib
import statistics

KERNELS, COPIES, SETS = "kernel", "gpu_memcpy", "gpu_memset"
CALLS = ("cuda_runtime", "cuda_driver")
SIDES = {
    ("copy_to_device", True): "Memcpy HtoD (Pageable -> Device)",
    ("copy_to_device", False): "Memcpy HtoD (Pinned -> Device)",
    ("copy_to_host", True): "Memcpy DtoH (Device -> Pageable)",
    ("copy_to_host", False): "Memcpy DtoH (Device -> Pinned)",
    ("copy_on_device", False): "Memcpy DtoD (Device -> Device)",
    ("copy_peer", False): "Memcpy PtoP (Device -> Device)",
}
LAUNCHES = ("cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "cudaGraphLaunch")
NS = 1000  # of a microsecond, in which traces count


def content_of(path):
    path = pathlib.Path(path)
    return json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())


class Trace:
    def __init__(self, path):
        events = [event for event in content_of(path)["traceEvents"] if event.get("ph") == "X"]
        self.device = [event for event in events if event.get("cat") in (KERNELS, COPIES, SETS)]
        self.calls = [event for event in events if event.get("cat") in CALLS]

    def call_of(self, event):
        """The runtime or driver calls of the same correlation; one, if the trace is right."""
        return [call for call in self.calls if call["args"]["correlation"] == event["args"]["correlation"]]


def demangled(name):
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode() if status.value == 0 else name  # a few bytes are left behind


def name_of(operation):
    if operation.kind == "kernel":
        return demangled(operation.name)
    return "Memset (Device)" if operation.kind == "set" else SIDES[operation.kind, operation.pageable]


def key_of_event(event):
    arguments = event["args"]
    return arguments["correlation"], arguments.get("graph node id", 0), arguments["device"], arguments["stream"], event["name"]


def key_of_operation(operation):
    return operation.correlation, operation.graph_node, operation.device, operation.stream, name_of(operation)


def matched(trace, operations):
    """[(event, operation)], one for one; an AssertionError names what is on one side alone."""
    events = sorted(trace.device, key=lambda event: (key_of_event(event), event["ts"]))
    real = sorted(operations, key=lambda operation: (key_of_operation(operation), operation.start_ns))
    seen, expected = [key_of_event(event) for event in events], [key_of_operation(operation) for operation in real]
    assert seen == expected, "only in the trace: %s; only in the truth: %s" % (
        [key for key in seen if key not in expected][:5],
        [key for key in expected if key not in seen][:5],
    )
    return list(zip(events, real))


def disagreements(pairs):
    """Nanoseconds by which starts (against the middle one) and durations differ: (largest start, largest duration)."""
    offsets = [event["ts"] * NS - operation.start_ns for event, operation in pairs]
    middle = statistics.median(offsets)
    starts = max(abs(offset - middle) for offset in offsets)
    durations = max(abs(event["dur"] * NS - (operation.end_ns - operation.start_ns)) for event, operation in pairs)
    return starts, durations


def assert_agrees(trace, operations):
    pairs = matched(trace, operations)
    assert pairs, "no operation of the device to compare"
    starts, durations = disagreements(pairs)
    assert starts <= NS and durations <= NS, "starts differ by up to %d ns, durations by %d ns" % (starts, durations)
    middle = statistics.median(event["ts"] * NS - operation.start_ns for event, operation in pairs)
    for event, operation in pairs:
        if event["cat"] != KERNELS:
            assert event["args"]["bytes"] == operation.bytes
        (call,) = trace.call_of(event)
        assert (call["name"] in LAUNCHES) == (operation.kind == "kernel" or operation.graph != 0), call["name"]
        assert call["ts"] * NS - NS <= operation.enqueued_ns + middle <= (call["ts"] + call["dur"]) * NS + NS
    return pairs
