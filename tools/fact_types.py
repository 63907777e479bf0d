"""C++ from schema/facts.toml: the keys, the types and the decoder of facts. Used by gen_schema.py."""

import textwrap

NOTE = "Generated from schema/facts.toml by tools/gen_schema.py. Do not edit."
WIDTH = 96

# type of a field -> (C++ type where it may be absent, where it may not, method of run::FactFields)
TYPES = {
    "text": ("std::string", "std::string", "text"),
    "optional_text": ("std::optional<std::string>", "std::string", "optional_text"),
    "flag": ("std::optional<bool>", "bool", "flag"),
    "id": ("std::uint32_t", "std::uint32_t", "id"),
    "count": ("std::optional<int>", "int", "count"),
    "large": ("std::optional<std::int64_t>", "std::int64_t", "large"),
    "whole": ("std::optional<std::int64_t>", "std::int64_t", "whole"),
    "number": ("std::optional<double>", "double", "number"),
    "literal": ("std::string", "std::string", "literal"),
    "object": ("std::string", "std::string", "object"),
    "texts": ("std::vector<std::string>", None, "texts"),
    "wholes": ("std::vector<std::int64_t>", None, "wholes"),
    "numbers": ("std::vector<double>", None, "numbers"),
    "rows": ("std::vector<std::array<std::int64_t, {columns}>>", None, "rows<{columns}>"),
    "by_name": ("std::map<std::string, double>", None, "by_name"),
    "list": ("std::vector<{of}>", None, None),
}
FACT_KEYS = {"key", "type", "list", "stated", "text", "example", "object", "constant", "field"}
FIELD_KEYS = {"name", "as", "type", "of", "columns", "least", "most", "within", "required", "strict", "default", "text"}
BOUNDED = {"count", "large", "whole", "number", "wholes"}
# Absent is the empty value of these: no optional says so.
EMPTY = {"text", "id", "literal", "object", "texts", "wholes", "numbers", "rows", "by_name", "list"}


def problems(facts):
    """What is wrong with the schema, a line each."""
    out = []
    for fact in facts:
        name = fact.get("type") or fact.get("object") or "?"
        out += [f"{name}: {key} is no key of a fact" for key in fact.keys() - FACT_KEYS]
        if ("object" in fact) == ("key" in fact):
            out.append(f"{name}: has either an object or a key")
        names = [field["name"] for field in fact["field"]]
        out += [f"{name}.{one}: stands there twice" for one in sorted(set(names)) if names.count(one) > 1]
        for field in fact["field"]:
            where = f"{name}.{field['name']}"
            out += [f"{where}: {key} is no key of a field" for key in field.keys() - FIELD_KEYS]
            if field["type"] not in TYPES:
                out.append(f"{where}: no type is called {field['type']}")
            elif {"least", "most"} & field.keys() and field["type"] not in BOUNDED:
                out.append(f"{where}: a {field['type']} has no bounds")
    for what in ("key", "type", "list"):
        values = [fact[what] for fact in facts if what in fact]
        out += [f"{what} {one}: stands there twice" for one in sorted(set(values)) if values.count(one) > 1]
    return out


def comment(text, indent="", width=WIDTH):
    return "\n".join(textwrap.wrap(text, width, initial_indent=indent + "// ", subsequent_indent=indent + "// ", break_long_words=False, break_on_hyphens=False))


def type_name(fact):
    return fact.get("type") or fact["object"]


def constant(fact):
    return fact.get("constant") or "k" + "".join(part.capitalize() for part in fact["key"].split("_"))


def literal(value):
    return str(value).lower() if isinstance(value, bool) else repr(value)


def always(field):
    return field.get("required") or "default" in field


def cpp_type(field):
    maybe, sure, _ = TYPES[field["type"]]
    return (sure if always(field) else maybe).format(**field)


def member(field):
    name = field.get("as", field["name"])
    kind = cpp_type(field)
    initial = ""
    if "default" in field:
        initial = " = " + literal(field["default"])
    elif kind in ("int", "double", "std::int64_t", "std::uint32_t"):
        initial = " = 0"
    elif kind == "bool":
        initial = " = false"
    note = comment(field["text"], "  ") + "\n" if "text" in field else ""
    return f"{note}  {kind} {name}{initial};"


def struct(fact):
    lines = [member(field) for field in fact["field"]]
    if "key" in fact:
        lines.insert(0, "  std::int64_t t_ns = 0;")
    if fact.get("stated"):
        lines.append("  std::vector<StatedField> stated;")
    body = "\n".join(lines)
    return f"{comment(fact['text'])}\nstruct {type_name(fact)} {{\n{body}\n  friend bool operator==(const {type_name(fact)}&, const {type_name(fact)}&) = default;\n}};\n"


def keys_header(facts):
    parts = []
    for fact in facts:
        if "key" not in fact:
            continue
        parts.append(f"{comment(fact['example'])}\n{comment(fact['text'])}\nconstexpr std::string_view {constant(fact)} = \"{fact['key']}\";\n")
    body = "\n".join(parts)
    return f"""// {NOTE}
// clang-format off
// Keys of run::Fact and the shape of their JSON. A field that is not known is
// absent. Written by the hooks (python/flatout/hooks); as types in run/observed.h.
#pragma once

#include <string_view>

namespace flatout::run::facts {{

{body}
// Key "stage_name.3": the JSON string that stage 3 of this process is called.
// Batches carry the names already; record reads this after it was killed.
constexpr std::string_view kStageNamePrefix = "stage_name.";

}}  // namespace flatout::run::facts
"""


