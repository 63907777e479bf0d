"""Functions that read or decode a sample, as stages named after what they read.

A library that is there already is hooked at once, any other when the program
makes its first fetcher: by then the dataset has been imported.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._native import Native

STAGE = 5

# module, class or "", function, stage; a stage that ends in "+format" is named
# after the object's `format` ("JPEG decode").
_READERS = (
    ("PIL.ImageFile", "ImageFile", "load", "image decode+format"),
    ("PIL.Image", "", "open", "Image.open"),
    ("cv2", "", "imread", "cv2.imread"),
    ("cv2", "", "imdecode", "cv2.imdecode"),
    ("torchvision.io", "", "read_image", "read_image"),
    ("torchvision.io", "", "read_file", "read_file"),
    ("torchvision.io", "", "decode_image", "decode_image"),
    ("torchvision.io", "", "decode_jpeg", "decode_jpeg"),
    ("torchaudio", "", "load", "torchaudio.load"),
    ("soundfile", "", "read", "soundfile.read"),
    ("librosa", "", "load", "librosa.load"),
    ("numpy", "", "load", "numpy.load"),
    ("imageio", "", "imread", "imageio.imread"),
    ("pandas", "", "read_csv", "pandas.read_csv"),
    ("pandas", "", "read_parquet", "pandas.read_parquet"),
)
_done = set()


def install_lazily(native: Native) -> None:
    if "PIL.Image" in sys.modules:
        # PIL imports it at the first image that is opened, which is too late.
        __import__("PIL.ImageFile")
    for reader in _READERS:
        module = sys.modules.get(reader[0])
        if module is None or reader in _done:
            continue
        # Past what a module imports when asked, which the program did not ask for.
        names = object.__getattribute__(module, "__dict__")
        if (reader[1] or reader[2]) not in names:
            continue  # still being imported, or not asked for so far
        _done.add(reader)
        _wrap(native, module, *reader[1:])


def _wrap(native: Native, module: Any, owner: Any, name: str, stage: str) -> None:
    holder = getattr(module, owner, None) if owner else module
    function = getattr(holder, name, None)
    if function is None:
        return
    stage, _, by_format = stage.partition("+")
    native.hook(holder, name, STAGE, stage=stage, name_from=by_format or None)
