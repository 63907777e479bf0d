"""What is made of schema/knobs.toml: tables for C++ and for the hooks, and the facts in docs/knobs/.

gen_schema.py writes these outputs, or with --check compares them. A mistake in the schema, or code that
does not fit it, ends with one line that names the knob.
"""

import ast
import json
import re
import sys
import tomllib

SCHEMA = "schema/knobs.toml"
NOTE = f"Generated from {SCHEMA} by tools/gen_knobs.py. Do not edit."
BEGIN, END = f"<!-- {NOTE[:-13]} -->", "<!-- end of what is generated -->"

REQUIRED = {"id", "sets", "value", "grid", "risk", "changes", "switched", "needs", "hook", "by_hand"}
OPTIONAL = {"short", "tries", "acts_on", "requires", "excludes", "cost", "compiles", "counts", "replaces_code", "between_epochs",
            "environment", "example", "edit"}
RISKS = {"same_maths": "same math", "rounding": "rounding", "changes_training": "changes training"}
# What a knob may change -> the loss gate that follows from it, as docs/tune.md names it.
GATES = {"nothing": "bitwise", "draws": "draws, where fetching draws numbers", "rounding": "rounding",
         "training": "over samples seen"}
# How a knob is switched while the program runs, as its page says it.
SWITCHED = {"live": "at the end of any step", "loader": "with a new iterator over the same loader", "restart": "only when the program starts"}
KINDS = {"switch": "Switch", "on": "On", "count": "Count", "word": "Word", "parts": "Parts"}
PLACES = ("loader", "batches", "process", "forward")


def camel(text):
    return "".join(part.capitalize() for part in re.split(r"[._]", text))


def function(knob):
    return knob["id"].replace(".", "_")


def short_name(knob):
    return knob.get("short", knob["id"].split(".", 1)[1])


