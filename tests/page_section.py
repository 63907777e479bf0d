"""A part of a generated page that another program writes: it stands between two markers, and whoever writes the rest keeps it."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
from wrap_docs import wrap  # noqa: E402


def marks(name):
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def section(text, name):
    """The part with its markers, or "" where there is none."""
    begin, end = marks(name)
    if begin not in text or end not in text:
        return ""
    return text[text.index(begin) : text.index(end) + len(end)]


def with_section(text, name, content):
    """`text` with this content between the markers: in their place, or at the end."""
    begin, end = marks(name)
    new = f"{begin}\n{content.strip()}\n{end}"
    old = section(text, name)
    return text.replace(old, new) if old else f"{text.rstrip()}\n\n{new}\n"


def write(path, text):
    """The page, wrapped as every other is."""
    path.write_text(wrap(text))
