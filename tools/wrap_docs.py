#!/usr/bin/env python3
"""Wrap the documentation at 100 columns, or say with --check which lines are longer.

    wrap_docs.py [--check] [FILE...]        (default: docs/, the pages of the root, src/*/README.md)

Only paragraphs and list items with a line that is too long are set anew, so
that a diff shows what changed. Tables, code, HTML and a word that is longer
than a line, such as a link, stay as they are. Tools that write a page call
wrap() on it before they do.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100
PAGES = ("docs/*.md", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/*README.md")

FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
CODE_SPAN = re.compile(r"`[^`]+`")
KEPT_SPAN = 60  # a code span is kept on one line, unless it is as long as a sentence
# At the beginning of a line these would start a list, a heading, a quotation, a table or an underline.
STARTS_SOMETHING = re.compile(r"^([-+*>|=~:]|#{1,6}|-{2,}|={2,}|\d+[.)])$|^[>|<#]")


def stays(line):
    """Whether a line is none of a paragraph: a table, a heading, HTML, the lines around them."""
    return not line.strip() or line.lstrip().startswith(("|", "#", "<", "!!!", "???")) or FENCE.match(line)


def words(text):
    """The text in parts between which a line may end."""
    def kept(span):
        return span.group(0).replace(" ", "\0") if len(span.group(0)) <= KEPT_SPAN else span.group(0)

    return [word.replace("\0", " ") for word in CODE_SPAN.sub(kept, text).split()]


def set_anew(lines):
    """The lines of one paragraph or list item, wrapped."""
    item = ITEM.match(lines[0])
    first = item.group(0) if item else re.match(r"\s*", lines[0]).group(0)
    rest = " " * len(first) if item else first
    text = " ".join([lines[0][len(first):], *(line.strip() for line in lines[1:])])
    out, current = [], first
    empty = True
    for word in words(text):
        if empty:
            current, empty = current + word, False
        elif len(current) + 1 + len(word) <= COLUMNS or STARTS_SOMETHING.match(word):
            current += " " + word
        else:
            out.append(current)
            current = rest + word
    return [*out, current]


def paragraphs(lines):
    """The lines in groups, each with whether it may be set anew."""
    group, fenced, in_list = [], False, False
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        begins = bool(ITEM.match(line))
        indented_code = line.startswith("    ") and not group and not begins and not in_list
        if fenced or stays(line) or indented_code:
            if group:
                yield group, True
            group = []
            yield [line], False
            if line.strip() and not line.startswith(" "):
                in_list = False
            continue
        if begins and group:
            yield group, True
            group = []
        in_list = begins or (in_list and (bool(group) or line.startswith(" ")))
        group.append(line)
        if line.endswith("  "):  # a line break that is meant
            yield group, False
            group = []
    if group:
        yield group, True


def wrap(text):
    """The page with its long paragraphs and list items wrapped."""
    out = []
    for group, free in paragraphs(text.split("\n")):
        out += set_anew(group) if free and any(len(line) > COLUMNS for line in group) else group
    return "\n".join(out)


def long_lines(text):
    """(number, columns) of each line that is too long and could be shorter."""
    number = 1
    for group, free in paragraphs(text.split("\n")):
        for at, line in enumerate(group):
            if free and len(line) > COLUMNS and set_anew(group) != group:
                yield number + at, len(line)
        number += len(group)


def pages():
    listed = subprocess.run(["git", "ls-files", *PAGES], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a line is too long")
    options = parser.parse_args(argv)
    files = options.files or pages()
    found = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        if options.check:
            for number, columns in long_lines(text):
                print(f"{path}:{number}: {columns} columns, above {COLUMNS}; tools/wrap_docs.py wraps it")
                found += 1
        elif wrap(text) != text:
            path.write_text(wrap(text), encoding="utf-8")
            print(f"{path}: wrapped")
    if not files:
        print("wrap_docs: no page found, so nothing was checked")
        return 1
    if options.check:
        print(f"wrap_docs: {len(files)} pages, {found} lines too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
