// argv -> what is to be done. Pure but for reading argv; never prints.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace flatout::cli {

struct RunOptions {
  std::string name;
  std::string home;  // "" = $FLATOUT_HOME and so on
  double rate_hz = 10;
  std::string json_file;  // "" = none
  std::string html_file;  // "" = none
  bool hooks = true;
  std::optional<std::uint64_t> stop_after;  // steps, at least 1
  bool quiet = false;
  bool bench = true;      // measure the loading engine on the program's files, once it has ended
  std::string report_to;  // "" = stderr
  std::string replay;     // a recorded run to be played again; "" = none
  std::set<std::string> rules_off;   // ids of rules that are not asked
  std::vector<std::string> plans;    // files, in the order in which they compose
  bool argv = true;                  // false: of every command only its first word is kept
  std::set<std::string> allow_env;   // variables that a plan may set though they choose code
  std::vector<std::string> command;  // not empty, untouched
};

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
  std::vector<std::string> knobs;      // ids or short names; empty = all
  std::vector<std::string> own_knobs;  // NAME='--workers={0..12}', as given
  std::string loss;                    // where losses are seen, as given; "" = by itself
  std::string risk = "rounding";       // "same_maths", "rounding", "changes_training"
  std::optional<double> price;         // of the device, an hour, in the user's currency
  std::optional<std::uint64_t> steps;  // of a trial
  std::string json_file;               // "" = none
  std::string plan_file = "flatout.toml";
  LauncherOptions launcher;
  bool in_place = false;            // no throwaway working directory
  bool argv = true;                 // the command's arguments are stored
  std::string file_cache = "auto";  // what trials find of their files in memory
  bool explain = false;
  bool resume = false;               // go on with an interrupted tune
  std::string resume_id = {};        // of it; "" = the newest of this command and folder
  std::set<std::string> given = {};  // "--risk", ...: options that stand on the command line
  std::vector<std::string> command;  // untouched; empty with `explain`, may be with `resume`
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
  std::string plan_file = "flatout.toml";
  LauncherOptions launcher;
  bool in_place = false;             // no throwaway working directory
  bool argv = true;                  // the command's arguments are stored
  bool resume = false;               // go on with the newest one that did not end
  std::vector<std::string> command;  // not empty, untouched
};

// `trial FILE`, which launchers start.
struct TrialOptions {
  std::string file;
};

enum class Format : std::uint8_t { kText, kJson, kHtml };  // kHtml: report only

struct ListOptions {
  std::string home;
  Format format = Format::kText;
  std::string tag, name, state;  // "" = any; `name` may hold *
  bool tree = false;             // trials below the run that they belong to
};

struct ShowOptions {
  std::string home;
  std::string run;
  Format format = Format::kText;
};

struct ReportOptions {
  std::string home;
  std::string run;
  Format format = Format::kText;
  std::set<std::string> rules_off = {};
  // "" = stdout (a page on a terminal gets a file of its own), "-" = stdout always.
  std::string out = {};
};

struct CompareOptions {
  std::string home;
  std::vector<std::string> runs;  // two or more; the first is the baseline
  Format format = Format::kText;
  std::set<std::string> rules_off = {};
};

struct ExportOptions {
  std::string home;
  std::string run;
  bool parquet = false;  // else CSV
  std::string out;       // "" = flatout-<id> in the current folder
  bool force = false;    // replace files
};

struct TagOptions {
  std::string home;
  std::string run;
  std::vector<std::string> tags;
  bool remove = false;
};

struct NoteOptions {
  std::string home;
  std::string run;
  std::string text;  // "" = no note
};

struct RemoveOptions {
  std::string home;
  std::vector<std::string> runs;  // either these or older_than
  std::string older_than;         // "30d"; "" = not asked for
  bool keep_tagged = false;
  bool dry_run = false;
};

struct DoctorOptions {
  std::string home;
};

struct AccuracyOptions {
  std::string home;
  Format format = Format::kText;
};

// `bench data FOLDER`.
struct BenchOptions {
  std::string subject;    // "data"
  std::string folder;     // of class folders; "" = the spec's
  std::string spec_file;  // a description as flatout/data.h takes it; "" = ImageNet's recipe
  int size = 224;         // of that recipe, pixels a side
  int batch_size = 64;
  int threads = 0;    // 0: as many as CPUs are usable
  int epochs = 5;     // after one that is not counted
  std::string cache;  // encoded or decoded samples in memory; "": none, or the spec's
  int cache_mb = 0;   // its MiB; 0: a share of what is free
  Format format = Format::kText;
};

// `pack SRC... DST`.
struct PackVerbOptions {
  std::vector<std::string> from;  // one folder, or tar files
  std::string to;
  std::string kind = "jpeg";
  int size = 256;
  int quality = 90;
  int shard_mb = 256;
  int threads = 0;  // 0: as many as CPUs are usable
  // A folder that compressed tar files are unpacked to; "": none.
  std::string unpack = {};
  int unpack_mb = 0;  // how many MiB it may have
  Format format = Format::kText;
};

struct EngineBenchOptions {};  // `bench-engine`, which flatout starts itself

struct ShowText {  // help or version, for stdout
  std::string text;
};

using Command = std::variant<RunOptions, TuneOptions, SearchOptions, TrialOptions, ListOptions,
                             ShowOptions, ReportOptions, CompareOptions, ExportOptions, TagOptions,
                             NoteOptions, RemoveOptions, DoctorOptions, AccuracyOptions,
                             BenchOptions, PackVerbOptions, EngineBenchOptions, ShowText>;

// kInvalid with one line that names what is wrong and how to go on. In `run`,
// everything from the first word that is no option of flatout's, or after
// "--", is the command.
// The same holds for `tune`, and for `search` behind its space.
base::Result<Command> parse_command_line(const std::vector<std::string>& args);

}  // namespace flatout::cli
