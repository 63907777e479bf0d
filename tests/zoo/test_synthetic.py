"""Every rule is either raised by a program of the zoo, or listed as synthetic with a test that exists."""

import re

import observe
import synthetic

ROOT = synthetic.RULES.parents[2]
RULES_CC = (ROOT / "src/analyse/rules/rules.cc").read_text()


def test_every_rule_is_proved_somewhere():
    ids = set(re.findall(r'Rule\{"(\w+)"', RULES_CC))
    synthetic_ids = {rule["id"] for rule in synthetic.rules()}
    zoo_ids = {expected["finding"] for expected in observe.EXPECTED.values()}
    assert len(ids) >= 18
    assert synthetic_ids <= ids
    assert not synthetic_ids & zoo_ids, "seen in the zoo: strike it from the list"
    assert ids == synthetic_ids | (zoo_ids & ids)


def test_the_named_tests_speak_of_the_rule():
    for rule in synthetic.rules():
        text = (ROOT / rule["proved_by"]).read_text()
        assert f'"{rule["id"]}"' in text, rule


def test_the_table_has_a_line_a_rule():
    lines = synthetic.table()
    for rule in synthetic.rules():
        assert any(line.startswith(f"| {rule['id']} |") for line in lines)
