// A source may use 0.5 % of a core (design: "A source has a budget"). Above it,
// it is called half as often, and half again; below an eighth of it (so that
// there is no flapping) it is called twice as often again, up to every tick.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "collect/late_reads.h"
#include "run/source.h"

namespace flatout::collect {

constexpr double kSourceBudgetCores = 0.005;

// CPU time of the calling thread, ns. A test passes its own.
using CpuClock = std::function<std::int64_t()>;
std::int64_t thread_cpu_ns();

// Decides which calls of a tick are let through. One thread.
class Budget {
 public:
  // `said_from`: the divisor from which it is reported that calls are left out.
  explicit Budget(double cores = kSourceBudgetCores, int said_from = 2)
      : cores_(cores), said_from_(said_from) {}

  // Whether this call is to do its work. Call it once a tick.
  bool due();
  // The work of one call that was due took `cpu_ns`, and ended at `now`.
  void spent(base::TimeNs now, std::int64_t cpu_ns);

  int divisor() const { return divisor_; }  // 1 = every call is due
  // True once, after it was slowed down so far.
  bool take_slowed();

 private:
  double cores_;
  int said_from_;
  int divisor_ = 1;
  int skipped_ = 0;
  std::optional<base::TimeNs> window_start_;
  std::int64_t window_cpu_ns_ = 0;
  bool slowed_ = false;
  bool told_ = false;
};

// `inner` held to a budget, measured by the calling thread's CPU time, read no more often than
// every `pause` (0 = at every tick), and not late by `clock` (late_reads.h; null = never late).
class BudgetedSource final : public run::Source {
 public:
  explicit BudgetedSource(std::unique_ptr<run::Source> inner, base::DurationNs pause = 0,
                          CpuClock cpu = thread_cpu_ns, const base::Clock* clock = nullptr)
      : inner_(std::move(inner)), pause_(pause), cpu_(std::move(cpu)), late_(clock) {}
  std::string_view name() const override { return inner_->name(); }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  // Whatever it costs: it is the last.
  base::Result<void> last_sample(base::TimeNs now, run::SampleSink& out) override {
    return inner_->last_sample(now, out);
  }
  std::vector<run::Device> take_devices() override { return inner_->take_devices(); }
  std::vector<std::string> take_notes() override;

 private:
  bool rested(base::TimeNs now);

  std::unique_ptr<run::Source> inner_;
  base::DurationNs pause_;
  std::optional<base::TimeNs> last_ns_;
  CpuClock cpu_;
  LateReads late_;
  Budget budget_;
};

}  // namespace flatout::collect
