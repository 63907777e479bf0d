"""Makes the sources of libcupti that follow from NVIDIA's headers alone.

    python generate.py INCLUDE OUT

cupti_callback_ids.cc   names of runtime and driver functions with their numbers for callbacks and records,
                        from cupti_runtime_cbid.h and cupti_driver_cbid.h
cupti_results.cc        the text of each CUptiResult, from cupti_result.h
cupti_not_simulated.cc  entry points that no file of this folder defines: they answer that they are not supported
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ENTRY_POINT = re.compile(r"^CUptiResult\s+CUPTIAPI\s+(cupti\w+)\s*\(", re.M)
# Their headers need more of NVIDIA's software than the rest, or answer with a status of their own.
NOT_LISTED = ("cupti_checkpoint.h",)


def callback_ids(header, prefix):
    """[(number, enumerator without its prefix)]"""
    found = re.findall(r"%s(\w+)\s*=\s*(\d+)" % prefix, header.read_text())
    return [(int(number), name) for name, number in found if name not in ("INVALID", "SIZE", "FORCE_INT")]


def newest(ids):
    """{function: number} of the version that the functions of this release are: the highest; of the
    runtime's names the version is cut off. Those for per-thread default streams are functions of their own."""
    best = {}
    for number, name in ids:
        function, version = re.fullmatch(r"(\w+?)(?:_v(\d{4,5}))?", name).groups()
        best[function] = max(best.get(function, (-1, 0)), (int(version or 0), number))
    return {function: number for function, (_, number) in best.items()}


def callback_ids_source(headers):
    lines = ['#include "cupti/callback_ids.h"', "", "namespace simgpu::cupti {", ""]
    for domain in ("runtime", "driver"):
        ids = callback_ids(headers / ("cupti_%s_cbid.h" % domain), "CUPTI_%s_TRACE_CBID_" % domain.upper())
        lines.append("const std::vector<CallbackId>& %s_callback_ids() {" % domain)
        lines.append("  static const auto* const all = new std::vector<CallbackId>{")
        lines += ['      {%d, "%s"},' % one for one in sorted(ids)]
        lines += ["  };", "  return *all;", "}", ""]
        lines.append("const std::unordered_map<std::string_view, std::uint32_t>& %s_functions() {" % domain)
        lines.append("  static const auto* const all = new std::unordered_map<std::string_view, std::uint32_t>{")
        lines += ['      {"%s", %d},' % one for one in sorted(newest(ids).items())]
        lines += ["  };", "  return *all;", "}", ""]
    return "\n".join([*lines, "}  // namespace simgpu::cupti", ""])


def results_source(headers):
    """What each status means: the first sentence of its comment."""
    text = (headers / "cupti_result.h").read_text()
    found = re.findall(r"/\*\*((?:(?!\*/).)*?)\*/\s*(CUPTI_(?:SUCCESS|ERROR_\w+))\s*=", text, re.S)
    lines = ["#include <cupti_result.h>", "", '#include "cupti/results.h"', "", "namespace simgpu::cupti {", ""]
    lines += ["const char* text_of(CUptiResult result) {", "  switch (result) {"]
    for comment, name in found:
        words = " ".join(line.strip(" *\t") for line in comment.splitlines()).split()
        sentence = " ".join(words).split(". ")[0].rstrip(".").replace("\\p ", "").replace('"', "'").replace("\\", "")
        lines.append('    case %s: return "%s";' % (name, sentence))
    lines += ["    default: return nullptr;", "  }", "}", "", "const char* name_of(CUptiResult result) {", "  switch (result) {"]
    lines += ['    case %s: return "%s";' % (name, name) for _, name in found]
    lines += ["    default: return nullptr;", "  }", "}", "", "}  // namespace simgpu::cupti", ""]
    return "\n".join(lines)


def not_simulated_source(headers):
    here = "\n".join(source.read_text() for source in sorted(HERE.glob("*.cc")))
    names = set()
    for header in sorted(headers.glob("cupti*.h")):
        if header.name not in NOT_LISTED:
            names.update(ENTRY_POINT.findall(header.read_text()))
    missing = sorted(name for name in names if not re.search(r"\b%s\(" % name, here))
    lines = ["#include <cupti_result.h>", "", 'extern "C" {']
    lines += ["CUptiResult %s() { return CUPTI_ERROR_NOT_SUPPORTED; }" % name for name in missing]
    return "\n".join([*lines, "}", ""])


def main():
    headers, out = map(pathlib.Path, sys.argv[1:])
    sources = {
        "cupti_callback_ids.cc": callback_ids_source(headers),
        "cupti_results.cc": results_source(headers),
        "cupti_not_simulated.cc": not_simulated_source(headers),
    }
    for name, text in sources.items():
        path = out / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
