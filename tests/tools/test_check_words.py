"""check_words.py finds each retired word in pages, comments and strings, and leaves names, keys and the field's own words alone."""

import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("check_words", ROOT / "tools" / "check_words.py")
check_words = importlib.util.module_from_spec(SPEC)
sys.modules["check_words"] = check_words  # its dataclass looks itself up there
SPEC.loader.exec_module(check_words)

BAD = [
    "two batches ahead", "a draw from the loader", "it draws from a training iterator", "same maths", "Maths", "same math, other draws",
    "x7.2 [6.5, 7.3], other seeds", "the dearest stage", "Not it  disk", "Unseen  h2d", "this hangs on the disk",
    "steps behind the warm-up", "behind each update", "samples, one behind the other", "the next call goes on behind it",
    "before an epoch, and behind it", "the engine is starved", "this mends it", "a knob is left out again", "the user is told of it",
    "what cannot be told", "it tells of a file", "the driver tells the clock", "it tells why", "Said again at 2", "Went      input_bound",
    "    Stayed    input_bound", "a pool employs threads", "8. **Telling.** text.cc", "## Telling",
    "all that the order hangs on, for a test", "it can be leaned on", "Other draws make losses differ",
]
GOOD = [
    "prefetch depth", "draws a random number", "an augmentation draws from a distribution", "same math, different random stream", "mathematics",
    "trials with other seeds", "note it", "the unseen part", "the program hangs on exit", "left behind in a driver's call",
    "a queue behind one interface", "starvation", "recommends", "amended", "left out", "was told to end", "cannot be told apart from noise",
    "that tells the two apart", "one went away", "an employer", "an intelligent tell",
]


def found(name, text):
    return [(line, word) for line, word, _ in check_words.problems_of(pathlib.Path(name), text)]


@pytest.mark.parametrize("text", BAD)
def test_a_retired_word_is_found_in_a_page_a_comment_and_a_string(text):
    assert found("page.md", f"# A page\n{text}\n")
    assert found("a.cc", f"int a;\n// {text.strip()}\n") or text.startswith(" ")
    assert found("a.cc", f'const char* a = "{text}";\n')
    assert found("a.py", f'a = 1\nb = """{text}"""\n')


@pytest.mark.parametrize("text", GOOD)
def test_other_words_are_not(text):
    assert not found("page.md", text) and not found("a.cc", f"// {text}\n") and not found("a.py", f"# {text}\n")


def test_names_keys_and_code_spans_are_left_alone():
    assert not found("a.cc", 'bool starved = json["starved"]; shares.dearest(); run("batches_ahead");\n')
    assert not found("a.py", 'mend(starved["employs"])\n')
    assert not found("page.md", "the key `engine is starved` of the JSON")


def test_a_line_that_quotes_a_contract_is_left_alone():
    assert not found("a.cc", 'out["method"] = "it tells of a run";  // words: contract\n')
    assert found("a.cc", 'out["method"] = "it tells of a run";\n// words: contract\n') == [(1, "tells of")]


def test_the_line_is_named_also_within_a_longer_comment():
    assert found("a.h", "/* one\n * two: it hangs on\n * the disk */\n") == [(2, "hangs on")] and found("a.h", "/* one\n * it hangs on this */\n") == [(2, "hangs on")]
    assert found("a.py", 'x = """one\ntwo batches ahead"""\n') == [(2, "batches ahead")]


def test_exit_status_and_what_to_write_instead(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("the dearest stage\n")
    assert check_words.main([str(page)]) == 1
    assert 'page.md:1: "dearest" is retired; write: slowest' in capsys.readouterr().out
    page.write_text("the slowest stage\n")
    assert check_words.main([str(page)]) == 0
    (tmp_path / "data.bin").write_text("dearest")
    assert check_words.main([str(tmp_path / "data.bin")]) == 1, "nothing was checked"


def test_the_terms_that_stand_instead_are_in_the_glossary():
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    for term in ("prefetch depth", "next(), batch fetch", "different random stream", "underrun", "backpressure", "ablated", "not measured",
                 "ruled out", "resolved, new, unchanged", "slower"):
        assert term in glossary