def shown(value):
    """A value as Python writes it: what replaces "{}"."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def problems(knobs):
    """Everything that is wrong with the schema itself, one line each."""
    ids = [knob.get("id", "?") for knob in knobs]
    names = ids + [short_name(knob) for knob in knobs if "short" not in knob]
    yield from (f"two knobs share the name {name}" for name in sorted({n for n in names if names.count(n) > 1}))
    for knob in knobs:
        said = f"{knob.get('id', '?')}: "
        if missing := REQUIRED - set(knob):
            yield said + "it lacks " + ", ".join(sorted(missing))
            continue
        if unknown := set(knob) - REQUIRED - OPTIONAL:
            yield said + "nobody reads " + ", ".join(sorted(unknown))
        for key, known in (("risk", RISKS), ("changes", GATES), ("switched", SWITCHED), ("acts_on", ("loading", "computing")), ("counts", ("workers", "samples"))):
            if key in knob and knob[key] not in known:
                yield said + f"{key} is one of {', '.join(known)}"
        if knob["value"].get("kind") not in KINDS:
            yield said + f"value.kind is one of {', '.join(KINDS)}"
            continue
        for value in [*knob["grid"], *([knob["example"]] if "example" in knob else [])]:
            if not takes(knob["value"], value):
                yield said + f"it does not take {value!r} of its own grid"
        if not knob["grid"] or not knob["needs"] or not knob["by_hand"]:
            yield said + "grid, needs and by_hand cannot be empty"
        elif "value" in knob["by_hand"][-1]:
            yield said + "the last of by_hand must do for any value"
        for other in [*knob.get("requires", []), *knob.get("excludes", [])]:
            if other not in ids or other == knob["id"]:
                yield said + f"{other} is no other knob"
        for other in knob.get("excludes", []):
            if knob["id"] not in next((k.get("excludes", []) for k in knobs if k["id"] == other), []):
                yield said + f"it excludes {other}, which does not exclude it"
        if "edit" in knob and (knob["edit"].get("at") not in ("loader", "optimizer") or not knob["edit"].get("keyword")):
            yield said + "edit has a keyword, and edit.at is loader or optimizer"
        if knob["hook"].get("at") not in PLACES:
            yield said + f"hook.at is one of {', '.join(PLACES)}"


def takes(values, value):
    """Whether the declared values hold this one; the same rule as src/apply/knob_values.cc and hooks/knobs/values.py."""
    kind = values["kind"]
    if kind in ("switch", "on"):
        return value is True or (kind == "switch" and value is False)
    if kind == "word":
        return value in values["words"]
    if kind == "parts" and isinstance(value, str):
        joined = re.fullmatch(r"1/([1-9][0-9]*)", value)
        return bool(joined) and 2 <= int(joined[1]) <= values["most"]
    return type(value) is int and values["least"] <= value <= values["most"]


def code_problems(knobs, root):
    """Where the code of a knob is not there, or is there without a knob."""
    hooks, proposals, pages = root / "python/flatout/hooks/knobs", root / "src/apply/knobs", root / "docs/knobs"
    bodies = "".join(path.read_text() for path in sorted(proposals.glob("*.cc")))
    for knob in knobs:
        if f"const Knob& {function(knob)}()" not in bodies:
            yield f"{knob['id']}: no file of src/apply/knobs/ has const Knob& {function(knob)}()"
        if not (pages / f"{knob['id']}.md").is_file():
            yield f"{knob['id']}: docs/knobs/{knob['id']}.md is not there"
        path = hooks / f"{knob['hook']['module']}.py"
        if not path.is_file():
            yield f"{knob['id']}: {path.relative_to(root)} is not there"
        elif class_ids(path).get(knob["hook"]["class"]) != knob["id"]:
            yield f"{knob['id']}: {path.relative_to(root)} has no class {knob['hook']['class']} with id = \"{knob['id']}\""
    known = {knob["id"] for knob in knobs}
    for path in sorted(pages.glob("*.md")):
        if path.stem not in known and path.stem != "README":
            yield f"docs/knobs/{path.name}: {SCHEMA} has no such knob"


def class_ids(path):
    """{class: its id} of one file of hooks."""
    out = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign) and line.targets[0].id == "id" and isinstance(line.value, ast.Constant):
                    out[node.name] = line.value.value
    return out


# C++.


def literal(text):
    return json.dumps(text)


def array(name, values, kind="std::string_view"):
    return f"inline constexpr {kind} {name}[] = {{{', '.join(values)}}};\n" if values else ""


def ids_header(knobs):
    rows = "\n".join(f"inline constexpr char k{camel(k['id'])}[] = {literal(k['id'])};" for k in knobs)
    return f"""// {NOTE}
// The ids of flatout's own knobs, for whoever names one. What follows from a knob is asked of its
// facts (run/knob_table.h), never decided by its id; tools/check_layers.py holds that.
// clang-format off
#pragma once

