// The list of all runs, as the API gives it. A thread of its own looks at the store while somebody
// asks: a store of which thousands of recordings have to be read is shown in parts. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "serve/runs/live_figures.h"
#include "serve/runs/look_at_runs.h"
#include "serve/runs/run_row.h"
#include "store/home.h"

namespace flatout::serve {

class RunRows {
 public:
  RunRows(store::Home home, LiveFigures& figures);
  ~RunRows();
  RunRows(const RunRows&) = delete;
  RunRows& operator=(const RunRows&) = delete;

  // At most kFresh old; older, or a part, where the store is not read within kPatience. An error:
  // the home cannot be listed, or is gone.
  base::Result<SeenRuns> latest();
  // Null where there is no such run. One that is not in the list yet is read by itself.
  std::shared_ptr<const RunRow> find(std::string_view id);
  // Rows that were seen before are old.
  void look_again();

  static constexpr std::chrono::milliseconds kFresh{500};
  static constexpr std::chrono::milliseconds kPatience{600};

 private:
  using Clock = std::chrono::steady_clock;
  bool is_fresh() const;
  void work();
  void take(base::Result<SeenRuns> found, std::uint64_t asked, bool whole);

  const store::Home home_;
  LiveFigures& figures_;
  LookAtRuns look_;  // of the thread alone
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = true;  // also before anybody asks
  bool ended_ = false;
  std::optional<base::Result<SeenRuns>> seen_;
  Clock::time_point seen_at_;     // when the last whole look was over
  std::uint64_t asked_ = 1;       // grows with look_again()
  std::uint64_t asked_seen_ = 0;  // as it was when the last whole look began
  std::thread thread_;
};

}  // namespace flatout::serve
