#!/usr/bin/env python3
"""Write src/base/width_table.h: which characters take no column of a terminal, and which take two.

From the Unicode data of the Python that runs it, so it is run by hand, when a terminal knows newer ones.
"""

import pathlib
import unicodedata

OUT = pathlib.Path(__file__).resolve().parents[1] / "src/base/width_table.h"
FORMAT = {"Mn", "Me", "Cf"}
# Of a Hangul syllable, what joins its first letter.
JOINED = range(0x1160, 0x1200)


def columns(code):
    char = chr(code)
    if code == 0xAD:
        return 1
    if unicodedata.category(char) in FORMAT or code in JOINED:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ranges(width):
    out, begin = [], None
    for code in range(0xA0, 0x110000):
        if columns(code) == width and begin is None:
            begin = code
        elif columns(code) != width and begin is not None:
            out.append((begin, code - 1))
            begin = None
    return out


def table(name, rows):
    cells = ["{0x%x, 0x%x}," % row for row in rows]
    lines = ["    " + " ".join(cells[at : at + 4]) for at in range(0, len(cells), 4)]
    return "constexpr CodeRange %s[] = {\n%s\n};\n" % (name, "\n".join(lines))


def main():
    OUT.write_text(
        "// Written by tools/gen_width_table.py from Unicode %s. Sorted; both ends belong to a range.\n"
        "#pragma once\n\n#include <cstdint>\n\nnamespace flatout::base {\n\n"
        "struct CodeRange {\n  std::uint32_t first, last;\n};\n\n// clang-format off\n%s\n%s// clang-format on\n\n"
        "}  // namespace flatout::base\n"
        % (unicodedata.unidata_version, table("kNoColumn", ranges(0)), table("kTwoColumns", ranges(2)))
    )


if __name__ == "__main__":
    main()
