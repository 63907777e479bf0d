"""bench/data/training.py: what it makes of figures. The trainings themselves take minutes."""

import pytest
import training
from training import Training


def test_welch_s_interval_of_two_samples():
    # Variances 1 and 4 of three each: standard error sqrt(5/3), 2.94 degrees of freedom, so t of 2: 4.303.
    difference, half = training.welch([2.0, 3.0, 4.0], [0.0, 2.0, 4.0])
    assert difference == pytest.approx(1.0)
    assert half == pytest.approx(4.303 * (5 / 3) ** 0.5)
    assert training.welch([0.5, 0.5], [0.25, 0.25]) == (0.25, 0.0)


def test_the_page_counts_the_epochs_whose_interval_holds_0():
    def trainings(*curves, waiting, fetched=None):
        return [Training(list(curve), waiting, 50.0, fetched) for curve in curves]

    facts = {"cpu": "a CPU", "cores": 2, "cpus_of_machine": 2, "linux": "6.1", "load_before": 0.1, "date": "2026-11-22", "python": "3.11"}
    text = training.page({"torch": trainings((0.4, 0.2), (0.6, 0.2), waiting=0.5),
                          "native": trainings((0.5, 0.9), (0.6, 0.9), waiting=0.01, fetched=1)}, facts, 2)
    assert "| 1 | 0.500 | 0.550 | +0.050 |" in text and "| 2 | 0.200 | 0.900 | +0.700 | +0.700 to +0.700 |" in text
    assert "a difference of up to 70.0 percentage points; with 2 seeds" in text
    assert "| torch | 50.0 % (50.0 to 50.0) |" in text and "| native | 1.0 % (1.0 to 1.0) |" in text
    assert "made for the engine: 2." in text


def test_lines_of_the_program_are_read_and_no_others():
    assert training.LINE.findall("epoch 1 accuracy 0.5\nnote: epoch 2 accuracy 0.6\nepoch 3 accuracy 0.75 \n") == [("1", "0.5")]
