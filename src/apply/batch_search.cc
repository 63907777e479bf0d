#include "apply/batch_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flatout::apply {

using base::Result;
using BatchOutcome = BatchTrial::Outcome;

namespace {

constexpr std::int64_t kMostGrowth = 1024;  // no larger than so many times the program's own
constexpr double kDeviations = 3;           // kept free beside the line
constexpr double kStillGrows = 1.3;         // of the rate, by four times the size
constexpr int kMostLadder = 4;              // sizes beyond 4 B0
constexpr int kMostBisections = 4;
constexpr int kMostKneeTrials = 2;
constexpr double kWorthIt = 1.1;  // of the present size, from which a knee is another size
constexpr double kMostProbeSeconds = 5;

std::int64_t rounded_up(double size) {
  const double step = static_cast<double>(kSizeStep);
  return static_cast<std::int64_t>(std::ceil(size / step)) * kSizeStep;
}

// At most `size`; below one multiple, the size itself.
std::int64_t rounded_down(std::int64_t size) {
  return size < kSizeStep ? size : size / kSizeStep * kSizeStep;
}

class Search {
 public:
  Search(const BatchSearchInput& input, const RunBatchTrial& run) : input_(input), run_(run) {
    present_ = input.present.size;
    ceiling_ = std::min(input.most.value_or(std::numeric_limits<std::int64_t>::max()),
                        present_ * kMostGrowth);
    out_.trials.push_back(input.present);
  }

  Result<BatchSearch> run();

 private:
  Result<void> probe();
  Result<void> climb();
  Result<void> verify();
  Result<void> find_knee();
  Result<bool> try_size(std::int64_t size, std::uint64_t steps);
  void fit();
  std::uint64_t steps_for(std::int64_t size) const;
  std::int64_t promised() const;
  std::optional<double> rate(const BatchTrial& trial) const;
  const BatchTrial* smallest_near_best() const;
  double wanted_size() const;
  bool worth_it(std::int64_t size);

