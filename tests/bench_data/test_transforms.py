"""The page of single transforms: medians, and ratios within a round; what is said of ours is a step that exists."""

import transforms
from transform_cases import CASES, SIDE

FACTS = {"cpu": "A processor", "cpus_of_machine": 2, "linux": "6.1", "date": "2026-01-02", "load_before": 0.1}


class Said:
    """A description that only remembers which steps were added."""

    def __init__(self, steps=()):
        self.steps = steps

    def __getattr__(self, name):
        return lambda *_, **__: Said((*self.steps, name))


def test_a_row_has_medians_and_ratios_of_rounds():
    times = {"ours": [1e-4, 2e-4, 4e-4], "tensor": [2e-4, 4e-4, 8e-4], "pil": [1e-4, 1e-4, 1e-4]}
    assert transforms.row("flip", times) == "| flip | 200 | 400 | 100 | 2.0 (2.0–2.0) | 0.5 (0.4–0.8) |"


def test_the_page_says_what_was_measured_with_what():
    page = transforms.page({"flip": {what: [1e-4] for what in ("ours", "tensor", "pil")}}, FACTS, {"torchvision": "1.2"}, 3)
    assert "torchvision 1.2" in page and page.rstrip().endswith("| flip | 100 | 100 | 100 | 1.0 (1.0–1.0) | 1.0 (1.0–1.0) |")


def test_samples_have_a_size_before_they_are_changed():
    assert CASES["hue"].ours(Said()).steps == ("center_crop", "color_jitter")
    assert CASES["resize to 224"].ours(Said()).steps == ("resize",)
    assert CASES["center_crop to 224"].parameters["size"] < SIDE
