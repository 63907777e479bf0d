"""wrap_docs.py wraps paragraphs and list items, leaves the rest, and says nothing that it would not change."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("wrap_docs", ROOT / "tools" / "wrap_docs.py")
wrap_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(wrap_docs)

WORDS = "word " * 30
LONG = WORDS.strip()


@pytest.mark.parametrize("text", [
    f"| {LONG} |",
    f"```\n{LONG}\n```",
    f"text\n\n    {LONG}",
    f"# {LONG}",
    f"<img alt=\"{LONG}\">",
    "[it](https://example.org/" + "x" * 100 + ")",
    "short\nlines\nstay as they are",
    f"a break that is meant  \n{'x' * 101}",
])
def test_what_stays(text):
    assert wrap_docs.wrap(text) == text
    assert list(wrap_docs.long_lines(text)) == []


@pytest.mark.parametrize("begin,rest", [("", ""), ("- ", "  "), ("10. ", "    "), ("  - ", "    ")])
def test_a_long_paragraph_is_wrapped_under_its_own_indent(begin, rest):
    lines = wrap_docs.wrap(begin + LONG).split("\n")
    assert len(lines) > 1 and all(len(line) <= wrap_docs.COLUMNS for line in lines)
    assert lines[0].startswith(begin + "word") and all(line.startswith(rest + "word") for line in lines[1:])
    assert " ".join(lines).split() == (begin + LONG).split()


def test_items_do_not_run_into_each_other():
    assert [line for line in wrap_docs.wrap(f"- {LONG}\n- b\n\n- c").split("\n") if line.startswith("- ")][1:] == ["- b", "- c"]


@pytest.mark.parametrize("sign", ["-", "+", "*", "1.", "#", ">", "|", "="])
def test_no_line_begins_with_what_would_begin_something_else(sign):
    for before in range(90, 101):
        text = f"{'x' * before} {sign} {LONG}"
        assert not any(line.startswith(sign) for line in wrap_docs.wrap(text).split("\n")), text


def test_a_short_code_span_stays_whole():
    for before in range(80, 100):
        assert any("`a b c`" in line for line in wrap_docs.wrap(f"{'x' * before} `a b c` {LONG}").split("\n"))


def test_wrapping_twice_changes_nothing():
    once = wrap_docs.wrap(f"- {LONG}\n\n{LONG}\nshort\n\n1. {LONG}")
    assert wrap_docs.wrap(once) == once


def test_a_long_line_is_named_with_its_number(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\nshort\n{LONG}\n")
    assert wrap_docs.main(["--check", str(page)]) == 1
    assert f"page.md:4: {len(LONG)} columns" in capsys.readouterr().out
    assert page.read_text().endswith(f"{LONG}\n")
    assert wrap_docs.main([str(page)]) == 0 and wrap_docs.main(["--check", str(page)]) == 0
