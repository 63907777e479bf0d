// argv -> what is to be done. Pure but for reading argv; never prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "app/export_run.h"
#include "app/session_options.h"
#include "base/result.h"
#include "cli/terminal.h"
#include "trial/options.h"

namespace flatout::cli {

struct RunOptions : app::SessionOptions {
  std::string json_file;            // "" = none
  std::string html_file;            // "" = none
  std::string report_to;            // "" = stderr
  std::string replay;               // a recorded run to be played again; "" = none
  std::set<std::string> rules_off;  // ids of rules that are not asked
  std::vector<std::string> plans;   // files, in the order in which they compose
  bool tune = false;                // try settings while the program runs
  bool accept_unproved = false;     // also set what a plan marks as not yet proved
  std::set<std::string> allow_env;  // variables that a plan may set though they choose code
  bool live = true;                 // show step, rate and verdict so far where that harms nothing
};

// `trial FILE`, which launchers start.
struct TrialOptions {
  std::string file;
};

// kHtml: report, analyze, compare; kPerfetto: analyze.
enum class Format : std::uint8_t { kText, kJson, kHtml, kPerfetto };

// `attach PID`, which flatout.track starts.
struct AttachOptions {
  int pid = 0;
  std::string name;
  std::string home;
};

struct ListOptions {
  std::string home;
  Format format = Format::kText;
  std::string tag, name, state;  // "" = any; `name` may hold *
  bool all = false;              // trials, too, below the run that they belong to
};

struct ShowOptions {
  std::string home;
  std::string run;
  Format format = Format::kText;
};

struct ReportOptions {
  std::string home;
  std::string run = "latest";
  Format format = Format::kText;
  std::set<std::string> rules_off = {};
  // "" = stdout (a page on a terminal gets a file of its own), "-" = stdout always.
  std::string out = {};
};

// `analyze FILE...`: a trace of another tool; several are of the ranks of one job.
struct AnalyzeOptions {
  std::vector<std::string> files;  // at least one
  Format format = Format::kText;
  std::set<std::string> rules_off = {};
  std::string out = {};   // as of ReportOptions
  std::string home = {};  // where `file` is a run
};

struct CompareOptions {
  std::string home;
  std::vector<std::string> runs;  // two or more; the first is the baseline
  Format format = Format::kText;
  std::set<std::string> rules_off = {};
  std::string out = {};  // as of ReportOptions
};

// `check RUN --budget FILE`.
struct CheckOptions {
  std::string home;
  std::string run;
  std::string budget;
  std::string baseline;         // "" = none
  std::string format = "text";  // or "json", "markdown", "junit"
  std::set<std::string> rules_off = {};
  std::string out = {};  // as of ReportOptions; then the text goes to stdout as well
};

// `top [PID|RUN]`.
struct TopOptions {
  std::string home;
  std::string what;  // the number of a process, or a run; "" = the newest that runs
  bool once = false;
  bool json = false;
  double interval_s = 1;
};

struct ExportOptions {
  std::string home;
  std::string run;
  app::ExportFormat format = app::ExportFormat::kCsv;
  std::string out;     // "" = flatout-<id> in the current folder
  bool force = false;  // replace files
  bool json = false;   // print what was written as JSON
};

// `logs [RUN]`: what its program wrote.
struct LogsOptions {
  std::string home;
  std::string run = "latest";
  bool follow = false;              // and goes on as it writes
  std::optional<std::size_t> tail;  // the last lines only
  bool times = false;
  std::string stream;  // "stdout", "stderr"; "" = both
  std::optional<std::int64_t> pid;
  std::string contains;
};

struct TagOptions {
  std::string home;
  std::string run;
  std::vector<std::string> tags;
  bool remove = false;
  Format format = Format::kText;
};

struct NoteOptions {
  std::string home;
  std::string run;
  std::string text;  // "" = no note
  Format format = Format::kText;
};

struct RemoveOptions {
  std::string home;
  std::vector<std::string> runs;  // either these or older_than
  std::string older_than;         // "30d"; "" = not asked for
  bool keep_tagged = false;
  bool dry_run = false;
  Format format = Format::kText;
};

struct DoctorOptions {
  std::string home;
  Format format = Format::kText;
};

struct AccuracyOptions {
  std::string home;
  Format format = Format::kText;
};

struct UiOptions {
  std::string home;
  int port = 0;            // 0: any that is free
  std::string token_file;  // keeps the token; "" = a new one each time
  bool open = true;        // the page in a browser
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

// `import PATH...`: runs of other trackers.
struct ImportOptions {
  std::string home;
  std::vector<std::string> paths;
  bool again = false;
  Format format = Format::kText;
};

struct ShowText {  // help or version, for stdout
  std::string text;
};

using Command =
    std::variant<RunOptions, trial::TuneOptions, trial::SearchOptions, TrialOptions, AttachOptions,
                 ListOptions, ShowOptions, ReportOptions, AnalyzeOptions, CompareOptions,
                 LogsOptions, CheckOptions, TopOptions, ExportOptions, ImportOptions, TagOptions,
                 NoteOptions, RemoveOptions, DoctorOptions, AccuracyOptions, BenchOptions,
                 PackVerbOptions, UiOptions, EngineBenchOptions, ShowText>;

// Of every verb.
struct CommonOptions {
  std::size_t columns = 80;       // in: of a help page
  Colour colour = Colour::kAuto;  // out: what --color said
};

// kInvalid with one line that names what is wrong and how to go on. In `run`,
// everything from the first word that is no option of flatout's, or after
// "--", is the command.
// The same holds for `tune`, and for `search` behind its space.
base::Result<Command> parse_command_line(const std::vector<std::string>& args,
                                         CommonOptions& common);
base::Result<Command> parse_command_line(const std::vector<std::string>& args);

}  // namespace flatout::cli
