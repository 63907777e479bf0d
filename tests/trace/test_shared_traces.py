"""`flatout analyze` on real traces, held against what slower, plain tools computed of them."""

import json

import pytest
from analyzed import TRACES, analyzed

FIGURES = TRACES / "figures.jsonl"
KNOWN = [json.loads(line) for line in FIGURES.read_text().splitlines()] if FIGURES.is_file() else []
POINT = 0.001  # a tenth of a point, of a share

pytestmark = pytest.mark.skipif(not KNOWN, reason=f"no real traces at {TRACES}")


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["file"].split(".")[0])
def test_devices_are_as_others_computed_them(known):
    report = analyzed(TRACES / known["file"])
    assert [device["index"] for device in report["devices"]] == [device["device"] for device in known["devices"]]
    for device, truth in zip(report["devices"], known["devices"]):
        for share in ("busy", "compute", "comm_exposed", "copy_exposed", "idle"):
            assert device[share] == pytest.approx(truth[share], abs=POINT), share
        assert device["window_ms"] == pytest.approx(truth["window_ms"], abs=0.001)
        assert device["kernels"]["count"] == truth["kernels"]
        assert device["kernels"]["time_ms"] == pytest.approx(truth["kernel_time_ms"], abs=0.001)
        assert device["kernels"]["short_share"] == pytest.approx(truth["short_share"], abs=1e-4)
        assert device["copies"]["h2d_bytes"] == truth["h2d_bytes"]
        assert device["copies"].get("pageable_share") == truth["pageable_share"]
        assert sum(device["idle_account"].values()) == pytest.approx(device["idle"], abs=1e-6)
        assert device["busy"] + device["idle"] == pytest.approx(1, abs=1e-6)
        assert device["comm"]["exposed_ms"] == pytest.approx(truth["comm_exposed"] * truth["window_ms"], abs=0.01)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["file"].split(".")[0])
def test_launches_lengths_and_free_work_add_up(known):
    for device in analyzed(TRACES / known["file"])["devices"]:
        lengths = device["kernels"]["lengths"]
        assert sum(bucket["count"] for bucket in lengths) == device["kernels"]["count"]
        assert sum(bucket["time_ms"] for bucket in lengths) == pytest.approx(device["kernels"]["time_ms"], abs=0.001)
        launch = device["launch"]
        assert 0 < launch["count"] and 0 <= launch["delay_us_median"] <= launch["delay_us_p95"]
        assert 0 <= launch["empty_queue_share"] <= 1
        saves = device["what_if_free"]["saves"]
        assert all(0 <= share <= 1 for share in saves.values())
        assert saves["launch"] >= device["idle_account"]["launch"] * device["window_ms"] / device["what_if_free"]["of_ms"] - 0.03


@pytest.mark.parametrize("known", [one for one in KNOWN if one["profiler_steps_ms"]], ids=lambda known: known["file"].split(".")[0])
def test_steps_are_the_profilers(known):
    steps = analyzed(TRACES / known["file"])["steps"]
    assert steps["count"] == len(known["profiler_steps_ms"])


def test_resnet_with_no_workers_is_input_bound():
    report = analyzed(TRACES / "resnet50_v100_workers0.pt.trace.json.gz")
    assert report["verdict"]["finding"] == "input_bound"
    on_device = report["steps"]["phases_device"]  # the plug-in counts a fetch only where no kernel runs
    assert on_device["data_wait"] == pytest.approx(0.334, abs=0.006) and sum(on_device.values()) == pytest.approx(1)
    assert on_device["forward"] + on_device["backward"] + on_device["optimizer"] == pytest.approx(0.555, abs=0.01)
    assert report["steps"]["phases"]["data_wait"] == pytest.approx(0.396, abs=0.002)
    assert report["steps"]["mean_ms"] == pytest.approx(1048.976 / 6, rel=0.005)
    (device,) = report["devices"]
    assert device["kernels"]["tensor_core_share"] == 0 and device["copies"]["pageable_share"] == 1
    assert device["launch"]["empty_queue_share"] < 0.5  # the host is ahead but for its batch fetches
    saves = device["what_if_free"]["saves"]
    assert saves["data"] == pytest.approx(0.33, abs=0.01) and saves["convolution"] < 0.05  # the device is not what the step waits for
    account = device["idle_account"]
    # What the pageable copies cost is theirs, as the replay has it, too; launching is then just below what is worth saying.
    assert account["copy"] == pytest.approx(saves["copy"], abs=0.002)
    assert 0.09 < account["launch"] < 0.1 and "graph_candidate" not in [finding["id"] for finding in report["findings"]]
    assert account["data"] == max(account.values())


def test_bert_small_is_launch_bound():
    report = analyzed(TRACES / "tracelens_h100_bert_small.json.gz")
    assert (report["verdict"]["finding"], report["verdict"]["cause"]) == ("launch_bound", "small_kernels")
    (device,) = report["devices"]
    assert device["launch"]["empty_queue_share"] > 0.95
    saves = device["what_if_free"]["saves"]
    assert saves["launch"] > 0.9 and max(share for work, share in saves.items() if work != "launch") < 0.05


def test_qwen_is_not_compiled():
    report = analyzed(TRACES / "tracelens_h100_qwen15_05b.json.gz")
    assert report["verdict"]["finding"] == "unfused_elementwise"
    (device,) = report["devices"]
    saves = device["what_if_free"]["saves"]
    assert saves["sync"] < 0.09  # its first wait is for work from before the trace, which the device has to do
    assert 0.15 < saves["elementwise"] < 0.4 and device["launch"]["empty_queue_share"] < 0.1
