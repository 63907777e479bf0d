"""The check of a loader's output: a right one passes, and each way to be wrong is named. With real files: test_peer_link.py."""

import numpy as np
import pytest
from fakes import CheckLoader
from loaderbench import check
from loaderbench.epoch import run_epoch


def problems(loader, batch_size=64):
    return check.check(loader, batch_size, lambda it, visit: run_epoch(it, visit=visit))


def test_a_right_loader_passes():
    assert problems(CheckLoader()) == []


WRONG = {
    "loses the last batch": (dict(change=lambda n: n[:256]), "10 of 266 samples were lost"),
    "loses one": (dict(change=lambda n: n[1:]), "1 of 266 samples were lost"),
    "repeats one": (dict(change=lambda n: n + n[:1]), "1 samples came more than once"),
    "replaces one": (dict(change=lambda n: n[1:] + n[1:2]), "1 of 266 samples were lost"),
    "does not shuffle": (dict(change=sorted), "not shuffled"),
    "gives wrong labels": (dict(label_of=lambda n: (n + 1) % 266), "off that sample's colour"),
    "gives a label that is none": (dict(label_of=lambda n: n + 1), "label 266 is none"),
    "swaps red and blue": (dict(channels="bgr"), "off that sample's colour"),
    "does not crop": (dict(width=1.0), "of the width"),
    "always crops alike": (dict(width=0.635), "of the width"),
    "never flips": (dict(flipped=False), "0% of the images are mirrored"),
    "always flips": (dict(flipped=True), "100% of the images are mirrored"),
}


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_loader_is_caught(how):
    arguments, words = WRONG[how]
    assert any(words in problem for problem in problems(CheckLoader(**arguments))), problems(CheckLoader(**arguments))


class Changed(CheckLoader):
    def __init__(self, batch):
        super().__init__()
        self.batch = batch

    def __iter__(self):
        return (self.batch(images, labels) for images, labels in super().__iter__())


@pytest.mark.parametrize("batch, words", [
    (lambda images, labels: (images.astype(np.float64), labels), "float64"),
    (lambda images, labels: (images.transpose(0, 2, 3, 1), labels), "shape"),
    (lambda images, labels: (images * 1.1, labels), "colour"),
    (lambda images, labels: (images[:, :, ::2, ::2], labels), "not 3 x 224 x 224"),
])
def test_wrong_images_are_caught(batch, words):
    assert any(words in problem for problem in problems(Changed(batch)))


def test_the_same_order_twice_is_caught():
    class Same(CheckLoader):
        def __iter__(self):
            self.rng = np.random.default_rng(4)
            return super().__iter__()

    assert problems(Same()) == ["both epochs have the same order"]


def test_batches_that_are_too_large_are_caught():
    assert any("asked for were 32" in problem for problem in problems(CheckLoader(batch_size=64), batch_size=32))