def types_header(facts):
    structs = "\n".join(struct(fact) for fact in facts)
    said = [fact for fact in facts if "key" in fact]
    lists = "\n".join(f"  std::vector<{fact['type']}> {fact['list']};" for fact in said)
    decoders = "\n".join(f"template <>\nstd::optional<{fact['type']}> decode(std::string_view json);" for fact in said)
    return f"""// {NOTE}
// clang-format off
// What a process said of itself (run/facts.h), as types. A field that was not said, or not as it
// should be, is absent: an empty optional, list or text, or 0 of an id. Long, since it is a table:
// one struct a fact of the schema.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/event.h"

namespace flatout::run {{

// A field as it was written; those of objects within are called "args.steps".
struct StatedField {{
  std::string name;
  std::string json;
  friend bool operator==(const StatedField&, const StatedField&) = default;
}};

{structs}
// All of one process, in the order in which it said them.
struct Observed {{
{lists}
  friend bool operator==(const Observed&, const Observed&) = default;
}};

// Absent where `json` is no object, or lacks what makes it say anything.
template <typename T>
std::optional<T> decode(std::string_view json);
{decoders}

// Adds what `fact` says; nothing where its key is unknown or decode() has nothing.
void observe(const Fact& fact, Observed& to);

}}  // namespace flatout::run
"""


def call(field):
    """How the field is read."""
    method = TYPES[field["type"]][2].format(**field)
    source = f'from.within("{field["within"]}")' if "within" in field else "from"
    words = [f'"{field["name"]}"']
    if {"least", "most"} & field.keys():
        number = "Numbers" if field["type"] == "number" else "Wholes"
        bounds = [f".{end} = {literal(field[end])}" for end in ("least", "most") if end in field]
        words.append(f"{number}{{{', '.join(bounds)}}}")
    return f"{source}.{method}({', '.join(words)})"


def read_field(field):
    name = f"out.{field.get('as', field['name'])}"
    if field["type"] == "list":
        return [f'  for (const FactFields& one : from.objects("{field["name"]}")) {{', f"    if ({field['of']} item; read(one, item)) {name}.push_back(std::move(item));", "  }"]
    empty = field["type"] in EMPTY
    if field.get("required"):
        if empty:
            none = f"{name} == 0" if field["type"] == "id" else f"{name}.empty()"
            return [f"  {name} = {call(field)};", f"  if ({none}) return false;"]
        return [f"  if (const auto value = {call(field)}) {{", f"    {name} = *value;", "  } else {", "    return false;", "  }"]
    lines = [f"  {name} = {call(field)};"]
    if "default" in field and not empty:
        lines = [f"  {name} = {call(field)}.value_or({literal(field['default'])});"]
    if field.get("strict"):
        lines.append(f'  if ({name}.empty() && from.has("{field["name"]}")) return false;')
    return lines


def reader(fact):
    lines = [line for field in fact["field"] for line in read_field(field)]
    if fact.get("stated"):
        lines.append("  out.stated = from.stated();")
    body = "\n".join(lines)
    return f"bool read(const FactFields& from, {type_name(fact)}& out) {{\n{body}\n  return true;\n}}\n"


def decoder(facts):
    said = [fact for fact in facts if "key" in fact]
    readers = "\n".join(reader(fact) for fact in facts)
    decoders = "\n".join(
        f"template <>\nstd::optional<{fact['type']}> decode(std::string_view json) {{ return decoded<{fact['type']}>(json); }}" for fact in said
    )
    rows = "\n".join(f"    {{facts::{constant(fact)}, [](const Fact& fact, Observed& to) {{ add(fact, to.{fact['list']}); }}}}," for fact in said)
    return f"""// {NOTE}
// clang-format off
// Long, since it is a table: one reader a fact of the schema.
#include "run/observed.h"

#include <utility>

#include "run/fact_fields.h"
#include "run/facts.h"

namespace flatout::run {{
namespace {{

{readers}
template <typename T>
std::optional<T> decoded(std::string_view json) {{
  const FactText text(json);
  T out;
  if (!text.is_object() || !read(text.fields(), out)) return std::nullopt;
  return out;
}}

template <typename T>
void add(const Fact& fact, std::vector<T>& to) {{
  std::optional<T> out = decoded<T>(fact.json);
  if (!out) return;
  out->t_ns = fact.t_ns;
  to.push_back(std::move(*out));
}}

struct Kind {{
  std::string_view key;
  void (*add)(const Fact&, Observed&);
}};

constexpr Kind kKinds[] = {{
{rows}
}};

}}  // namespace

{decoders}

void observe(const Fact& fact, Observed& to) {{
  for (const Kind& kind : kKinds) {{
    if (kind.key == fact.key) return kind.add(fact, to);
  }}
}}

}}  // namespace flatout::run
"""


def outputs(facts):
    return {
        "src/run/facts.h": keys_header(facts),
        "src/run/observed.h": types_header(facts),
        "src/run/observed.cc": decoder(facts),
    }
