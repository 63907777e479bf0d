"""Power, heat and clocks of simulated NVML under load, against the truth of the same run."""

import pytest
from nvml_programs import SECOND, run  # noqa: F401

# A device that has work for two seconds and more, all of it queued at once, so that a busy host makes no pauses.
LOADED = """
import cudart
nvml = Nvml()
device = nvml.device()
energy = nvml.energy_j(device)
idle = {"power": nvml.power_w(device), "temperature": nvml.temperature(device), "reasons": nvml.reasons(device)}
begin = time.monotonic_ns()
for _ in range(500):
    cudart.launch(ms=5)
time.sleep(2)
cudart.launch(ms=5)  # a kernel has the clock of the time of its launch, as far as heat goes
held = [nvml.held_ns(device, policy) for policy in (POLICY_POWER, POLICY_THERMAL)]
told(
    idle=idle, begin=begin, end=time.monotonic_ns(), power=nvml.power_w(device), temperature=nvml.temperature(device),
    clock=nvml.sm_clock(device), reasons=nvml.reasons(device), held=held,
    energy=nvml.energy_j(device) - energy, samples=nvml.samples(device, POWER)[0],
    limit=nvml.number("nvmlDeviceGetEnforcedPowerLimit", device) / 1000,
)  # without waiting for the rest
"""


def last_kernel_ms(truth):
    last = truth.of(kinds=("kernel",))[-1]
    return (last.end_ns - last.start_ns) / 1e6


def test_without_limits_a_busy_device_draws_its_limit_at_full_clock(run):
    said, truth = run(LOADED)
    assert said["idle"] == {"power": 70, "temperature": 35, "reasons": 1}
    busy = truth.busy(said["end"] - SECOND, said["end"], kinds=("kernel",))
    assert busy > 0.9
    assert said["power"] == pytest.approx(70 + busy * 630, abs=20)
    assert said["clock"] == 1980 and said["reasons"] == 0 and said["held"] == [0, 0]
    assert last_kernel_ms(truth) == pytest.approx(5, rel=0.01)
    within = [watts for at, watts in said["samples"] if at > said["begin"] + SECOND // 2]
    assert within and all(watts == pytest.approx(said["power"] * 1000, rel=0.1) for watts in within)


def test_a_power_limit_lowers_the_clock_and_lengthens_kernels(run):
    said, truth = run(LOADED, env={"SIMGPU_POWER_LIMIT_W": 385})  # half of what an H100 draws above idle
    assert said["limit"] == 385
    assert said["power"] == pytest.approx(385, abs=2)
    assert said["clock"] == pytest.approx(990, rel=0.1)
    assert said["reasons"] == 0x04  # SwPowerCap
    assert last_kernel_ms(truth) == pytest.approx(5 * 1980 / said["clock"], rel=0.1)
    # Power over 100 ms has to reach the limit first; then it holds throughout.
    assert 0.8 < said["held"][0] / (said["end"] - said["begin"]) <= 1 and said["held"][1] == 0
    assert 0.85 < said["energy"] / (385 * (said["end"] - said["begin"]) / 1e9) < 1.01


def test_heat_lowers_the_clock_and_lengthens_kernels(run):
    said, truth = run(LOADED, env={"SIMGPU_AMBIENT_C": 79})  # an idle device is 10 degrees hotter: two above its 87
    assert said["idle"]["temperature"] == 89 and said["temperature"] >= 89
    assert said["clock"] < 0.85 * 1980
    assert said["reasons"] == 0x20  # SwThermalSlowdown
    assert last_kernel_ms(truth) == pytest.approx(5 * 1980 / said["clock"], rel=0.1)
    assert said["held"][0] == 0 and said["held"][1] > 0.9 * (said["end"] - said["begin"])


def test_a_busy_device_gets_warm(run):
    said, _ = run(LOADED)
    assert said["idle"]["temperature"] + 3 < said["temperature"] < 72
