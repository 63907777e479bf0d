// What a recording is asked for, whoever asks: the command line, a trial, a server.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace flatout::app {

struct SessionOptions {
  std::string name;
  std::string home;  // "" = $FLATOUT_HOME and so on
  double rate_hz = 10;
  bool hooks = true;
  std::optional<std::uint64_t> stop_after;  // steps, at least 1
  std::string trace = "off";                // of the kernels: "kernels", "windows"
  bool quiet = false;
  bool bench = true;  // measure the loading engine on the program's files, once it has ended
  std::vector<std::string> capture = {};  // trackers: wandb, tensorboard, mlflow, neptune
  bool record_output = false;             // of its Python programs
  bool argv = true;                       // false: of every command only its first word is kept
  std::vector<std::string> command;       // not empty, untouched
};

}  // namespace flatout::app
