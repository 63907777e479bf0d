// A trial as a file, so that a launcher can place it, and what comes back. Both are
// JSON, written by flatout for itself: no format for others. Pure; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/plan.h"
#include "trial/file_cache.h"

namespace flatout::trial {

constexpr std::size_t kMaxTrialJobBytes = 4U << 20;  // more than a kernel takes as a command

struct TrialJob {
  std::string home;                  // folder of the runs, absolute
  std::filesystem::path directory;   // where the command runs, absolute
  std::filesystem::path output;      // what the program prints, absolute; written anew
  std::vector<std::string> command;  // not empty
  std::vector<std::pair<std::string, std::string>> environment;  // names and values set for it
  std::vector<run::KnobSetting> knobs;
  std::uint64_t steps = 0;          // after which it ends, at least 1
  base::DurationNs timeout_ns = 0;  // after which it is ended, above 0
  std::uint64_t seed_shift = 0;
  std::optional<std::int64_t> data_limit_bytes;  // see apply::TrialSpec
  std::string name;                              // of the run
  std::optional<std::string> parent;             // id of the run that it is a trial of
  std::vector<std::string> capture = {};         // as app::SessionOptions::capture
  bool in_place = false;                         // no throwaway working directory
  bool argv = true;                              // the command's arguments are stored
  FileCache file_cache = FileCache::kWarm;       // of the next trial
  bool unbuffered = false;                       // what it prints is read for its losses
  bool driven = false;                           // by control_file(), see driven_trial.h
  // Runs nothing: says that this file, the home and the directory are seen from there.
  bool probe = false;
};

std::string trial_job_text(const TrialJob& job);
// kInvalid: what is no JSON, or not of this shape, with the key that is wrong;
// kTooLarge. What is read can be written and read again, the same.
base::Result<TrialJob> parse_trial_job(std::string_view text);

struct TrialJobResult {
  std::string run;                   // id, "" = nothing was recorded
  std::string ended;                 // a word of tune_recorder.h, "" = not known
  std::string files;                 // see trial_files.h, "" = not known
  std::string trouble;               // why nothing was recorded, or what went wrong; "" = nothing
  std::string place;                 // "overlay", "copy", "folder"
  std::vector<std::string> notes;    // of the place, for the user
  std::vector<std::string> written;  // the first paths that it wrote below its directory
  std::vector<std::string> written_beyond;  // likewise outside of it, thrown away as well
  std::vector<std::string> lasting;         // that it wrote outside, for real
};

// Whether it came so far that its run can be read.
bool was_recorded(const TrialJobResult& result);

std::string trial_result_text(const TrialJobResult& result);
base::Result<TrialJobResult> parse_trial_result(std::string_view text);

// The page by which a driven job's program is driven.
std::filesystem::path control_file(const std::filesystem::path& output);

// Where the result of a job's file goes.
std::filesystem::path result_file(const std::filesystem::path& job_file);

}  // namespace flatout::trial
