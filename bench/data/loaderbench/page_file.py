"""A page of measured figures as a file, wrapped as every other page is."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
from wrap_docs import wrap  # noqa: E402


def write(path, text):
    path.write_text(wrap(text))
