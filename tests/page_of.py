"""Holds a page that a verb wrote against the JSON that it wrote beside it."""

import json
import xml.etree.ElementTree as ElementTree


def numbers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {number for item in value for number in numbers_in(item)}
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {float(value)} if is_number else set()


def read_page(text):
    """The tree of a page, which is XML as well as HTML; it leads nowhere and holds one script."""
    tree = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert len(list(tree.iter("script"))) == 1
    for element in tree.iter():
        assert element.tag not in {"img", "iframe", "link", "object"} and not element.get("src")
        assert element.get("href", "#").startswith("#")
    return tree


def assert_shows(text, document):
    """Every number of the JSON stands in the page, with the same digits. Gives the page's tree."""
    tree = read_page(text)
    shown = {float(data.get("value")) for data in tree.iter("data")}
    wanted = numbers_in(document if isinstance(document, dict) else json.loads(document))
    assert wanted and wanted <= shown, wanted - shown
    return tree


def words_of(tree):
    return " ".join(" ".join(tree.itertext()).split())
