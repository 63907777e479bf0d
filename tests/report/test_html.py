"""The HTML views: well-formed, held by their own policy, equal to the JSON. test_page_in_browser.py draws them."""

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree

import page_of

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


def test_every_number_of_the_json_is_shown(pages):
    for page in pages:
        shown = {float(data.get("value")) for data in tree_of(page).iter("data")}
        wanted = page_of.numbers_in(json.loads(page.with_suffix(".json").read_text()))
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
