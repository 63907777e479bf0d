"""What schema/facts.toml declares: the hooks say no fact, and no field of one, that is not there."""

import re
import tomllib
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "schema/facts.toml"
QUOTED = re.compile(r'"([^"]+)"')


def _declared():
    """The names that each fact may have, by its key. Its example shows those that a reader leaves aside."""
    out = {}
    for fact in tomllib.loads(SCHEMA.read_text())["fact"]:
        if "key" not in fact:
            continue
        names = {field["name"] for field in fact["field"]} | {field["within"] for field in fact["field"] if "within" in field}
        out[fact["key"]] = names | set(QUOTED.findall(fact["example"]))
    return out


DECLARED = _declared()


def undeclared(key, value):
    """What of a fact is not declared: its key, or the names of fields. Empty = all is. A test's own are "test.<name>"."""
    if key.startswith("test."):
        return []
    if key not in DECLARED:
        return [key]
    return [f"{key}.{name}" for name in value if name not in DECLARED[key]] if isinstance(value, dict) else []
