"""Simulated NVML against the truth of the same run, seen from processes that use CUDA and from one that does not."""

import json

import pytest
from nvml_programs import SAWTOOTH, SECOND, START, run  # noqa: F401

WATCHED = (
    SAWTOOTH
    + """
sawtooth(0.5)
watcher = process_of('''
nvml = Nvml()
device = nvml.device()
polled, gpm, shares, stamp = [], [], [], 0
before, before_ns = nvml.gpm_sample(device), time.monotonic_ns()
for _ in range(6):
    time.sleep(0.5)
    now_ns = time.monotonic_ns()
    polled.append((now_ns, nvml.utilization(device)))
    after, after_ns = nvml.gpm_sample(device), time.monotonic_ns()
    gpm.append((before_ns, after_ns, nvml.gpm(before, after, GRAPHICS_UTIL, SM_UTIL)))
    shares.append((time.monotonic_ns(), nvml.process_shares(device)))
    before, before_ns = after, after_ns
samples, stamp = nvml.samples(device, GPU_UTILIZATION)
again = code_of(nvml.samples, device, GPU_UTILIZATION, stamp)
print(json.dumps([polled, gpm, shares, samples, again, os.getpid(), list(nvml.processes(device))]))
''')
sawtooth(going=lambda: watcher.poll() is None)
polled, gpm, shares, samples, again, watcher, holders = json.loads(watcher.stdout.readline())
told(polled=polled, gpm=gpm, shares=shares, samples=samples, again=again, watcher=watcher, holders=holders, mine=os.getpid())
"""
)


@pytest.fixture(scope="module")
def watched(simgpu):
    result = simgpu.run(START + WATCHED, own_modules=True)
    assert result.status == 0 and "TOLD " in result.output, result.output
    return json.loads(result.output.split("TOLD ")[-1].splitlines()[0]), result.truth


def busy_percent(truth, from_ns, to_ns, **which):
    return 100 * truth.busy(from_ns, to_ns, kinds=("kernel",), **which)


def test_utilization_is_the_share_of_the_last_second_with_a_kernel(watched):
    said, truth = watched
    for at, percent in said["polled"]:
        assert percent == pytest.approx(busy_percent(truth, at - SECOND, at), abs=2)
    assert 10 < said["polled"][-1][1] < 90


