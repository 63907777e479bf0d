"""The pages: a README that is short, a start page that leads to all of them, and a site whose links are held."""

import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("docs_site", ROOT / "tools" / "docs_site.py")
docs_site = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(docs_site)

README_WORDS = 800


def test_the_readme_is_short_and_keeps_the_place_of_the_recorded_session():
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= README_WORDS
    assert text.count("<!-- session: written by tools/record_session.py -->") == text.count("<!-- end of session -->") == 1
    assert len(re.findall(r"!\[", text)) == 1, "one picture"


def test_the_start_page_leads_to_every_page_beside_it_and_to_every_decision():
    page = (ROOT / "docs" / "README.md").read_text()
    links = set(re.findall(r"\]\(([^)#]+)", page))
    for name in docs_site.tracked("docs/*.md", "docs/decisions/*.md"):
        path = pathlib.PurePosixPath(name).relative_to("docs")
        if len(path.parts) == 1 or path.parts[0] == "decisions":
            assert str(path) == "README.md" or str(path) in links, f"docs/README.md does not lead to {path}"


def test_what_a_page_links_beside_other_pages_is_copied():
    text = "[a](../schema/report.schema.json) [b](tune.md) [c](https://example.org/x.json) [d](absent.json) [e](../LICENSE)"
    assert sorted(docs_site.linked("docs/page.md", text)) == ["LICENSE", "schema/report.schema.json"]


@pytest.mark.parametrize("target", ["absent.md", "README.md#absent", "absent.json"])
def test_a_link_that_leads_nowhere_fails(tmp_path, monkeypatch, capsys, target):
    if not (docs_site.PACKAGES / "mkdocs").is_dir():
        pytest.skip("mkdocs-material is not there (make for-tests fetches it)")
    (tmp_path / "README.md").write_text(f"# A\n\n[x]({target})\n")
    (tmp_path / "mkdocs.yml").write_text((ROOT / "mkdocs.yml").read_text().partition("\nnav:")[0] + "\n")
    monkeypatch.setattr(docs_site, "ROOT", tmp_path)
    monkeypatch.setattr(docs_site, "STAGED", tmp_path / "build" / "docs-src")
    monkeypatch.setattr(docs_site, "tracked", lambda *patterns: ["README.md"] if "*.md" in patterns else [])
    assert docs_site.main() != 0
    assert "absent" in capsys.readouterr().out
    (tmp_path / "README.md").write_text("# A\n\n[x](#a)\n")
    assert docs_site.main() == 0
