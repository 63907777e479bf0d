#!/usr/bin/env python3
"""Make sources and pages from schema/: metrics.toml gives src/run/metric.{h,cc} and
docs/metrics.md; facts.toml gives src/run/facts.h and src/run/observed.{h,cc}; knobs.toml gives
what gen_knobs.py says.

`gen_schema.py` writes them; `gen_schema.py --check` exits 1 and names every
file that differs from what it would write.
"""

import argparse
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import fact_types  # noqa: E402
import gen_knobs  # noqa: E402
from wrap_docs import wrap  # noqa: E402

NOTE = "Generated from schema/metrics.toml by tools/gen_schema.py. Do not edit."


def constant(name):
    return "k" + "".join(part.capitalize() for part in name.replace(".", "_").split("_"))


def header(metrics):
    rows = "\n".join(f"  {constant(m['name'])} = {m['id']},  // {m['unit']}; {m['source']}" for m in metrics)
    return f"""// {NOTE}
// clang-format off
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace flatout::run {{

enum class Metric : std::uint16_t {{
{rows}
}};

struct MetricInfo {{
  Metric metric;
  std::string_view name;    // "process.memory.rss"
  std::string_view unit;    // "bytes"
  std::string_view source;  // "host" or "process"
  std::string_view text;
}};

std::span<const MetricInfo> all_metrics();
std::optional<MetricInfo> metric_info(Metric metric);

}}  // namespace flatout::run
"""


def source(metrics):
    rows = "\n".join(
        f'    {{Metric::{constant(m["name"])}, "{m["name"]}", "{m["unit"]}", "{m["source"]}",\n     "{m["text"]}"}},'
        for m in metrics
    )
    return f"""// {NOTE}
// clang-format off
#include "run/metric.h"

namespace flatout::run {{
namespace {{

constexpr MetricInfo kMetrics[] = {{
{rows}
}};

}}  // namespace

std::span<const MetricInfo> all_metrics() {{ return kMetrics; }}

std::optional<MetricInfo> metric_info(Metric metric) {{
  for (const MetricInfo& info : kMetrics) {{
    if (info.metric == metric) return info;
  }}
  return std::nullopt;
}}

}}  // namespace flatout::run
"""


def page(metrics):
    rows = "\n".join(f"| `{m['name']}` | {m['unit']} | {m['source']} | {m['text']} |" for m in metrics)
    return f"""<!-- {NOTE} -->
# Metrics

A reading that could not be taken is absent, never 0.

| name | unit | of | what it says |
| --- | --- | --- | --- |
{rows}
"""


def used_twice(schema):
    """Ids and names that more than one metric has, those of retired ones included."""
    metrics = schema["metric"] + schema["retired"]
    both = [m["id"] for m in metrics] + [m["name"] for m in metrics]
    return sorted({str(one) for one in both if both.count(one) > 1})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    schema = tomllib.loads((ROOT / "schema/metrics.toml").read_text())
    if twice := used_twice(schema):
        sys.exit("schema/metrics.toml: two metrics share " + ", ".join(twice))
    metrics = schema["metric"]
    facts = tomllib.loads((ROOT / "schema/facts.toml").read_text())["fact"]
    if wrong := fact_types.problems(facts):
        sys.exit("schema/facts.toml: " + "; ".join(wrong))
    outputs = {
        "src/run/metric.h": header(metrics),
        "src/run/metric.cc": source(metrics),
        "docs/metrics.md": page(metrics),
        **fact_types.outputs(facts),
        **gen_knobs.outputs(ROOT),
    }
    stale = []
    for name, text in outputs.items():
        if name.endswith(".md"):
            text = wrap(text)
        path = ROOT / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not args.check:
                path.write_text(text)
    if args.check and stale:
        sys.exit("out of date, run tools/gen_schema.py: " + ", ".join(stale))


if __name__ == "__main__":
    main()
