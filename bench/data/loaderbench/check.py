"""Judges what a loader gave of the check set: every sample once, its own label, the crop's and flip's distribution, the arithmetic."""

import collections

import numpy as np

from . import check_set
from .image_folder import MEAN, SIDE, STD

COLOUR_TOLERANCE = 5  # grey levels; the digits are 13 apart, fast DCTs differ by 2
# Crop width over picture width: what RandomResizedCrop's defaults give on check_set.SHAPES, and how far the mean of 266 may be off.
CROP_WIDTH_SHARE = 0.635
CROP_WIDTH_TOLERANCE = 0.05
CROP_WIDTH_LEAST_DEVIATION = 0.1
FLIPPED_RANGE = (0.3, 0.7)  # of 266, more than six deviations
MOST_NAMED = 8


class Epoch:
    """Collects the batches of one epoch: `visit` each, then ask for `problems`."""

    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.labels, self.crop_widths, self.flipped, self.found = [], [], [], []

    def visit(self, images, labels):
        images, labels = np.asarray(images), np.asarray(labels).reshape(-1)
        self._say(images.dtype == np.float32, f"images are {images.dtype}, not float32")
        self._say(images.shape == (len(labels), 3, SIDE, SIDE), f"a batch of {len(labels)} labels has images of shape {images.shape}")
        self._say(len(labels) <= self.batch_size, f"a batch has {len(labels)} samples, asked for were {self.batch_size}")
        for image, label in zip(images, labels):
            self._look(image, int(label))

    def _say(self, fine, problem):
        if not fine and problem not in self.found:
            self.found.append(problem)

    def _look(self, image, label):
        self.labels.append(label)
        if image.shape != (3, SIDE, SIDE) or not 0 <= label < check_set.PICTURES:
            self._say(False, f"label {label} is none of the set's" if image.shape == (3, SIDE, SIDE) else "images are not 3 x 224 x 224")
            return
        # The pictures are smooth: every eighth row and fourth column say it all.
        few = image[:, ::8].astype(np.float64)
        grey = [(few[c] * STD[c] + MEAN[c]) * 255 for c in range(3)]
        wanted = check_set.colour_of(label)
        off = max(abs(float(np.median(grey[0][:, ::4])) - wanted[0]), abs(float(np.median(grey[2][:, ::4])) - wanted[1]))
        self._say(off <= COLOUR_TOLERANCE, f"an image with label {label} is {off:.0f} grey levels off that sample's colour")
        columns = grey[1].mean(axis=0)
        slope = float(columns[-8:].mean() - columns[:8].mean()) / (SIDE - 8) * SIDE
        self.crop_widths.append(abs(slope) / (check_set.GREEN_HIGH - check_set.GREEN_LOW))
        self.flipped.append(slope < 0)

    def problems(self):
        """What is wrong, in words; empty if all is well."""
        found, times = list(self.found), collections.Counter(self.labels)
        lost = [n for n in range(check_set.PICTURES) if not times[n]]
        repeated = [n for n, count in sorted(times.items()) if count > 1]
        if lost:
            found.append(f"{len(lost)} of {check_set.PICTURES} samples were lost: {_some(lost)}")
        if repeated:
            found.append(f"{len(repeated)} samples came more than once: {_some(repeated)}")
        if self.labels == sorted(self.labels):
            found.append("the samples came in the order of the folder: not shuffled")
        if self.crop_widths:
            found += self._distribution()
        return found

    def _distribution(self):
        mean, deviation, flipped = np.mean(self.crop_widths), np.std(self.crop_widths), np.mean(self.flipped)
        if abs(mean - CROP_WIDTH_SHARE) > CROP_WIDTH_TOLERANCE or deviation < CROP_WIDTH_LEAST_DEVIATION:
            yield f"crops are {mean:.2f} ± {deviation:.2f} of the width, RandomResizedCrop's are {CROP_WIDTH_SHARE}"
        if not FLIPPED_RANGE[0] <= flipped <= FLIPPED_RANGE[1]:
            yield f"{flipped:.0%} of the images are mirrored"


def _some(numbers):
    return ", ".join(map(str, numbers[:MOST_NAMED])) + (" ..." if len(numbers) > MOST_NAMED else "")


def check(loader, batch_size, run):
    """Two epochs of the check set. run(loader, visit) draws one; what is wrong, in words."""
    found, orders = [], []
    for number in (1, 2):
        epoch = Epoch(batch_size)
        run(loader, epoch.visit)
        found += [f"epoch {number}: {problem}" for problem in epoch.problems()]
        orders.append(epoch.labels)
    if orders[0] == orders[1]:
        found.append("both epochs have the same order")
    return found