  const BatchSearchInput& input_;
  const RunBatchTrial& run_;
  std::int64_t present_ = 1;
  std::int64_t ceiling_ = 1;  // nothing larger is tried: too few samples, or it did not fit
  bool fell_ = false;         // the ceiling is where a trial failed
  bool over_ = false;         // no time is left
  BatchSearch out_;
};

// True where it trained.
Result<bool> Search::try_size(std::int64_t size, std::uint64_t steps) {
  auto trial = run_(size, steps);
  if (!trial) return std::unexpected(trial.error());
  if (!*trial) {
    over_ = true;
    return false;
  }
  out_.trials.push_back(**trial);
  const bool trained = (*trial)->outcome == BatchOutcome::kTrained;
  if (!trained) {
    ceiling_ = std::min(ceiling_, size - 1);
    fell_ = true;
  }
  fit();
  return trained;
}

void Search::fit() {
  std::vector<LinePoint> peaks;
  std::vector<LinePoint> times;
  for (const BatchTrial& trial : out_.trials) {
    if (trial.outcome != BatchOutcome::kTrained) continue;
    const auto size = static_cast<double>(trial.size);
    if (trial.peak_bytes) peaks.push_back({size, *trial.peak_bytes});
    if (trial.step_s && *trial.step_s > 0) times.push_back({size, *trial.step_s});
  }
  out_.peak_bytes = fit_line(peaks, /*relative=*/false);
  out_.step_s = fit_line(times, /*relative=*/true);
}

// Long steps: as few as show that it fits.
std::uint64_t Search::steps_for(std::int64_t size) const {
  if (!out_.step_s) return kProbeSteps;
  const double step_s = std::max(out_.step_s->at(static_cast<double>(size)), 1e-6);
  const auto affordable = static_cast<std::uint64_t>(kMostProbeSeconds / step_s);
  return std::clamp(affordable, kVerifySteps + 4, kProbeSteps);
}

// The largest size that the line of memory allows; where it does not grow, the ceiling.
std::int64_t Search::promised() const {
  const auto& line = out_.peak_bytes;
  if (!line || !input_.limit_bytes || line->per_sample <= 0) return ceiling_;
  const double limit = *input_.limit_bytes;
  const double margin = std::max(kLeastMargin * limit, kDeviations * line->deviation);
  const double size = (limit - input_.unusable_bytes - margin - line->at_zero) / line->per_sample;
  if (size >= static_cast<double>(ceiling_)) return ceiling_;
  return std::max(static_cast<std::int64_t>(std::floor(size)), present_);
}

std::optional<double> Search::rate(const BatchTrial& trial) const {
  if (trial.outcome != BatchOutcome::kTrained || !trial.step_s) return std::nullopt;
  return static_cast<double>(trial.size) / *trial.step_s;
}

Result<void> Search::probe() {
  for (const std::int64_t size : {2 * present_, 4 * present_}) {
    if (size > ceiling_ || over_) break;
    const auto trained = try_size(size, kProbeSteps);
    if (!trained) return std::unexpected(trained.error());
    const BatchTrial& last = out_.trials.back();
    if (!over_ && last.outcome == BatchOutcome::kRefused && out_.trials.size() == 2) {
      out_.refusal = last.reason;
    }
    if (!*trained) break;
  }
  return {};
}

// Fourfold sizes while the rate still grows.
Result<void> Search::climb() {
  for (int rung = 0; rung < kMostLadder && !over_ && !fell_; ++rung) {
    const BatchTrial& top = out_.trials.back();
    const auto above = rate(top);
    const auto below = rate(rung == 0 ? out_.trials.front() : out_.trials[out_.trials.size() - 2]);
    if (!above || !below || *above < kStillGrows * *below) break;
    const std::int64_t size = std::min(4 * top.size, rounded_down(promised()));
    if (size <= top.size) break;
    const auto trained = try_size(size, steps_for(size));
    if (!trained) return std::unexpected(trained.error());
  }
  return {};
}

Result<void> Search::verify() {
  std::int64_t fits = present_;
  for (const BatchTrial& trial : out_.trials) {
    if (trial.outcome == BatchOutcome::kTrained) fits = std::max(fits, trial.size);
  }
  out_.maximum = fits;
  out_.maximum_tried = true;
  const auto between = [&] {
    const std::int64_t middle = fits + (ceiling_ - fits + 1) / 2;
    return rounded_down(middle) > fits ? rounded_down(middle) : middle;
  };
  std::int64_t next = rounded_down(promised());
  if (fell_ && next <= fits) next = between();
  const auto seconds = out_.step_s ? kVerifySteps * out_.step_s->at(static_cast<double>(next)) : 0;
  if (seconds > kMostVerifySeconds && !fell_) {
    out_.maximum = std::max(next, fits);
    out_.maximum_tried = next <= fits;
    return {};
  }
  for (int tries = 0; tries <= kMostBisections && next > fits && !over_; ++tries) {
    const auto trained = try_size(next, kVerifySteps);
    if (!trained) return std::unexpected(trained.error());
    if (*trained) fits = next;
    if (*trained && !fell_) break;  // as promised
    // A size at which it fails is known: halve in between.
    if (ceiling_ - fits <= fits / 8) break;
    next = between();
  }
  out_.maximum = fits;
  return {};
}

double Search::wanted_size() const {
  const Line& line = *out_.step_s;
  if (line.at_zero <= 0) return static_cast<double>(present_);
  if (line.per_sample > 0) {
    return kPlateauShare / (1 - kPlateauShare) * line.at_zero / line.per_sample;
  }
  std::int64_t largest = present_;  // no plateau was seen up to there
  for (const BatchTrial& trial : out_.trials) {
    if (rate(trial)) largest = std::max(largest, trial.size);
  }
  return static_cast<double>(largest);
}

// Of those that were tried: the smallest whose rate is near the best.
const BatchTrial* Search::smallest_near_best() const {
  double best = 0;
  for (const BatchTrial& trial : out_.trials) best = std::max(best, rate(trial).value_or(0));
  const BatchTrial* found = nullptr;
  for (const BatchTrial& trial : out_.trials) {
    const bool near = rate(trial).value_or(0) >= kPlateauShare * best && best > 0;
    if (near && (found == nullptr || trial.size < found->size)) found = &trial;
  }
  return found;
}

// Where the line puts it, if a trial there agrees; else among what was tried.
Result<void> Search::find_knee() {
  if (!out_.step_s) {
    out_.why_no_knee =
        over_ ? "no time was left for its search" : "the time of a step is not known";
    return {};
  }
  for (int tries = 0; tries < kMostKneeTrials; ++tries) {
    const std::int64_t most = std::max(rounded_down(*out_.maximum), present_);
    const double wanted = std::min(wanted_size(), static_cast<double>(most));
    const std::int64_t size = std::min(most, rounded_up(wanted));
    if (!worth_it(size)) return {};
    const bool known = std::ranges::any_of(
        out_.trials, [&](const BatchTrial& trial) { return trial.size == size && rate(trial); });
    const double expected_s = out_.step_s->at(static_cast<double>(size));
    if (!known && !over_) {
      const auto trained = try_size(size, steps_for(size));
      if (!trained) return std::unexpected(trained.error());
      if (!*trained && !over_) out_.maximum = std::min(*out_.maximum, ceiling_);
    }
    const auto& took_s = out_.trials.back().step_s;
    const bool agrees = out_.trials.back().size == size && took_s &&
                        std::abs(*took_s / expected_s - 1) < 1 - kPlateauShare;
    if (known || agrees) {
      out_.knee = size;
      return {};
    }
    if (over_) break;
  }
  if (const BatchTrial* chosen = smallest_near_best(); chosen && worth_it(chosen->size)) {
    out_.knee = chosen->size;
    out_.why_no_knee.clear();
  }
  return {};
}

bool Search::worth_it(std::int64_t size) {
  if (static_cast<double>(size) >= kWorthIt * static_cast<double>(present_)) return true;
  out_.why_no_knee = "the program's own " + std::to_string(present_) +
                     " is at the knee: larger ones gain less than 5 %";
  return false;
}

Result<BatchSearch> Search::run() {
  if (present_ < 1) return base::fail(base::ErrorCode::kInvalid, "a batch has at least 1 sample");
  fit();
  if (2 * present_ > ceiling_) {
    out_.why_no_knee = "twice its size is more than the samples there are";
    return std::move(out_);
  }
  if (auto probed = probe(); !probed) return std::unexpected(probed.error());
  if (!out_.refusal.empty()) return std::move(out_);
  if (auto climbed = climb(); !climbed) return std::unexpected(climbed.error());
  if (auto verified = verify(); !verified) return std::unexpected(verified.error());
  if (auto found = find_knee(); !found) return std::unexpected(found.error());
  return std::move(out_);
}

}  // namespace

