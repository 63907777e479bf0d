#include "trial/written_paths.h"

#include <algorithm>

namespace flatout::trial {
namespace {

void add_new(const std::vector<std::string>& from, std::vector<std::string>& to) {
  for (const auto& path : from) {
    if (std::ranges::find(to, path) == to.end()) to.push_back(path);
  }
}

}  // namespace

void WrittenPaths::add(const TrialJobResult& result) {
  add_new(result.written, inside);
  add_new(result.written_beyond, beyond);
  add_new(result.lasting, lasting);
}

}  // namespace flatout::trial
