#include "launch/python_flags.h"

#include <algorithm>

namespace flatout::launch {
namespace {

// What one cluster of short options ("-uE", "-Xdev") says.
struct Cluster {
  char flag = 0;            // I, E or S, the first one
  bool takes_next = false;  // -X or -W with its value in the next argument
  bool program = false;     // -c or -m: the rest is the program's
};

Cluster read_cluster(std::string_view letters) {
  Cluster out;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char c = letters[i];
    if (out.flag == 0 && (c == 'I' || c == 'E' || c == 'S')) out.flag = c;
    if (c == 'c' || c == 'm') out.program = true;
    if (c == 'W' || c == 'X') out.takes_next = i + 1 == letters.size();
    if (out.program || c == 'W' || c == 'X') break;  // the rest is a value
  }
  return out;
}

}  // namespace

bool is_python(std::string_view name) {
  for (const std::string_view stem : {"python", "pypy"}) {
    if (!name.starts_with(stem)) continue;
    const auto rest = name.substr(stem.size());
    if (rest.find_first_not_of("0123456789.td") == std::string_view::npos) return true;
  }
  return false;
}

char hook_killing_flag(std::span<const std::string> argv) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string_view argument = argv[i];
    if (argument.size() < 2 || argument[0] != '-' || argument == "--") return 0;
    if (argument.starts_with("--")) {
      if (argument == "--check-hash-based-pycs") ++i;
      continue;
    }
    const Cluster cluster = read_cluster(argument.substr(1));
    if (cluster.flag != 0) return cluster.flag;
    if (cluster.program) return 0;
    if (cluster.takes_next) ++i;
  }
  return 0;
}

}  // namespace flatout::launch
