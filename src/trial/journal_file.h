// A journal in the store that grows by a line at a time: each is synced once it is written,
// and the file is locked while its tune or search goes on. What cannot be written is reported
// once; the trials go on without. Main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "apply/journal.h"
#include "base/file.h"
#include "base/result.h"
#include "store/run_family.h"

namespace flatout::trial {

base::Result<apply::Journal> read_journal(const std::filesystem::path& path);
using store::journal_in_use;
using store::story_in_use;

// Among the options of a journal's head, where arguments are not stored: the command's check.
inline constexpr const char* kNoArgv = "--no-argv";

class JournalFile {
 public:
  // `what`: "tune" or "search", for the user; `tell`: a line for him.
  JournalFile(std::string what, std::function<void(const std::string&)> tell)
      : what_(std::move(what)), tell_(std::move(tell)) {}

  // Whole lines to the end of `path`, which stays the same for good.
  void append(const std::filesystem::path& path, const std::string& lines);
  // `text` in the place of all that the file holds; before anything is appended.
  void begin_with(const std::filesystem::path& path, const std::string& text);

 private:
  base::Result<void> open(const std::filesystem::path& path);
  void fail(const std::string& problem);

  const std::string what_;
  const std::function<void(const std::string&)> tell_;
  base::UniqueFd fd_;
  bool failed_ = false;
};

}  // namespace flatout::trial
