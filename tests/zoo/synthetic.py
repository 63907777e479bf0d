"""The rules that only synthetic timelines prove, as lines of docs/accuracy.md."""

import tomllib
from pathlib import Path

RULES = Path(__file__).with_name("synthetic_rules.toml")


def rules():
    return tomllib.loads(RULES.read_text())["rule"]


def table():
    lines = [
        "## Proved on synthetic timelines only",
        "",
        "These findings need what this machine does not have. Tests hold each rule against both sides of its",
        "thresholds on made-up recordings; none has been seen on hardware. Those about CUDA devices are also raised by",
        "programs on simulated ones, where the section about them stands.",
        "",
        "| finding | needs | proved by |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {rule['id']} | {rule['needs']} | `{rule['proved_by']}` |" for rule in rules()]
    return [*lines, ""]
