"""The page of a recorded run: rows, ratios, verdicts and reasons as the JSON has them."""

import copy
import json
from pathlib import Path

import loaders
import pytest
from fakes import answered_epoch
from loaderbench import page


def peer(rate, packed=False, first=0.25, memory=10**9, **changed):
    epochs = [{**answered_epoch(1000, round(1000 / (rate * scale) * 1e9)), "round": n} for n, scale in enumerate((0.98, 1, 1.02), 1)]
    return {"why_not": None, "versions": {"thing": "1.2"}, "packed": packed, "differs": ["resizes otherwise"], "packed_bytes": None,
            "threads": 3, "searched": {"2": rate * 0.9, "3": rate}, "epochs": epochs,
            "start_s": [{"from_ready": first, "from_start": first + 1}],
            "peak_pss_bytes": memory, "peak_pss_file_bytes": 10**8, "consumer": {"step_ns": 80_000_000, "starvation": 0.125}, **changed}


RECORDED = {
    "machine": {"cpu": "A processor", "cores": 2, "cpus_of_machine": 4, "linux": "6.1", "python": "3.11", "date": "2026-01-02",
                "load_before": 0.1},
    "set": {"request": {"images": 1000, "seed": 0}, "mean_pixels": 197000, "mean_bytes": 113000, "bits_a_pixel": 4.59,
            "subsampling": "4:2:0"},
    "settings": {"images": 1000, "batch_size": 64, "epochs": 4, "starts": 1, "seed": 0},
    "peers": {"torch-pil": peer(500), "dali": peer(900), "ffcv": peer(950, packed=True, packed_bytes=10**8, prepare_s=12.0),
              "grain": {"why_not": "import grain: ModuleNotFoundError: No module named 'grain'"},
              "flatout": peer(1600, first=0.1, memory=4 * 10**8)},
    "ceilings": [{"name": "crop-aware decode", "images_per_s": 1700, "threads": 2, "note": "in memory", "aim": True}],
}


@pytest.fixture
def text():
    return page.page(RECORDED)


def test_a_row_says_what_was_measured(text):
    rows = [line for line in text.splitlines() if line.startswith("| dali")]
    rates, costs = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert rates == ["dali", "900", "891–909", "887", "1.78 (1.78–1.78)", "1.80 (1.80–1.80)", "450", "3"]
    assert costs == ["dali", "0.25 s", "1.25 s", "1000 MB", "100 MB", "69.4 / 71 ms", "12%"]


def test_who_reads_a_file_of_its_own_is_marked(text):
    assert "| ffcv ¹ | 950 |" in text and "Its file: 100 MB, written in 12 s." in text


def test_who_was_not_measured_is_named_with_the_reason(text):
    assert "- **grain**: import grain: ModuleNotFoundError: No module named 'grain'" in text


def test_aims_are_held_against_the_same_files_only(text):
    assert "| ≥ 3 × torch-pil | 3.20 (3.20–3.20) | met |" in text
    assert "the best peer on the same files (dali) | 1.78 (1.78–1.78) | met |" in text
    assert "| ≥ 90% of crop-aware decode | 0.94" in text
    assert "| first batch < 0.3 s from ready | 0.10 s | met |" in text
    assert "| ≤ 0.5 of torch-pil's peak PSS | 0.40 | met |" in text


def test_an_aim_that_was_missed_says_so():
    slow = copy.deepcopy(RECORDED)
    slow["peers"]["flatout"] = peer(1000, first=0.5)
    text = page.page(slow)
    assert text.count("| not met |") == 5 and "| met |" not in text


def test_without_ours_there_are_no_aims():
    other = {**RECORDED, "peers": {"torch-pil": peer(500)}}
    assert "## Aims" not in page.page(other)


def test_with_nothing_measured_only_reasons_stand():
    text = page.page({**RECORDED, "peers": {"grain": RECORDED["peers"]["grain"]}})
    assert "## Rates" not in text and "- **grain**" in text


def test_the_page_is_written_from_a_file_with_more_ceilings(tmp_path: Path):
    recorded, ceiling, out = tmp_path / "run.json", tmp_path / "ceiling.json", tmp_path / "docs" / "page.md"
    recorded.write_text(json.dumps(RECORDED))
    ceiling.write_text(json.dumps({"ceilings": [{"name": "entropy only", "images_per_s": 2000, "threads": 2}]}))
    assert loaders.main(["--page", str(recorded), "--ceiling", str(ceiling), "--out", str(out)]) == 0
    assert "| entropy only | 2000 | 2000–2000 | 2 | 0.80 (0.79–0.81) |  |" in out.read_text() and "| crop-aware decode | 1700 |" in out.read_text()


def test_a_ceiling_of_rounds_is_compared_round_by_round():
    rounds = [{"round": n, "images_per_s": 3200 * scale, "images_per_cpu_s": 1000 * scale} for n, scale in enumerate((0.98, 1, 1.02), 1)]
    ceiling = {"name": "decoding", "images_per_s": 3200, "threads": 2, "aim": True, "rounds": rounds}
    text = page.page({**RECORDED, "ceilings": [ceiling]})
    assert "| ≥ 90% of decoding | 0.50 (0.50–0.50) | not met |" in text
    assert "| decoding | 3200 | 3168–3232 | 2 | 0.50 (0.50–0.50) | 0.80 (0.80–0.80) |" in text


def test_what_ran_beside_it_is_said():
    busy = copy.deepcopy(RECORDED)
    for one in busy["peers"]["flatout"]["epochs"]:
        one["others_cpu_ns"] = one["wall_ns"]  # one of the machine's four processors
    text = page.page({**busy, "beside": "a build"})
    assert "- Beside it: other programs took 25.0% of the machine's CPU time" in text and "; a build\n" in text
    assert "Beside it" not in page.page(RECORDED)


def test_stages_are_shares_of_the_threads_time():
    counted = copy.deepcopy(RECORDED)
    for one in counted["peers"]["flatout"]["epochs"]:
        one["stages"] = {"read": one["wall_ns"] * 3 // 10, "decode": one["wall_ns"] * 2}  # of three threads
    text = page.page(counted)
    assert "10.0% |" in text and "66.7% |" in text and "23.3% |" in text


def test_a_ceiling_that_lacks_something_is_refused(tmp_path):
    path = tmp_path / "ceiling.json"
    path.write_text('{"ceilings": [{"name": "x"}]}')
    with pytest.raises(SystemExit, match="lacks images_per_s, threads"):
        loaders.read_ceilings([path])


def test_one_epoch_is_refused():
    with pytest.raises(SystemExit):
        loaders.arguments(["--epochs", "1"])
