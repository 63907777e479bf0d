// Reads the interpreter's own options, as far as they decide about hooks. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flatout::launch {

// "python", "python3.12", "pypy3" ...; `name` is a base name.
bool is_python(std::string_view name);

// The first of I, E, S that is on for this command line, or 0. argv[0] is the
// interpreter; what follows -c, -m or the script belongs to the program. Grammar:
// CPython's Python/getopt.c, "bBc:dEhiIJm:OPqRsStuvVW:xX:?" and long options.
char hook_killing_flag(std::span<const std::string> argv);

}  // namespace flatout::launch
