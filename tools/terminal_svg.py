#!/usr/bin/env python3
"""Draw a terminal session's text as an SVG picture.

    terminal_svg.py SESSION.txt PICTURE.svg

The picture of the README is made from the very text that stands beside it, so
the two cannot differ. Lines that start with `$ ` are what was typed.
"""

import html
import pathlib
import sys

CELL_WIDTH, LINE_HEIGHT, MARGIN, FONT_SIZE = 8.4, 19, 16, 14
BACKGROUND, TEXT, TYPED, HEADLINE = "#12161c", "#d6dde6", "#7fd1a0", "#ffd479"


def colour(line):
    if line.startswith("$ "):
        return TYPED
    head = line.split(":")[0]
    return HEADLINE if ":" in line and head.isupper() else TEXT


def picture(text):
    lines = text.rstrip("\n").split("\n")
    columns = max(80, *(len(line) for line in lines))
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE_HEIGHT * (i + 0.75):.1f}" fill="{colour(line)}" '
        f'textLength="{len(line) * CELL_WIDTH:.1f}" xml:space="preserve">{html.escape(line)}</text>'
        for i, line in enumerate(lines) if line.strip()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n{rows}\n</svg>\n'
    )


def main():
    if len(sys.argv) != 3:
        print(__doc__.splitlines()[2].strip(), file=sys.stderr)
        return 2
    pathlib.Path(sys.argv[2]).write_text(picture(pathlib.Path(sys.argv[1]).read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
