// What a tune and a search are asked for, whoever asks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace flatout::trial {

// Where trials run (--launcher, --slurm, --slots).
struct LauncherOptions {
  std::string kind = "local";  // or "slurm"
  std::string slurm;           // arguments of srun, parted by blanks
  std::optional<int> slots;    // trials at one time; absent: one for each GPU, else one
};

// `tune -- CMD`, or with `explain` the lines to change by hand for a plan.
struct TuneOptions {
  std::string home;
  std::string budget;                  // "10m"; "" = until nothing is left to try
  std::string training;                // --for: "2h", how long the training will be; "" = a day
  std::vector<std::string> knobs;      // ids or short names; empty = all
  std::vector<std::string> own_knobs;  // NAME='--workers={0..12}', as given
  std::string loss;                    // where losses are seen, as given; "" = by itself
  std::string risk = "rounding";       // "same_maths", "rounding", "changes_training"
  std::optional<double> price;         // of the device, an hour, in the user's currency
  std::optional<std::uint64_t> steps;  // of a trial
  std::string json_file;               // "" = none
  std::string html_file = {};          // "" = none
  std::string plan_file = "flatout.toml";
  LauncherOptions launcher;
  std::vector<std::string> capture = {};  // as app::SessionOptions::capture
  bool in_place = false;                  // no throwaway working directory
  bool argv = true;                       // the command's arguments are stored
  std::string file_cache = "auto";        // what trials find of their files in memory
  bool explain = false;                   // instead: the lines to change by hand
  bool resume = false;                    // go on with an interrupted tune
  std::string resume_id = {};             // of it; "" = the newest of this command and folder
  std::set<std::string> given = {};       // "--risk", ...: options that stand on the command line
  std::vector<std::string> command;       // untouched; empty with `explain`, may be with `resume`
};

// "a,b" -> a, b; empty names are left out.
std::vector<std::string> split_names(const std::string& text);

// `search SPACE -- CMD`.
struct SearchOptions {
  std::string home;
  std::string space_file;
  std::string budget;               // "10m"; "" = as the space says
  std::set<std::string> allow_env;  // variables that the space may set though they choose code
  std::string json_file;            // "" = none
  std::string html_file = {};       // "" = none
  std::string plan_file = "flatout.toml";
  LauncherOptions launcher;
  std::vector<std::string> capture = {};  // as app::SessionOptions::capture
  bool in_place = false;                  // no throwaway working directory
  bool argv = true;                       // the command's arguments are stored
  bool resume = false;                    // go on with the newest one that did not end
  std::vector<std::string> command;       // not empty, untouched
};

}  // namespace flatout::trial
