#!/usr/bin/env python3
"""Hold pages, comments and strings to the terms of docs/glossary.md; exit 1 and name every retired word.

    check_words.py [FILE...]        (default: the pages, src/, include/, python/, tools/, examples/, bench/, schema/)

Of C++ and Python it reads comments and string literals. A name in code may be
what it likes, and a string without a space is a key or an id, which never
change. Of pages it reads all but code spans. A line that has to quote a
contract ends in `words: contract`.
"""

import argparse
import dataclasses
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ("*.md", "src/*", "include/*", "python/*", "tools/*", "examples/*", "bench/*", "schema/*.toml", "Makefile")
OWN = ("tools/check_words.py", "docs/glossary.md")  # they name the words
CONTRACT = "words: contract"


@dataclasses.dataclass
class Retired:
    pattern: re.Pattern
    instead: str


def retired(pattern, instead):
    return Retired(re.compile(pattern), instead)


RETIRED = [
    retired(r"\b[Bb]atches ahead\b", "prefetch depth, prefetched batches"),
    retired(r"\bdraws? (?:\w+ )?from (?:\w+ )?(?:training )?(?:loader|iterator)s?\b", "next(), batch fetch"),
    retired(r"\b[Mm]aths\b", "math"),
    retired(r"\bmath, (?:but )?other (?:random )?(?:draws|seeds)\b|\brounding, other seeds\b|\], other seeds\b",
            "different random stream"),
    retired(r"\b[Dd]earest\b", "slowest, most expensive"),
    retired(r"\bNot it\b", "Ruled out"),
    retired(r"\bUnseen\b", "Not measured"),
    retired(r"\b[Hh]ang(?:s|ing)? on\b(?! (?:exit|to\b|its? (?:own|way)))", "depends on"),
    retired(r"\bleaned on\b", "relied on"),
    retired(r"\b[Oo]ther draws\b", "different random stream, other batch fetches"),
    retired(r"\bbehind (?:the )?(?:warm-up|first\b|last\b|each\b|every\b|updates?\b|backward|epochs\b|setjmp)"
            r"|\bone behind the other\b|\b(?:goes|go|went) on behind\b|\bbefore [^.]{0,24}and behind (?:it|them)\b",
            "after"),
    retired(r"\b[Ss]tarved\b", "underrun, waits for batches"),
    retired(r"\b[Mm]end(?:s|ed|ing)?\b", "fix"),
    retired(r"\bleft out again\b", "ablated"),
    retired(r"\b(?:is|are|was|were|be|been) told\b(?! apart| from| to\b)", "reported, known, given"),
    retired(r"\btells?(?:\s+of|\s+the(?! two))\b|\btells (?!.*(?:apart|from)\b)", "reports, shows, says"),
    retired(r"\b(?:[Ss]aid|[Ss]ays) again\b", "repeated"),
    retired(r"^(?:Went|Came|Stayed)\b|\*\*Went, came, stayed\b|^\s{4}(?:Went|Came|Stayed) ", "Resolved, New, Unchanged"),
    retired(r"\bemploy(?:s|ed|ing)?\b", "threads of a pool: starts, runs"),
    retired(r"^(?:#+ |[-\d.]+ )?(?:\*\*)?Telling\b", "Reporting"),
]

COMMENT_OR_STRING = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|'(?:\\.|[^'\\\n])'", re.S)
CODE_SPAN = re.compile(r"`[^`]*`")


def is_text(literal):
    """Whether a string literal speaks to people: keys and ids have no space and do not begin with a capital."""
    return " " in literal or literal[:1].isupper()


def of_cpp(text):
    """(line, text) of each comment and string literal."""
    for match in COMMENT_OR_STRING.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["comment"]:
            body = match["comment"]
        elif match["string"] and is_text(match["string"][1:-1]):
            body = match["string"][1:-1]
        elif match["raw"]:
            body = match["raw"]
        else:
            continue
        for offset, part in enumerate(body.split("\n")):
            yield line + offset, part.strip().removeprefix("//").removeprefix("* ").strip()


def of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        body = token.string
        if token.type == tokenize.STRING:
            body = body.strip("rbfuRBFU").strip("\"'")
            if not is_text(body):
                continue
        elif token.type != tokenize.COMMENT:
            continue
        for offset, part in enumerate(body.split("\n")):
            yield token.start[0] + offset, part.strip().removeprefix("#").strip()


def of_page(text):
    for number, line in enumerate(text.split("\n"), 1):
        yield number, CODE_SPAN.sub("", line)


READERS = {".cc": of_cpp, ".h": of_cpp, ".hpp": of_cpp, ".c": of_cpp, ".py": of_python, ".md": of_page, ".txt": of_page, ".sh": of_page,
           ".toml": of_page, "": of_page}


def problems_of(path, text):
    """(line, word, what to write instead) of each retired word."""
    reader = READERS.get(path.suffix)
    if not reader:
        return
    lines = text.split("\n")
    for number, part in reader(text):
        for word in RETIRED:
            match = word.pattern.search(part)
            if match and CONTRACT not in lines[number - 1]:
                yield number, match[0].strip(), word.instead


def tracked():
    listed = subprocess.run(["git", "ls-files", *FILES], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if name not in OWN and (ROOT / name).is_file()]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    files = parser.parse_args(argv).files or tracked()
    read = found = 0
    for path in files:
        if path.suffix not in READERS:
            continue
        read += 1
        for number, word, instead in problems_of(path, path.read_text(encoding="utf-8", errors="replace")):
            print(f'{path}:{number}: "{word}" is retired; write: {instead}')
            found += 1
    if read == 0:
        print("check_words: no file found, so nothing was checked")
        return 1
    print(f"check_words: {read} files, {found} retired words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
