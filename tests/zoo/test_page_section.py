"""The section of the simulated devices survives when the rest of docs/accuracy.md is written anew."""

import accuracy
import pytest
from page_section import section, with_section


def test_a_section_is_replaced_in_its_place_and_appended_where_there_was_none():
    page = with_section("# Page\n", "simulated", "one")
    assert page == "# Page\n\n<!-- simulated: begin -->\none\n<!-- simulated: end -->\n"
    longer = page + "\nbehind\n"
    assert with_section(longer, "simulated", "two") == longer.replace("one", "two")
    assert section(longer, "simulated") in page
    assert section("# Page\n", "simulated") == ""


@pytest.mark.parametrize("before", ["", "# Page\n\n<!-- simulated: begin -->\nkept\n<!-- simulated: end -->\n"])
def test_the_page_keeps_it(tmp_path, monkeypatch, before):
    out = tmp_path / "accuracy.md"
    out.write_text(before)
    monkeypatch.setattr(accuracy, "lacks", lambda name: "nothing is run here")
    monkeypatch.setattr(accuracy, "versions", lambda: ("none",))
    monkeypatch.setattr("sys.argv", ["accuracy.py", "--out", str(out), "--only", "textbook"])
    accuracy.main()
    assert "# Accuracy" in out.read_text()
    assert section(out.read_text(), "simulated") == section(before, "simulated")
