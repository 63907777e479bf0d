"""Timing an epoch, on a clock that only the test moves; and the crops, and /proc."""

import os
import random
import statistics
import subprocess
import sys

import numpy as np
import pytest
from fakes import Clock, TimedLoader
from loaderbench import crop, figures, process_tree
from loaderbench.epoch import run_epoch, starvation


def test_what_an_epoch_is_made_of():
    clock = Clock()
    epoch = run_epoch(TimedLoader(clock, [64, 64, 10], [30, 20, 5], start_ns=100), clock)
    assert (epoch.samples, epoch.batches) == (138, 3)
    assert epoch.wall_ns == 155
    assert epoch.first_ns == 130
    assert epoch.waits_ns == [130, 20, 5]  # a generator starts in the first next()
    assert starvation(epoch) == 1.0  # it took no time itself


def test_a_consumer_that_is_slower_never_starves():
    clock = Clock()

    class Ready(TimedLoader):
        def __iter__(self):
            return iter([(None, [0] * 64)] * 5)

    epoch = run_epoch(Ready(clock, [], []), clock, step_ns=1000, wait=clock.wait)
    assert epoch.wall_ns == 5000
    assert starvation(epoch) == 0.0


def test_a_consumer_that_is_faster_starves_by_the_difference():
    clock = Clock()
    epoch = run_epoch(TimedLoader(clock, [64] * 5, [300] * 5), clock, step_ns=100, wait=clock.wait)
    assert starvation(epoch) == pytest.approx(4 * 300 / (4 * 300 + 5 * 100))


def test_an_epoch_can_be_cut_short():
    clock = Clock()
    epoch = run_epoch(TimedLoader(clock, [64] * 5, [10] * 5), clock, at_most_batches=2)
    assert epoch.batches == 2 and epoch.wall_ns == 20


def test_one_batch_has_no_starvation():
    clock = Clock()
    assert starvation(run_epoch(TimedLoader(clock, [1], [5]), clock)) is None


def test_figures_of_epochs():
    one = {"samples": 100, "wall_ns": 10**9, "cpu_ns": 2 * 10**9, "waits_ns": [8, 1, 1, 1], "round": 1}
    assert figures.rate(one) == 100
    assert figures.later_rate({**one, "waits_ns": [900, 90, 10, 10]}, 64, 2) == pytest.approx(2 * 64 / 20 * 1e9)
    # 4 batches of at most 30; what the start of the epoch costs is in the first one's wait.
    assert figures.steady_rate({**one, "waits_ns": [10**9, 20, 20, 10]}, 30, 1) == pytest.approx(70 / 50 * 1e9)
    assert figures.steady_rate(one, 30, 4) is None, "nothing came after the first four"
    assert figures.median_steady_rate({"epochs": [one, {**one, "waits_ns": [1]}]}, 30, 1) is None
    assert figures.rate_per_cpu_second({"epochs": [one]}) == 50
    assert figures.quartiles([1, 2, 3, 4, 5]) == (2, 3, 4)
    assert figures.quartiles([7]) == (7, 7, 7)
    assert figures.percentile(range(1, 101), 0.5) == 50
    assert figures.percentile(range(1, 101), 0.99) == 99
    assert figures.percentile([3], 0.99) == 3


def test_ratios_pair_the_rounds_that_both_have():
    def peer(rates):
        return {"epochs": [{"samples": r, "wall_ns": 10**9, "round": n} for n, r in rates.items()]}

    assert figures.ratios(peer({1: 30, 2: 60}), peer({1: 10, 3: 10})) == pytest.approx([3])


def test_crops_are_inside_and_have_the_shares_that_were_asked_for():
    rng = random.Random(7)
    shares = []
    for _ in range(4000):
        left, top, width, height = crop.random_crop(rng, 640, 480)
        assert 0 <= left and left + width <= 640 and 0 <= top and top + height <= 480
        assert crop.RATIO[0] * 0.98 < width / height < crop.RATIO[1] * 1.02
        shares.append(width * height / (640 * 480))
    share, ratio = np.meshgrid(np.linspace(*crop.SCALE, 400), np.exp(np.linspace(*np.log(crop.RATIO), 400)))
    fits = (np.sqrt(share * ratio * 640 * 480) <= 640) & (np.sqrt(share / ratio * 640 * 480) <= 480)
    assert min(shares) < 0.1 and statistics.fmean(shares) == pytest.approx(share[fits].mean(), abs=0.02)


@pytest.mark.parametrize("size, wanted", [
    ((1000, 100), (433, 0, 133, 100)),
    ((100, 1000), (0, 433, 100, 133)),
    ((90, 100), (0, 0, 90, 100)),
])
def test_the_largest_crop_that_is_allowed(size, wanted):
    assert crop.largest_crop(*size) == wanted


def test_a_tree_counts_what_its_children_do():
    spin = "import time\nt = time.process_time()\nwhile time.process_time() - t < 0.15: pass\n"
    before = process_tree.cpu_ns(os.getpid())
    subprocess.run([sys.executable, "-c", spin], check=True)
    assert process_tree.cpu_ns(os.getpid()) - before >= 140_000_000
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert child.pid in process_tree.tree(os.getpid())
    total, of_files = process_tree.pss_bytes(os.getpid())
    assert total > 10_000_000 and 0 <= of_files < total
    child.communicate(b"\n")
    assert child.pid not in process_tree.tree(os.getpid())