namespace flatout::run::knob_id {{

{rows}

}}  // namespace flatout::run::knob_id
"""


def row(knob):
    """The arrays that one row of the table points to, and the row."""
    name, value, variables = camel(knob["id"]), knob["value"], knob.get("environment", {})
    arrays = array(f"k{name}Words", [literal(w) for w in value.get("words", [])])
    arrays += array(f"k{name}Grid", [literal(json.dumps(v)) for v in knob["grid"]])
    arrays += array(f"k{name}Requires", [literal(other) for other in knob.get("requires", [])])
    arrays += array(f"k{name}Variables", [literal(v) for v in variables.get("names", [])])
    hands = []
    for hand in knob["by_hand"]:
        wanted = json.dumps(hand["value"]) if "value" in hand else ""
        texts = [literal(text) for text in (wanted, hand["script"], hand.get("hf", ""), hand.get("lightning", ""))]
        hands.append("\n    {" + ", ".join(texts) + "}")
    arrays += array(f"k{name}ByHand", hands, "KnobByHand")
    fields = [f".id = {literal(knob['id'])}", f".short_name = {literal(short_name(knob))}",
              f".risk = Risk::k{camel(knob['risk'])}", f".changes = KnobChanges::k{camel(knob['changes'])}", f".switched = KnobSwitched::k{camel(knob['switched'])}"]
    if "acts_on" in knob:
        fields.append(f".acts_on = KnobActsOn::k{camel(knob['acts_on'])}")
    if "counts" in knob:
        fields.append(f".counts = KnobCounts::k{camel(knob['counts'])}")
    if "cost" in knob:
        fields.append(f".cost = {knob['cost']}")
    fields += [f".{flag} = true" for flag in ("compiles", "between_epochs", "replaces_code") if knob.get(flag)]
    values = f".kind = KnobValueKind::k{KINDS[value['kind']]}"
    if "least" in value:
        values += f", .least = {value['least']}, .most = {value['most']}"
    if "words" in value:
        values += f", .words = detail::k{name}Words"
    fields += [f".values = {{{values}}}", f".grid = detail::k{name}Grid"]
    if "requires" in knob:
        fields.append(f".required_knobs = detail::k{name}Requires")
    if variables:
        beside = ", .beside = true" if variables.get("beside") else ""
        fields.append(f".variables = {{.names = detail::k{name}Variables, .text = {literal(variables['text'])}{beside}}}")
    fields.append(f".by_hand = detail::k{name}ByHand")
    if "edit" in knob:
        edit = knob["edit"]
        position = f", .position = {edit['position']}" if "position" in edit else ""
        fields.append(f".edit = {{.at = KnobBuilt::k{camel(edit['at'])}, .keyword = {literal(edit['keyword'])}{position}}}")
    return arrays, "    {" + ",\n     ".join(fields) + "},\n"


def table_header(knobs):
    rows = [row(knob) for knob in knobs]
    return f"""// {NOTE}
// clang-format off
#pragma once

#include <string_view>

#include "run/knob_facts.h"

namespace flatout::run {{
namespace detail {{

{''.join(arrays for arrays, _ in rows)}
}}  // namespace detail

// All knobs, in the order in which they are listed to users.
inline constexpr KnobFacts kKnobTable[] = {{
{''.join(text for _, text in rows)}}};

// null = flatout has no such knob.
constexpr const KnobFacts* knob_facts(std::string_view id) {{
  for (const KnobFacts& facts : kKnobTable) {{
    if (facts.id == id) return &facts;
  }}
  return nullptr;
}}

}}  // namespace flatout::run
"""


def list_header(knobs):
    functions = "\n".join(f"const Knob& {function(knob)}();" for knob in knobs)
    calls = "\n".join(f"    &{function(knob)}," for knob in knobs)
    return f"""// {NOTE}
// clang-format off
#pragma once

