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

#include "analyse/kernels/idle_pieces.h"
#include "analyse/loader_times.h"
#include "base/result.h"
#include "run/description.h"
#include "run/timeline.h"
#include "serve/runs/made.h"
#include "serve/series/run_series.h"
#include "serve/steps/step_table.h"
#include "store/home.h"

namespace flatout::serve {

// Something that one at a time may use.
template <typename T>
struct Held {
  std::unique_lock<std::mutex> lock;
  std::shared_ptr<T> it;
  T* operator->() const { return it.get(); }
};

class OpenRun {
 public:
  OpenRun(store::Home home, std::string id) : home_(std::move(home)), id_(std::move(id)) {}

  const std::string& id() const { return id_; }
  std::filesystem::path folder() const { return home_.folder(id_); }

  // Of a run that goes on at most kFresh old.
  base::Result<std::shared_ptr<const run::Timeline>> timeline();
  // The same without readings and named values, which are most of a long run.
  base::Result<std::shared_ptr<const run::Timeline>> outline();
  // Its curves, up to date, for as long as the caller holds them: nobody else has them meanwhile.
  base::Result<Held<RunSeries>> series();
  struct Steps {
    std::shared_ptr<const std::vector<StepsOf>> of;
    std::int64_t start_ns = 0;  // of the run
  };
  base::Result<Steps> steps();
  // Why its devices idled, of a traced run; and its training loader. Of a run that goes on up to
  // Made::kFreshEnough old.
  base::Result<std::shared_ptr<const std::vector<analyse::DeviceIdle>>> idle();
  base::Result<std::shared_ptr<const analyse::LoaderTimes>> loader();
  // What `show` shows of it but for its files and tags, which change beside the recording; and when
  // its checkpoints began, in ns. As old as the two above.
  base::Result<std::shared_ptr<const run::Description>> described();
  base::Result<std::shared_ptr<const std::vector<std::int64_t>>> checkpoints();
  // Moments that the program marked while it was traced, at most kMostMarks. As old as those.
  struct Mark {
    std::int64_t t_ns = 0;
    std::string name = {};
  };
  base::Result<std::shared_ptr<const std::vector<Mark>>> marks();
  // flatout.report/1
  base::Result<std::shared_ptr<const std::string>> report_json();
  std::size_t bytes();  // in memory, about

  static constexpr std::size_t kMostMarks = 1000;
  static constexpr std::chrono::milliseconds kFresh{1000};
  static constexpr std::chrono::milliseconds kFreshSeries{200};

 private:
  base::Result<void> read();
  base::Result<void> read_outline();
  base::Result<void> read_series();
  std::string stamp() const;

  const store::Home home_;
  const std::string id_;
  std::mutex mutex_;  // one thread reads, the others wait for what it has read
  std::string stamp_;
  std::chrono::steady_clock::time_point read_at_;
  std::shared_ptr<const run::Timeline> timeline_;
  std::shared_ptr<const std::string> report_;

  std::mutex outline_mutex_;
  std::string outline_stamp_;
  std::chrono::steady_clock::time_point outline_read_at_;
  std::shared_ptr<const run::Timeline> outline_;
  std::shared_ptr<const std::vector<StepsOf>> steps_;  // of outline_; null until asked for

  Made<std::vector<analyse::DeviceIdle>> idle_;
  Made<analyse::LoaderTimes> loader_;
  Made<run::Description> described_;
  Made<std::vector<std::int64_t>> checkpoints_;
  Made<std::vector<Mark>> marks_;

  std::mutex series_mutex_;
  std::string series_stamp_;
  std::chrono::steady_clock::time_point series_read_at_;
  std::shared_ptr<RunSeries> series_;
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
