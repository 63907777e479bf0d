"""The HTML view: well-formed, held by its own policy, equal to the JSON, and drawn by a real browser."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
EXAMPLES = BINARY.resolve().parents[1] / "test" / "html_examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    if not EXAMPLES.exists():
        pytest.fail(f"{EXAMPLES} is missing: build everything, or set FLATOUT_BIN")
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run([EXAMPLES, folder], check=True, timeout=60)
    found = sorted(folder.glob("*.html"))
    assert len(found) > 20
    return found


def tree_of(page):
    return ElementTree.fromstring(page.read_text().removeprefix("<!DOCTYPE html>\n"))


def test_pages_are_well_formed_and_link_nowhere(pages):
    for page in pages:
        for element in tree_of(page).iter():
            assert element.tag not in {"img", "iframe", "link", "object", "embed", "base", "form"}
            for name, value in element.attrib.items():
                assert not name.startswith("on") and name not in {"src", "style", "srcset"}, (page, name)
                assert name != "href" or value.startswith("#"), (page, value)


def test_nothing_is_fetched_from_the_network(pages):
    for page in pages:
        if not page.name.startswith("hostile"):
            assert not re.search(r"https?:|url\((?!#)|@import", page.read_text()), page


def numbers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {number for item in value for number in numbers_in(item)}
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {float(value)} if is_number else set()


def test_every_number_of_the_json_is_shown(pages):
    for page in pages:
        shown = {float(data.get("value")) for data in tree_of(page).iter("data")}
        wanted = numbers_in(json.loads(page.with_suffix(".json").read_text()))
        assert wanted and wanted <= shown, page


def test_policy_names_exactly_the_style_and_script_inside(pages):
    for page in pages:
        text = page.read_text()
        tree = tree_of(page)
        metas = [m for m in tree.iter("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        assert len(metas) == 1
        for tag in ("style", "script"):
            bodies = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
            assert len(bodies) == 1, page
            digest = base64.b64encode(hashlib.sha256(bodies[0].encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in metas[0].get("content")
        assert metas[0].get("content").startswith("default-src 'none'")


def test_headings_do_not_skip_and_tables_have_captions(pages):
    for page in pages:
        tree = tree_of(page)
        level = 0
        for element in tree.iter():
            if re.fullmatch("h[1-6]", element.tag):
                assert int(element.tag[1]) <= level + 1, (page, element.text)
                level = int(element.tag[1])
        for table in tree.iter("table"):
            assert table.find("caption") is not None
        ids = [element.get("id") for element in tree.iter() if element.get("id")]
        assert len(ids) == len(set(ids)), page
        for link in tree.iter("a"):
            assert link.get("href")[1:] in ids, (page, link.get("href"))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (apt-get install chromium)")
@pytest.mark.parametrize("width", [1100, 390])
def test_a_browser_draws_it_and_runs_only_our_script(pages, width, tmp_path):
    """The script shows the theme button; a policy breach or an error would be on stderr."""
    for page in pages:
        if page.stem not in {"one_gpu", "no_steps", "hostile3", "hostile8"}:
            continue
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
             f"--user-data-dir={tmp_path}", f"--window-size={width},900", "--dump-dom", page.as_uri()],
            capture_output=True, text=True, timeout=120,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert not re.search(r"CONSOLE.*(Refused|Uncaught|Error|violates)", done.stderr), done.stderr[-2000:]
        button = re.search(r"<button[^>]*>", done.stdout).group(0)
        assert "hidden" not in button, page