std::optional<Line> fit_line(const std::vector<LinePoint>& points, bool relative) {
  double weights = 0;
  double mean_size = 0;
  double mean = 0;
  const auto weight = [&](const LinePoint& point) {
    return relative ? 1 / (point.value * point.value) : 1.0;
  };
  for (const LinePoint& point : points) {
    weights += weight(point);
    mean_size += weight(point) * point.size;
    mean += weight(point) * point.value;
  }
  if (points.size() < 2) return std::nullopt;
  mean_size /= weights;
  mean /= weights;
  double spread = 0;
  double slope = 0;
  for (const LinePoint& point : points) {
    spread += weight(point) * (point.size - mean_size) * (point.size - mean_size);
    slope += weight(point) * (point.size - mean_size) * (point.value - mean);
  }
  if (!(spread > 1e-9 * weights * mean_size * mean_size)) return std::nullopt;  // one size
  Line line;
  line.per_sample = slope / spread;
  line.at_zero = mean - line.per_sample * mean_size;
  double squares = 0;
  for (const LinePoint& point : points) {
    const double off = point.value - line.at(point.size);
    squares += weight(point) * off * off;
  }
  if (points.size() > 2) {
    line.deviation = std::sqrt(squares / static_cast<double>(points.size() - 2));
  }
  return line;
}

Result<BatchSearch> search_batch(const BatchSearchInput& input, const RunBatchTrial& run) {
  return Search(input, run).run();
}

}  // namespace flatout::apply
