"""The samples of a folder with a folder a class: what every peer's listing must agree with."""

import pathlib

# ImageNet's usual constants, in units of [0, 1].
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
SIDE = 224
# Of sets that are packed smaller: the shorter side, and the quality of their JPEG files.
PACKED_SIDE, PACKED_QUALITY = 256, 90


def samples(folder):
    """[(path, label)] sorted by class and name; a label is the rank of its class among the sorted folder names."""
    folder = pathlib.Path(folder)
    classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    return [(str(path), label) for label, name in enumerate(classes) for path in sorted((folder / name).glob("*.jpg"))]
