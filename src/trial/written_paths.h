// What the trials of a tune or a search wrote, each path once. Any thread.
#pragma once

#include <string>
#include <vector>

#include "trial/job.h"

namespace flatout::trial {

struct WrittenPaths {
  std::vector<std::string> inside;   // below their working directory, thrown away
  std::vector<std::string> beyond;   // outside of it, thrown away as well
  std::vector<std::string> lasting;  // outside of it, for real

  void add(const TrialJobResult& result);
};

}  // namespace flatout::trial