def test_samples_are_shares_of_their_own_periods(watched):
    said, truth = watched
    assert len(said["samples"]) == 50
    for at, percent in said["samples"]:
        assert percent == pytest.approx(busy_percent(truth, at - SECOND // 5, at), abs=2)
    assert said["again"] == 6  # "Not found" until the next period has ended


def test_gpm_gives_what_is_known_and_nothing_else(watched):
    said, truth = watched
    for begin, end, metrics in said["gpm"]:
        assert list(metrics) == ["1"]
        assert metrics["1"] == pytest.approx(busy_percent(truth, begin, end), abs=2)


def test_a_process_has_its_own_share(watched):
    said, truth = watched
    at, shares = said["shares"][-1]
    until = at // 125_000_000 * 125_000_000
    assert list(shares) == [str(said["mine"])]
    assert shares[str(said["mine"])] == pytest.approx(busy_percent(truth, until - SECOND, until), abs=2)


def test_a_process_without_cuda_asks_and_is_not_listed(watched):
    said, truth = watched
    assert said["holders"] == [said["mine"]]
    assert said["watcher"] not in {operation.pid for operation in truth.operations}


HOLDER = """
import cudart
cudart.malloc(int(sys.argv[1]) << 20)
print("holds", flush=True)
sys.stdin.readline()
"""


def test_memory_and_processes_of_two_processes(run):
    said, _ = run(
        "HOLDER = %r" % HOLDER
        + """
nvml = Nvml()
device = nvml.device()
first, second = process_of(HOLDER, 100), process_of(HOLDER, 200)
first.stdout.readline(), second.stdout.readline()
both, used_by_both = nvml.processes(device), nvml.memory(device).used
version_2 = MemoryV2(version=ctypes.sizeof(MemoryV2) | 2 << 24)
nvml.filled(version_2, "nvmlDeviceGetMemoryInfo_v2", device)
first.kill()  # without a word to the driver
os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked after it
one, used_by_one = nvml.processes(device), nvml.memory(device).used
second.communicate("end")
told(both=both, one=one, none=nvml.processes(device), used=[used_by_both, used_by_one, nvml.memory(device).used],
     pids=[first.pid, second.pid], version_2=[version_2.used, version_2.free, version_2.total])
"""
    )
    first, second = map(str, said["pids"])
    context = said["both"][first] - (100 << 20)
    assert context > 0 and said["both"] == {first: context + (100 << 20), second: context + (200 << 20)}
    assert said["one"] == {second: context + (200 << 20)}
    assert said["none"] == {}
    assert said["used"] == [2 * context + (300 << 20), context + (200 << 20), 0]
    assert said["version_2"] == [said["used"][0], (80 << 30) - said["used"][0], 80 << 30]


def test_two_processes_share_the_time(run):
    said, truth = run(
        SAWTOOTH
        + """
other = process_of(SAWTOOTH + '''
sawtooth(0.01)
print("started", flush=True)
sawtooth(30, ms=2)
''')
other.stdout.readline()
sawtooth(2)
nvml = Nvml()
at = time.monotonic_ns()
shares, together = nvml.process_shares(nvml.device()), nvml.utilization(nvml.device())
other.kill()
told(at=at, shares=shares, together=together, mine=os.getpid(), other=other.pid)
""".replace("SAWTOOTH", repr(SAWTOOTH))
    )
    until = said["at"] // 125_000_000 * 125_000_000
    for pid in (said["mine"], said["other"]):
        assert said["shares"][str(pid)] == pytest.approx(busy_percent(truth, until - SECOND, until, pid=pid), abs=2)
    assert said["together"] == pytest.approx(busy_percent(truth, said["at"] - SECOND, said["at"]), abs=2)


def test_bytes_over_pcie_are_spread_over_the_time_of_their_copies(run):
    said, truth = run("""
import cudart
nvml = Nvml()
device = nvml.device()
size = 1 << 30
on_device, host = cudart.malloc(size), cudart.pinned(size)
for _ in range(20):  # 20 ms each, queued at once
    cudart.copy(on_device, host, size, cudart.TO_DEVICE)
before, begin = nvml.gpm_sample(device), time.monotonic_ns()
rates = [nvml.pcie_bytes_per_s(device, RECEIVED), nvml.pcie_bytes_per_s(device, SENT)]
time.sleep(0.15)
after, end = nvml.gpm_sample(device), time.monotonic_ns()
gpm = nvml.gpm(before, after, PCIE_TX, PCIE_RX)
cudart.synchronize()
told(rates=rates, gpm=[gpm[PCIE_RX], gpm[PCIE_TX]])
""")
    copy = truth.of(kinds=("copy_to_device",))[0]
    rate = copy.bytes * 1e9 / (copy.end_ns - copy.start_ns)
    assert said["rates"] == [pytest.approx(rate, rel=0.03), 0]
    assert said["gpm"] == [pytest.approx(rate / (1 << 20), rel=0.03), 0]


def test_all_devices_are_listed_whatever_the_program_sees(run):
    said, _ = run(
        """
import cudart
nvml = Nvml()
visible = ctypes.c_int()
cudart.call("cudaGetDeviceCount", ctypes.byref(visible))
bus = ctypes.create_string_buffer(32)
cudart.call("cudaDeviceGetPCIBusId", bus, 32, 0)
cudart.malloc(1 << 20)
handle = ctypes.c_void_p()
nvml.ask("nvmlDeviceGetHandleByPciBusId_v2", bus, ctypes.byref(handle))
uuids = [nvml.text("nvmlDeviceGetUUID", nvml.device(i)) for i in range(3)]
by_uuid = ctypes.c_void_p()
nvml.ask("nvmlDeviceGetHandleByUUID", uuids[2].encode(), ctypes.byref(by_uuid))
told(visible=visible.value, count=nvml.count(), uuids=uuids, index=nvml.number("nvmlDeviceGetIndex", handle),
     by_uuid=nvml.number("nvmlDeviceGetIndex", by_uuid), holders=[len(nvml.processes(nvml.device(i))) for i in range(3)],
     names=[nvml.text("nvmlDeviceGetName", nvml.device(i)) for i in (0, 2)])
""",
        device="h100,h100,t4",
        devices=3,
        env={"CUDA_VISIBLE_DEVICES": "2"},
    )
    assert said["visible"] == 1 and said["count"] == 3
    assert len(set(said["uuids"])) == 3
    assert said["index"] == said["by_uuid"] == 2 and said["holders"] == [0, 0, 1]
    assert said["names"] == ["NVIDIA H100 80GB HBM3 (simulated)", "Tesla T4 (simulated)"]


@pytest.mark.parametrize(
    "named, seen", [("GPU-02", [2]), ("GPU-0303,0", [3, 1]), ("GPU-0", []), ("GPU-0404", []), ("1,GPU-ff,0", [2])]
)
def test_devices_can_be_chosen_by_the_uuids_that_nvml_gives(run, named, seen):
    said, _ = run(
        """
import cudart
visible, bus = ctypes.c_int(), ctypes.create_string_buffer(32)
cudart.status_of(cudart.call, "cudaGetDeviceCount", ctypes.byref(visible))
buses = []
for i in range(visible.value):
    cudart.call("cudaDeviceGetPCIBusId", bus, 32, i)
    buses.append(int(bus.value.split(b":")[1], 16))
told(buses=buses)
""",
        devices=3,
        env={"CUDA_VISIBLE_DEVICES": named},
    )
    assert said["buses"] == seen


def test_wrong_questions_are_refused(run):
    said, _ = run("""
nvml = Nvml(initialized=False)
before = nvml.code("nvmlDeviceGetCount_v2", ctypes.byref(U32()))
end_before = nvml.code("nvmlShutdown")
nvml.ask("nvmlInit_v2")
nvml.ask("nvmlInit_v2")
device = nvml.device()
nvml.ask("nvmlShutdown")
after_one = nvml.code("nvmlDeviceGetUtilizationRates", device, ctypes.byref(Utilization()))
told(
    before=before, end_before=end_before, after_one=after_one,
    no_output=nvml.code("nvmlDeviceGetUtilizationRates", device, None),
    no_device=nvml.code("nvmlDeviceGetUtilizationRates", None, ctypes.byref(Utilization())),
    another=nvml.code("nvmlDeviceGetUtilizationRates", ctypes.c_void_p(4096), ctypes.byref(Utilization())),
    beyond=nvml.code("nvmlDeviceGetHandleByIndex_v2", U32(1), ctypes.byref(ctypes.c_void_p())),
    short=nvml.code("nvmlDeviceGetName", device, ctypes.create_string_buffer(4), U32(4)),
    old_version=nvml.code("nvmlDeviceGetMemoryInfo_v2", device, ctypes.byref(MemoryV2(version=1))),
    too_near=code_of(lambda: nvml.gpm(nvml.gpm_sample(device), nvml.gpm_sample(device), GRAPHICS_UTIL)),
    freed_twice=[nvml.code("nvmlGpmSampleFree", sample) for sample in [nvml.gpm_sample(device)] * 2],
    no_fan=nvml.code("nvmlDeviceGetFanSpeed", device, ctypes.byref(U32())),
    end=nvml.code("nvmlShutdown"), after_all=nvml.code("nvmlDeviceGetCount_v2", ctypes.byref(U32())),
)
""")
    assert said == {
        "before": 1, "end_before": 1, "after_one": 0, "no_output": 2, "no_device": 2, "another": 2, "beyond": 2,
        "short": 7, "old_version": 25, "too_near": 2, "freed_twice": [0, 2], "no_fan": 3, "end": 0, "after_all": 1,
    }  # fmt: skip


def test_a_list_that_is_too_short_says_how_long_it_must_be(run):
    said, _ = run("""
import cudart
cudart.malloc(1 << 20)
nvml = Nvml()
device = nvml.device()
count = U32(0)
code = nvml.code("nvmlDeviceGetComputeRunningProcesses_v3", device, ctypes.byref(count), None)
told(code=code, count=count.value)
""")
    assert said == {"code": 7, "count": 1}


FAULTS = """
import cudart
cudart.malloc(1 << 20)
nvml = Nvml()
device = nvml.device()
"""


@pytest.mark.parametrize("knob, listed, shares", [("no_processes", {}, 6), ("processes_denied", 4, 4)])
def test_processes_can_be_hidden_or_denied(run, knob, listed, shares):
    said, _ = run(
        FAULTS
        + """
cudart.launch(ms=300)
cudart.synchronize()
listed = code_of(nvml.processes, device)
told(listed=listed or nvml.processes(device), shares=code_of(nvml.process_shares, device))
""",
        env={"SIMGPU_NVML": knob},
    )
    assert said == {"listed": listed, "shares": shares}


def test_a_driver_without_buffers_of_samples(run):
    said, _ = run(
        FAULTS + "told(samples=code_of(nvml.samples, device, POWER), polled=nvml.utilization(device))",
        env={"SIMGPU_NVML": "no_samples"},
    )
    assert said == {"samples": 3, "polled": 0}


def test_an_instance_has_memory_and_gpm_of_its_own_call(run):
    said, truth = run(
        FAULTS
        + """
instance = nvml.instance(device)
number = nvml.number("nvmlDeviceGetGpuInstanceId", instance)
before = nvml.gpm_sample(device, number)
begin = time.monotonic_ns()
for _ in range(10):
    cudart.launch(ms=10)
cudart.synchronize()
time.sleep(0.1)
after, end = nvml.gpm_sample(device, number), time.monotonic_ns()
told(
    begin=begin, end=end, gpm=nvml.gpm(before, after, GRAPHICS_UTIL)[GRAPHICS_UTIL], memory=nvml.memory(instance).used,
    whole=nvml.memory(device).used, sample_of_instance=code_of(nvml.gpm_sample, instance),
    wrong=code_of(nvml.gpm_sample, device, number + 1),
    utilization=[code_of(nvml.utilization, one) for one in (device, instance)], power=code_of(nvml.power_w, instance),
    samples=code_of(nvml.samples, device, GPU_UTILIZATION),
)
""",
        env={"SIMGPU_NVML": "mig"},
    )
    assert said["gpm"] == pytest.approx(busy_percent(truth, said["begin"], said["end"]), abs=2)
    assert said["memory"] == said["whole"] > 1 << 20
    assert said["sample_of_instance"] == 3 and said["wrong"] == 2
    assert said["utilization"] == [3, 3] and said["power"] == 3 and said["samples"] == 3


def test_a_fault_of_a_kernel_is_an_xid_event(run):
    said, _ = run(
        """
import cudart
nvml = Nvml()
device = nvml.device()
events = ctypes.c_void_p(nvml.number("nvmlEventSetCreate", of=ctypes.c_void_p))
nvml.ask("nvmlDeviceRegisterEvents", device, U64(XID), events)
event = Event()
quiet = nvml.code("nvmlEventSetWait_v2", events, ctypes.byref(event), U32(0))
cudart.launch(ms=100)
cudart.launch(ms=100)
early = nvml.code("nvmlEventSetWait_v2", events, ctypes.byref(event), U32(0))
seen = nvml.code("nvmlEventSetWait_v2", events, ctypes.byref(event), U32(5000))
told(quiet=quiet, early=early, seen=seen, xid=event.data, same=event.device == device.value,
     status=cudart.status_of(cudart.synchronize), once=nvml.code("nvmlEventSetWait_v2", events, ctypes.byref(event), U32(0)))
""",
        env={"SIMGPU_FAULT": 2},
    )
    assert said == {"quiet": 10, "early": 10, "seen": 0, "xid": 31, "same": True, "status": 700, "once": 10}


def test_threads_and_a_child_after_fork_ask_at_once(run):
    said, _ = run("""
import cudart
cudart.malloc(1 << 20)
nvml = Nvml()
device = nvml.device()
used = []


def ask():
    for _ in range(200):
        nvml.utilization(device), nvml.power_w(device)
        used.append(nvml.memory(device).used)


threads = [threading.Thread(target=ask) for _ in range(4)]
for one in threads:
    one.start()
child = os.fork()
if child == 0:
    os._exit(0 if nvml.memory(nvml.device()).used == nvml.processes(device)[os.getppid()] else 1)
for one in threads:
    one.join()
told(child=os.waitpid(child, 0)[1], used=len(used), different=len(set(used)))
""")
    assert said == {"child": 0, "used": 800, "different": 1}
