// Figures of runs that go on, for the list: nobody has summed them up yet. Counted beside the calls
// that ask for them, which never wait. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "run/timeline.h"
#include "serve/http/workers.h"
#include "serve/runs/open_runs.h"

namespace flatout::serve {

// As a report's, of the steady steps; absent where it is not known.
struct StepFigures {
  std::optional<std::int64_t> steps;
  std::optional<double> median_ms;
  std::optional<double> samples_per_s;
  friend bool operator==(const StepFigures&, const StepFigures&) = default;
};
StepFigures step_figures(const run::Timeline& timeline);

class LiveFigures {
 public:
  explicit LiveFigures(OpenRuns& runs) : runs_(runs) {}

  // The latest that are known, at first none; those of a long run, which take a while, are counted
  // so seldom that it is a twentieth of a core.
  StepFigures get(const std::string& id);
  // Another one where some figures have changed.
  std::uint64_t version() const { return version_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    StepFigures figures;
    Clock::time_point next = {};  // when they are to be counted again
    bool counting = false;
  };
  void count(const std::string& id);

  static constexpr std::chrono::seconds kPause{2};
  static constexpr std::size_t kMostRuns = 256;

  OpenRuns& runs_;
  std::atomic<std::uint64_t> version_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
  Workers worker_{1, kMostRuns};  // the last member: it ends before what it uses
};

}  // namespace flatout::serve
