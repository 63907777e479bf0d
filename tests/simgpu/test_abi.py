"""What flatout declares of NVIDIA's C interfaces by itself, against NVIDIA's own headers, by the compiler."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from machine import BUILT

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "src"
MEMBER = re.compile(r"^\s*(?:Cuda)?Function<[^;{]*>\s*(\w+)\{\s*library,\s*\"(\w+)\"", re.MULTILINE)

# What is checked: the file in abi/, the table of calls, and its type.
NVML = ("nvml.cc", "collect/nvml/driver.h", "flatout::collect::nvml::Functions")
CUDA = ("cuda_driver.cc", "data/device/cuda_driver.h", "flatout::data::device::CudaFunctions")
# Their calls are named in the files themselves.
HOOKS = ("device_clock.cc", "inject/device_clock/driver.h", "")
CUPTI = ("cupti.cc", "inject/cupti/cupti_api.h", "")


def calls_of(header):
    """[(member, symbol)] of a table of functions."""
    return MEMBER.findall((SOURCES / header).read_text())


@pytest.fixture
def compiled(tmp_path):
    """What the compiler says, "" = nothing, of a file of abi/ with a line for each call; `change` may alter it."""
    if not (BUILT / "include" / "nvml.h").is_file():
        pytest.skip("NVIDIA's headers are not in build/simgpu/include: `make test` or tests/simgpu/prepare.py fetches them")
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        pytest.skip("no C++ compiler: %s" % compiler)

    def compile_one(source, header, table, change=lambda text: text):
        calls = calls_of(header)
        lines = ["CALL(%s, %s, %s);" % (table, member, symbol) for member, symbol in calls]
        path = tmp_path / source
        path.write_text(change((HERE / "abi" / source).read_text() + "\n".join(lines) + "\n"))
        folders = ["-I", str(SOURCES), "-I", str(HERE), "-isystem", str(BUILT / "include")]
        flags = ["-std=c++23", "-fsyntax-only", "-w", *folders]
        return subprocess.run([compiler, *flags, str(path)], capture_output=True, text=True).stderr

    return compile_one


@pytest.mark.parametrize("interface", [NVML, CUDA, HOOKS, CUPTI], ids=["nvml", "cuda_driver", "hooks", "cupti"])
def test_flatouts_declarations_are_nvidias(compiled, interface):
    assert compiled(*interface) == ""


def test_every_function_of_the_tables_is_read():
    for _, header, _ in (NVML, CUDA):
        text = (SOURCES / header).read_text()
        assert len(calls_of(header)) == len(re.findall(r"\{\s*library,\s*\"", text)) > 30


@pytest.mark.parametrize(
    "old, new, says",
    [
        ("data, nvmlEventData_t, eventData)", "data, nvmlEventData_t, eventType)", "EventData::data is not"),
        ("NUMBER(kEventXid, nvmlEventTypeXidCriticalError)", "NUMBER(kEventXid, nvmlEventTypePState)", "kEventXid is not"),
        ("SIZE(MemoryV2, nvmlMemory_v2_t)", "SIZE(MemoryV1, nvmlMemory_v2_t)", "MemoryV1 is not as long"),
        ("power, nvmlDeviceGetPowerUsage", "power, nvmlDeviceGetTotalEnergyConsumption", "with other types"),
        ("utilization, nvmlDeviceGetUtilizationRates", "utilization, nvmlDeviceGetMemoryInfo", "with other types"),
        ("shutdown, nvmlShutdown", "shutdown, nvmlInitWithFlags", "with other types"),
    ],
)
def test_what_differs_is_found(compiled, old, new, says):
    def swapped(text):
        assert old in text
        return text.replace(old, new)

    assert says in compiled(*NVML, change=swapped)


@pytest.mark.parametrize("interface", [HOOKS, CUPTI], ids=["hooks", "cupti"])
def test_every_call_of_the_hooks_and_the_agent_is_compared(interface):
    members = re.findall(r"Status \(\*(\w+)\)\(", (SOURCES / interface[1]).read_text())
    compared = re.findall(r"^POINTER\((\w+),", (HERE / "abi" / interface[0]).read_text(), re.MULTILINE)
    assert len(members) > 5 and set(members) == set(compared)


def test_every_place_in_a_record_is_compared():
    places = re.findall(r"\b(k\w+) = \d+", (SOURCES / "inject/cupti/layout.h").read_text())
    compared = re.findall(r"^PLACE\(\w+::(k\w+),", (HERE / "abi" / CUPTI[0]).read_text(), re.MULTILINE)
    assert sorted(place for place in places if place != "kLeastBytes") == sorted(compared) and len(compared) > 30


def test_what_differs_in_a_record_is_found(compiled):
    def moved(text):
        assert "kGraph, CUpti_ActivityKernel10, graphId" in text
        return text.replace("kGraph, CUpti_ActivityKernel10, graphId", "kGraph, CUpti_ActivityKernel10, graphNodeId")

    assert "is not where CUpti_ActivityKernel10 has it" in compiled(*CUPTI, change=moved)


def test_what_differs_in_the_hooks_is_found(compiled):
    assert "called with other types" in compiled(*HOOKS, change=lambda text: text.replace("query, cuEventQuery", "query, cuEventRecord"))
