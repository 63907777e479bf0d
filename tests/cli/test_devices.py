"""Devices of a pretended NVIDIA driver (src/collect/nvml/fake) in a real run.

The real code path up to the driver's symbols: dlopen, thread, recorder, store,
report. Whatever the driver does, the program and flatout's end are as without it.
"""

import re
import signal
import time

import pytest

import harness

# Says its own end, so that what flatout adds after it can be measured.
PROGRAM = """
import sys, time
time.sleep({seconds})
print(time.monotonic(), flush=True)
sys.exit(3)
"""

TRAIN = """
import time, torch
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(120, 8)), batch_size=4)
for (batch,) in data:
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
    time.sleep(0.1)
"""

HEALTHY = """
driver 570.11
device NVIDIA H200
  uuid GPU-11111111
  set memory_total 150000000000
  set memory_used 7000000000
  set clock_sm 1500
  set temperature 55
  set utilization 60
  set throttle_power_share 0.5
  set gpm_tensor 30
device NVIDIA H200
  uuid GPU-22222222
  set utilization 5
"""


@pytest.fixture
def driver(cli, tmp_path):
    """run(script, *arguments) -> Popen result under the pretended driver."""
    library = harness.flatout_bin().parents[1] / "test" / "libfake_nvml.so"
    assert library.is_file(), f"{library} is not there: build the target fake_nvml"

    def run(script, *arguments, library=library, **environment):
        file = tmp_path / "driver.txt"
        file.write_text(script)
        env = cli.env(FLATOUT_NVML_LIBRARY=library, FAKE_NVML_SCRIPT=file, **environment)
        env.pop("CUDA_VISIBLE_DEVICES", None)
        env.update({k: v for k, v in environment.items()})
        return cli(*arguments, env=env)

    return run


def python(code):
    return ("run", "--", harness.PYTHON, "-c", code)


def own_lines(done):
    """Lines that flatout said during the program's life."""
    return [line for line in done.stderr.decode().splitlines() if line.startswith("flatout: ")]


def test_devices_and_their_series_are_in_the_stored_run(cli, driver):
    done = driver(HEALTHY, *python(TRAIN))
    assert done.returncode == 0, done.stderr
    assert own_lines(done) == []
    report = cli.report()
    assert report["steps"]["count"] == 30
    first, second = [d for d in report["devices"] if d["kind"] == "cuda"]
    assert (first["name"], first["uuid"], second["uuid"]) == ("NVIDIA H200", "GPU-11111111", "GPU-22222222")
    assert first["utilization"]["source"] == "nvml"
    assert first["utilization"]["mean"] == pytest.approx(0.6, abs=0.01)
    assert second["utilization"]["mean"] == pytest.approx(0.05, abs=0.01)
    assert first["memory_used_bytes"] == 7e9 and first["memory_total_bytes"] == 150e9
    assert first["temperature_c"] == 55 and first["sm_clock_mhz"] == pytest.approx(1500)
    assert first["power_w"] == pytest.approx(100, abs=1) and first["power_limit_w"] == 700
    assert first["throttled"]["power"] == pytest.approx(0.5, abs=0.1)
    assert first["activity"]["tensor"] == pytest.approx(0.3, abs=0.01)


def test_a_gpu_that_vanishes_is_one_line(cli, driver):
    done = driver(HEALTHY + " lost 0.8\n", *python(PROGRAM.format(seconds=2)))
    assert done.returncode == 3
    lines = own_lines(done)
    assert len(lines) == 1 and "GPU 1 (NVIDIA H200) is lost" in lines[0]


def test_an_error_in_mid_run_is_one_line(cli, driver):
    done = driver(HEALTHY + " fail nvmlDeviceGetTemperature 999 0.6\n", *python(PROGRAM.format(seconds=2)))
    assert done.returncode == 3
    assert len(own_lines(done)) == 1 and "nvmlDeviceGetTemperature" in own_lines(done)[0]


@pytest.mark.parametrize("call, begin", [("nvmlDeviceGetSamples", 0.5), ("nvmlDeviceGetMemoryInfo_v2", 0)])
def test_a_call_that_hangs_delays_nothing(cli, driver, call, begin):
    done = driver(HEALTHY + f" hang {call} {begin}\n", *python(PROGRAM.format(seconds=3.5)))
    ended = time.monotonic()
    assert done.returncode == 3
    assert ended - float(done.stdout) < 1.5
    lines = own_lines(done)
    # What hangs in the first round has longer, since the driver may have to wake its devices.
    assert len(lines) == (1 if begin else 0), lines
    assert all(re.search(rf"{call} has not returned for 2 s", line) for line in lines)


def test_a_driver_that_hangs_at_its_start_delays_nothing(cli, driver):
    done = driver("hang nvmlInit_v2 0\n" + HEALTHY, *python(PROGRAM.format(seconds=0.3)))
    assert time.monotonic() - float(done.stdout) < 1.5
    assert (done.returncode, own_lines(done)) == (3, [])


def test_a_hang_keeps_the_signal_that_ended_the_program(cli, driver):
    script = HEALTHY + " hang nvmlDeviceGetSamples 0.2\n"
    done = driver(script, "run", "--", "sh", "-c", "sleep 0.6; kill -TERM $$")
    assert done.returncode == -signal.SIGTERM


@pytest.mark.parametrize("script", ["", "fail nvmlInit_v2 9\n"])
def test_no_gpu_is_no_line(cli, driver, script):
    done = driver(script, *python(PROGRAM.format(seconds=0.5)))
    assert (done.returncode, own_lines(done)) == (3, [])
    assert b"GPU" not in done.stderr


def test_a_library_that_is_missing_is_one_line(cli, driver):
    done = driver("", *python(PROGRAM.format(seconds=0.5)), library="/nonexistent/libnvidia-ml.so")
    assert done.returncode == 3
    assert len(own_lines(done)) == 1 and "FLATOUT_NVML_LIBRARY" in own_lines(done)[0]


def test_doctor_tells_each_tier(cli, driver):
    text = driver(HEALTHY, "doctor").stdout.decode()
    assert "2 x NVIDIA H200, driver 570.11" in text
    for name in ("visible", "samples", "GPM", "clocks"):
        assert re.search(rf"^  ok  {name} ", text, re.M), text
    text = driver(HEALTHY.replace("set gpm_tensor 30", "set gpm 0"), "doctor").stdout.decode()
    assert re.search(r"^  --  GPM .*Hopper", text, re.M), text
    assert re.search(r"^  --  GPU .*the CPU is the device", driver("", "doctor").stdout.decode(), re.M)
