#include "collect/budget.h"

#include <algorithm>

namespace flatout::collect {
namespace {
// Long enough that one slow read does not slow a source down.
constexpr base::DurationNs kWindow = 2 * base::kSecond;
constexpr int kMaxDivisor = 256;  // 25 s at 10 Hz
}  // namespace

std::int64_t thread_cpu_ns() { return base::read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

bool Budget::due() {
  if (++skipped_ < divisor_) return false;
  skipped_ = 0;
  return true;
}

void Budget::spent(base::TimeNs now, std::int64_t cpu_ns) {
  if (!window_start_) {
    // The first call opens files and learns names; it is not the steady cost.
    window_start_ = now;
    return;
  }
  window_cpu_ns_ += std::max<std::int64_t>(cpu_ns, 0);
  const base::DurationNs elapsed = now - *window_start_;
  if (elapsed < kWindow) return;
  const double cores = static_cast<double>(window_cpu_ns_) / static_cast<double>(elapsed);
  if (cores > cores_ && divisor_ < kMaxDivisor) {
    divisor_ *= 2;
    slowed_ = slowed_ || divisor_ >= said_from_;
  } else if (cores < cores_ / 8 && divisor_ > 1) {
    divisor_ /= 2;
  }
  window_start_ = now;
  window_cpu_ns_ = 0;
}

bool Budget::take_slowed() {
  if (!slowed_ || told_) return false;
  told_ = true;
  return true;
}

// A tick comes a little early or late; waiting for the one after the next would
// stretch the pause by a whole tick.
bool BudgetedSource::rested(base::TimeNs now) {
  if (last_ns_ && now - *last_ns_ < pause_ - pause_ / 20) return false;
  last_ns_ = now;
  return true;
}

base::Result<void> BudgetedSource::sample(base::TimeNs now, run::SampleSink& out) {
  if (late_.leave_out(now) || !rested(now) || !budget_.due()) return {};
  const std::int64_t before = cpu_();
  auto done = inner_->sample(now, out);
  budget_.spent(now, cpu_() - before);
  return done;
}

std::vector<std::string> BudgetedSource::take_notes() {
  auto notes = inner_->take_notes();
  if (budget_.take_slowed()) {
    notes.push_back("the " + std::string(name()) +
                    " metrics took more than 0.5 % of a core to read; they are read less often");
  }
  return notes;
}

}  // namespace flatout::collect
