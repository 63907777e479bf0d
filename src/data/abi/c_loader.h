// What a loader's handle of flatout/data.h stands for.
#pragma once

#include <memory>
#include <string>

#include "data/abi/loader_handle.h"
#include "data/abi/run_told.h"

struct flatout_loader {
  std::unique_ptr<flatout::data::abi::OpenLoader> open;
  std::unique_ptr<flatout::data::abi::RunTold> run;  // null: no `flatout run` is told
  std::string stats;
  std::string name;
};
