// Runs that somebody looks at: what was read of them and what was made of it, kept while it is
// asked for and the recording does not change. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "run/timeline.h"
#include "serve/series/run_series.h"
#include "store/home.h"

namespace flatout::serve {

class OpenRun {
 public:
  OpenRun(store::Home home, std::string id) : home_(std::move(home)), id_(std::move(id)) {}

  const std::string& id() const { return id_; }
  std::filesystem::path folder() const { return home_.folder(id_); }

  // Of a run that goes on at most kFresh old.
  base::Result<std::shared_ptr<const run::Timeline>> timeline();
  base::Result<std::shared_ptr<const RunSeries>> series();
  // flatout.report/1
  base::Result<std::shared_ptr<const std::string>> report_json();
  std::size_t bytes();  // in memory, about

  static constexpr std::chrono::milliseconds kFresh{1000};

 private:
  base::Result<void> read();
  std::string stamp() const;

  const store::Home home_;
  const std::string id_;
  std::mutex mutex_;  // one thread reads, the others wait for what it has read
  std::string stamp_;
  std::chrono::steady_clock::time_point read_at_;
  std::shared_ptr<const run::Timeline> timeline_;
  std::shared_ptr<const RunSeries> series_;
  std::shared_ptr<const std::string> report_;
};

class OpenRuns {
 public:
  explicit OpenRuns(store::Home home, std::size_t most_bytes = 512U << 20)
      : home_(std::move(home)), most_bytes_(most_bytes) {}

  // Null where there is no such run.
  std::shared_ptr<OpenRun> open(std::string_view id);

 private:
  void close_some();

  const store::Home home_;
  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<OpenRun>> runs_;  // last asked for first
};

}  // namespace flatout::serve
