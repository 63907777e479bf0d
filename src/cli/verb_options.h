// The verbs with their options, as CLI11 knows them, and what it read. Internal
// to the parsing of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace flatout::cli {

// What CLI11 writes into; `chosen` makes a Command of it.
struct ParsedWords {
  RunOptions run;
  trial::TuneOptions tune;
  trial::SearchOptions search;
  TrialOptions trial;
  AttachOptions attach;
  ListOptions list;
  ShowOptions show;
  LogsOptions logs;
  ReportOptions report;
  AnalyzeOptions analyze;
  ImportOptions import_from;
  CompareOptions compare;
  CheckOptions check;
  TopOptions top;
  ExportOptions export_to;
  TagOptions tag;
  NoteOptions note;
  RemoveOptions remove;
  BenchOptions bench;
  PackVerbOptions pack;
  UiOptions ui;
  bool no_open = false;
  std::string home;
  std::string format = "text";
  std::string table_format = "csv";
  std::string rules_off;  // comma-separated
  std::vector<std::string> note_words;
  std::string knobs;  // comma-separated
  double price = 0;
  std::uint64_t trial_steps = 0;
  bool as_json = false;
  int slots = 0;
  bool no_hooks = false;
  bool no_argv = false;
  bool no_bench = false;
  bool no_live = false;
  std::string colour = "auto";
  std::string shell;  // of `completions`
  std::vector<std::string> allow_env;
  std::uint64_t stop_after = 0;
  std::int64_t logs_tail = 0;  // 0 = all
  std::int64_t logs_pid = -1;  // -1 = all
};

constexpr const char* kVerbs =
    "run, top, tune, search, accuracy, ls, show, logs, report, analyze, compare, check, export, "
    "import, "
    "tag, "
    "note, "
    "rm, ui, pack, bench, doctor, completions, manual, help";

// `to` must outlive `app`.
void add_verbs(CLI::App& app, ParsedWords& to);

// What the verb that CLI11 met is to do. kInvalid: options that exclude each other.
base::Result<Command> chosen(const CLI::App& app, ParsedWords& parsed);

}  // namespace flatout::cli