namespace flatout::apply {{

struct Knob;

// One a file of this folder.
{functions}

// In the order in which they are listed to users.
inline constexpr const Knob& (*kKnobFunctions[])() = {{
{calls}
}};

}}  // namespace flatout::apply
"""


# Python.


def python_table(knobs):
    places = []
    for place in PLACES:
        there = [knob for knob in knobs if knob["hook"]["at"] == place]
        there.sort(key=lambda knob: knob["hook"].get("order", 0))
        places += there
    rows = ""
    for knob in places:
        value, hook = knob["value"], knob["hook"]
        bounds = (value["least"], value["most"]) if "least" in value else tuple(value.get("words", ()))
        rows += f'    "{knob["id"]}": Declared(\n'
        rows += f'        at="{hook["at"]}",\n        module="{hook["module"]}",\n        kind="{hook["class"]}",\n'
        rows += f'        value="{value["kind"]}",\n        takes={python(bounds)},\n        switched="{knob["switched"]}",\n'
        if "environment" in knob:
            environment = knob["environment"]
            rows += f'        variables={python(tuple(environment["names"]))},\n        text="{environment["text"]}",\n'
        rows += "    ),\n"
    return f'''"""What is declared of each knob: {NOTE}"""

from typing import NamedTuple, Tuple, Union


class Declared(NamedTuple):
    at: str  # where it is set: loader, batches, process or forward
    module: str  # of this folder
    kind: str  # the class in it
    value: str  # switch, on, count, word or parts
    takes: Tuple[Union[int, str], ...]  # least and most of a number, or the words
    switched: str  # live, loader or restart: how it is set while the program runs
    variables: Tuple[str, ...] = ()  # of the environment, that set it before the program starts
    text: str = ""  # what they hold, {{}} = the value


# Of each place in the order in which the knobs are set there: each may need the one before it, and
# the last around a forward is the innermost.
TABLE = {{
{rows}}}
'''


def python(values):
    """A tuple as this repository formats it."""
    texts = [json.dumps(value) for value in values]
    return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"


# Docs.


def values_text(values):
    kind = values["kind"]
    number = f"a whole number from {values.get('least')} to {values.get('most')}"
    words = [f"`\"{word}\"`" for word in values.get("words", [])]
    return {"switch": "`true` or `false`", "on": "`true` only", "count": number,
            "word": ", ".join(words[:-1]) + f" or {words[-1]}" if words else "",
            "parts": number + ", or `\"1/2\"`, `\"1/3\"`, ... to join"}[kind]


def grid_text(knob):
    return knob.get("tries", ", ".join("true" if v is True else str(v) for v in knob["grid"]))


def links(ids):
    return ", ".join(f"[{other}]({other}.md)" for other in ids)


def by_hand_rows(knob):
    value = knob.get("example", knob["grid"][0])
    hand = next(h for h in knob["by_hand"] if h.get("value", value) == value)
    ways = [("In a script", hand["script"])]
    ways += [(where, hand.get(key, "")) for where, key in (("`TrainingArguments`", "hf"), ("`lightning.Trainer`", "lightning"))]
    for where, text in ways:
        yield where, f"`{text.replace('{}', shown(value))}`" if text else "as in the script"


def facts(knob):
    rows = [("Values", values_text(knob["value"])), ("Worth a trial", grid_text(knob)), ("Risk", RISKS[knob["risk"]]),
            ("Loss gate", GATES[knob["changes"]]), ("Switched", SWITCHED[knob["switched"]]), ("Needs", knob["needs"])]
    if knob.get("requires"):
        rows.append(("Requires", links(knob["requires"]) + ", by the plan or by the program itself"))
    if knob.get("excludes"):
        rows.append(("Excludes", links(knob["excludes"]) + ": of the two, one at most is set"))
    if "environment" in knob:
        names = ", ".join(f"`{name}`" for name in knob["environment"]["names"])
        rows.append(("Environment", names + ", set before the program starts"))
    if "cost" in knob:
        rows.append(("A trial costs", f"{knob['cost']} trials of the program as it is" + (": it compiles when it starts" if knob.get("compiles") else "")))
    if short_name(knob) != knob["id"]:
        rows.append(("For `--knobs`", f"`{knob['id']}` or `{short_name(knob)}`"))
    rows += by_hand_rows(knob)
    return "| | |\n| --- | --- |\n" + "".join(f"| {name} | {text} |\n" for name, text in rows)


def index(knobs):
    head = "| id | sets | grid | risk | loss gate |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(
        f"| {links([knob['id']])} | {knob['sets']} | {grid_text(knob)} | {RISKS[knob['risk']]} | {GATES[knob['changes']]} |\n" for knob in knobs)


def between_marks(path, text):
    """The page with `text` between its marks."""
    page = path.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"docs/knobs/{path.name} must hold these two lines once, for the generated table:\n{BEGIN}\n{END}")
    before, rest = page.split(BEGIN)
    return before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END)[1]


def outputs(root):
    """{file: what it must hold}."""
    knobs = tomllib.loads((root / SCHEMA).read_text())["knob"]
    wrong = list(problems(knobs)) or list(code_problems(knobs, root))
    if wrong:
        sys.exit("\n".join(f"{SCHEMA}: {line}" for line in wrong))
    made = {
        "src/run/knob_ids.h": ids_header(knobs),
        "src/run/knob_table.h": table_header(knobs),
        "src/apply/knobs/knob_list.h": list_header(knobs),
        "python/flatout/hooks/knobs/table.py": python_table(knobs),
        "docs/knobs/README.md": between_marks(root / "docs/knobs/README.md", index(knobs)),
    }
    for knob in knobs:
        name = f"docs/knobs/{knob['id']}.md"
        made[name] = between_marks(root / name, facts(knob))
    return made
