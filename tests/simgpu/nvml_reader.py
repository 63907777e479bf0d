"""Asks NVML, by ctypes, in a process that needs not use CUDA. Times are nanoseconds of CLOCK_MONOTONIC."""

import ctypes
import time

SUCCESS = 0  # of nvmlReturn_t; tests name the others by number
POWER, GPU_UTILIZATION = 0, 1  # nvmlSamplingType_t
CLOCK_SM = 1
POWER_CAP, THERMAL_SLOWDOWN, GPU_IDLE = 0x04, 0x20, 0x01  # nvmlClocksEventReasons
POLICY_POWER, POLICY_THERMAL = 0, 1
SENT, RECEIVED = 0, 1  # nvmlPcieUtilCounter_t
GRAPHICS_UTIL, SM_UTIL, PCIE_TX, PCIE_RX = 1, 2, 20, 21  # nvmlGpmMetricId_t
XID = 8

U32, U64 = ctypes.c_uint, ctypes.c_ulonglong


def struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


Utilization = struct("Utilization", ("gpu", U32), ("memory", U32))
Memory = struct("Memory", ("total", U64), ("free", U64), ("used", U64))
MemoryV2 = struct(
    "MemoryV2", ("version", U32), ("total", U64), ("reserved", U64), ("free", U64), ("used", U64)
)
ProcessInfo = struct(
    "ProcessInfo", ("pid", U32), ("bytes", U64), ("gpu_instance", U32), ("compute_instance", U32)
)
ProcessShare = struct(
    "ProcessShare", ("pid", U32), ("time_us", U64), ("sm", U32), ("memory", U32), ("encoder", U32), ("decoder", U32)
)
Sample = struct("Sample", ("time_us", U64), ("value", U32), ("rest", U32))
Violation = struct("Violation", ("reference_us", U64), ("held_ns", U64))
GpmSupport = struct("GpmSupport", ("version", U32), ("supported", U32))
GpmMetric = struct(
    "GpmMetric", ("id", U32), ("outcome", ctypes.c_int), ("value", ctypes.c_double), ("names", ctypes.c_char_p * 3)
)
GpmRequest = struct(
    "GpmRequest",
    ("version", U32),
    ("count", U32),
    ("first", ctypes.c_void_p),
    ("second", ctypes.c_void_p),
    ("metrics", GpmMetric * 333),
)
Event = struct(
    "Event",
    ("device", ctypes.c_void_p),
    ("type", U64),
    ("data", U64),
    ("gpu_instance", U32),
    ("compute_instance", U32),
)


class Refused(Exception):
    def __init__(self, call, code):
        super().__init__("%s: %d" % (call, code))
        self.code = code


class Nvml:
    def __init__(self, initialized=True):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        if initialized:
            self.ask("nvmlInit_v2")

    def code(self, call, *arguments):
        return getattr(self.library, call)(*arguments)

    def ask(self, call, *arguments):
        code = self.code(call, *arguments)
        if code != SUCCESS:
            raise Refused(call, code)

    def number(self, call, *arguments, of=U32):
        value = of()
        self.ask(call, *arguments, ctypes.byref(value))
        return value.value

    def filled(self, made, call, *arguments):
        self.ask(call, *arguments, ctypes.byref(made))
        return made

    def text(self, call, *arguments):
        buffer = ctypes.create_string_buffer(96)
        self.ask(call, *arguments, buffer, U32(96))
        return buffer.value.decode()

    def count(self):
        return self.number("nvmlDeviceGetCount_v2")

    def device(self, index=0):
        return ctypes.c_void_p(self.number("nvmlDeviceGetHandleByIndex_v2", U32(index), of=ctypes.c_void_p))

    def instance(self, device, index=0):
        return ctypes.c_void_p(self.number("nvmlDeviceGetMigDeviceHandleByIndex", device, U32(index), of=ctypes.c_void_p))

    def utilization(self, device):
        return self.filled(Utilization(), "nvmlDeviceGetUtilizationRates", device).gpu

    def memory(self, device):
        return self.filled(Memory(), "nvmlDeviceGetMemoryInfo", device)

    def processes(self, device):
        """{pid: bytes}"""
        count, found = U32(64), (ProcessInfo * 64)()
        self.ask("nvmlDeviceGetComputeRunningProcesses_v3", device, ctypes.byref(count), found)
        return {one.pid: one.bytes for one in found[: count.value]}

    def process_shares(self, device):
        count, found = U32(64), (ProcessShare * 64)()
        self.ask("nvmlDeviceGetProcessUtilization", device, found, ctypes.byref(count), U64(0))
        return {one.pid: one.sm for one in found[: count.value]}

    def power_w(self, device):
        return self.number("nvmlDeviceGetPowerUsage", device) / 1000

    def energy_j(self, device):
        return self.number("nvmlDeviceGetTotalEnergyConsumption", device, of=U64) / 1000

    def temperature(self, device):
        return self.number("nvmlDeviceGetTemperature", device, U32(0))

    def sm_clock(self, device):
        return self.number("nvmlDeviceGetClockInfo", device, U32(CLOCK_SM))

    def reasons(self, device):
        return self.number("nvmlDeviceGetCurrentClocksThrottleReasons", device, of=U64)

    def held_ns(self, device, policy):
        return self.filled(Violation(), "nvmlDeviceGetViolationStatus", device, U32(policy)).held_ns

    def pcie_bytes_per_s(self, device, direction):
        return 1000 * self.number("nvmlDeviceGetPcieThroughput", device, U32(direction))

    def samples(self, device, kind, last_seen_us=0):
        """[(time, value)], and the newest stamp."""
        count, value_type = U32(), U32()
        last = U64(last_seen_us)
        self.ask("nvmlDeviceGetSamples", device, U32(kind), last, ctypes.byref(value_type), ctypes.byref(count), None)
        found = (Sample * count.value)()
        self.ask("nvmlDeviceGetSamples", device, U32(kind), last, ctypes.byref(value_type), ctypes.byref(count), found)
        ahead = time.time_ns() - time.monotonic_ns()
        return [(one.time_us * 1000 - ahead, one.value) for one in found[: count.value]], found[count.value - 1].time_us

    def gpm_sample(self, device, instance_id=None):
        sample = ctypes.c_void_p(self.number("nvmlGpmSampleAlloc", of=ctypes.c_void_p))
        if instance_id is None:
            self.ask("nvmlGpmSampleGet", device, sample)
        else:
            self.ask("nvmlGpmMigSampleGet", device, U32(instance_id), sample)
        return sample

    def gpm(self, first, second, *ids):
        """{id: value}, without those that are not supported."""
        request = GpmRequest(version=1, count=len(ids), first=first, second=second)
        for metric, one in zip(request.metrics, ids):
            metric.id = one
        self.ask("nvmlGpmMetricsGet", ctypes.byref(request))
        return {metric.id: metric.value for metric in request.metrics[: len(ids)] if metric.outcome == SUCCESS}
