#include "apply/screen.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/number_text.h"

namespace flatout::apply {
namespace {

using base::Result;

class Screen {
 public:
  Screen(double present_rate, const TryValue& try_value)
      : present_rate_(present_rate), best_rate_(present_rate), try_value_(try_value) {}

  Result<void> one_by_one(const std::vector<std::string>& values);
  Result<void> climb(std::vector<std::pair<double, std::string>> values,
                     std::optional<double> present);
  ScreenResult result() &&;

 private:
  // The trial's rate; 0 where it failed. Nothing when the time is up.
  Result<std::optional<double>> rate_of(std::size_t index);
  Result<void> walk(std::size_t from, int direction);
  Result<void> between_neighbours();
  std::size_t next_step(std::size_t at, int direction) const;

  double present_rate_;
  double best_rate_;
  const TryValue& try_value_;
  ScreenResult out_;
  bool out_of_time_ = false;
  // Of a climb: the values by size, and the rates known by their place.
  std::vector<std::pair<double, std::string>> values_;
  std::map<std::size_t, double> rates_;
  std::size_t best_ = 0;
};

Result<void> Screen::one_by_one(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    auto trial = try_value_(value);
    if (!trial) return std::unexpected(trial.error());
    if (!*trial) return {};
    out_.trials.push_back(std::move(**trial));
  }
  return {};
}

Result<std::optional<double>> Screen::rate_of(std::size_t index) {
  if (const auto known = rates_.find(index); known != rates_.end()) return known->second;
  auto trial = try_value_(values_[index].second);
  if (!trial) return std::unexpected(trial.error());
  if (!*trial) {
    out_of_time_ = true;
    return std::nullopt;
  }
  const double rate = (*trial)->rate.value_or(0);
  rates_[index] = rate;
  out_.trials.push_back(std::move(**trial));
  if (rate > best_rate_) {
    best_rate_ = rate;
    best_ = index;
  }
  return rate;
}

// The next value at least twice as far from 0 (half as far), as long as there is one;
// then the last in that direction.
std::size_t Screen::next_step(std::size_t at, int direction) const {
  const double here = values_[at].first;
  const double wanted = direction > 0 ? std::max(here * 2, here / 2) : std::min(here / 2, here * 2);
  std::size_t next = at;
  while (next + static_cast<std::size_t>(direction) < values_.size()) {
    next += static_cast<std::size_t>(direction);  // wraps below 0, which ends the loop
    const double value = values_[next].first;
    if (direction > 0 ? value >= wanted : value <= wanted) break;
  }
  return next;
}

Result<void> Screen::walk(std::size_t from, int direction) {
  int without_gain = 0;
  for (std::size_t at = from; !out_of_time_;) {
    const std::size_t next = next_step(at, direction);
    if (next == at) return {};
    const double best_before = best_rate_;
    const auto rate = rate_of(next);
    if (!rate) return std::unexpected(rate.error());
    if (!*rate || **rate < kWorse * best_before) return {};
    without_gain = **rate > kMoreByScreen * best_before ? 0 : without_gain + 1;
    if (without_gain == 2) return {};
    at = next;
  }
  return {};
}

// Halves the gaps beside the best, the wider one first. Where all is flat there is
// no top to look for.
Result<void> Screen::between_neighbours() {
  const bool gained = best_rate_ > kMoreByScreen * present_rate_;
  const bool flat = std::ranges::none_of(
      rates_, [this](const auto& known) { return known.second < kWorse * best_rate_; });
  if (!gained && flat) return {};
  for (int tried = 0; tried < kMostBetween && !out_of_time_; ++tried) {
    const auto best = rates_.find(best_);
    if (best == rates_.end()) return {};
    const std::size_t below = best == rates_.begin() ? best_ : std::prev(best)->first;
    const std::size_t above = std::next(best) == rates_.end() ? best_ : std::next(best)->first;
    if (best_ - below < 2 && above - best_ < 2) return {};
    const bool up = above - best_ >= best_ - below;
    const std::size_t middle = up ? best_ + (above - best_) / 2 : below + (best_ - below) / 2;
    const auto rate = rate_of(middle);
    if (!rate) return std::unexpected(rate.error());
  }
  return {};
}

Result<void> Screen::climb(std::vector<std::pair<double, std::string>> values,
                           std::optional<double> present) {
  std::ranges::sort(values);
  values_ = std::move(values);
  if (!present) {
    best_rate_ = 0;  // what it is now says nothing of the way there
    const auto least = rate_of(0);
    if (!least) return std::unexpected(least.error());
    if (auto up = walk(0, 1); !up) return up;
    return between_neighbours();
  }
  // The present value has its place among them, and its rate.
  const auto place =
      std::ranges::lower_bound(values_, *present, {}, &std::pair<double, std::string>::first);
  const auto own = static_cast<std::size_t>(place - values_.begin());
  values_.insert(place, {*present, ""});
  rates_[own] = present_rate_;
  best_ = own;
  if (auto up = walk(own, 1); !up) return up;
  if (best_rate_ <= kMoreByScreen * present_rate_) {
    if (auto down = walk(own, -1); !down) return down;
  }
  return between_neighbours();
}

ScreenResult Screen::result() && {
  double top = kMoreByScreen * present_rate_;
  for (const auto& trial : out_.trials) top = std::max(top, trial.rate.value_or(0));
  for (std::size_t i = 0; i < out_.trials.size() && !out_.best; ++i) {
    const double rate = out_.trials[i].rate.value_or(0);
    if (rate > kMoreByScreen * present_rate_ && rate * kMoreByScreen >= top) out_.best = i;
  }
  return std::move(out_);
}

}  // namespace

int likely_screen_trials(std::size_t values) {
  if (values <= kFewValues) return static_cast<int>(values);
  return static_cast<int>(std::bit_width(values)) + 2;  // the climb, and some between
}

Result<ScreenResult> screen(const std::vector<std::string>& values, const std::string& present,
                            double present_rate, const TryValue& try_value) {
  Screen screen(present_rate, try_value);
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& value : values) {
    if (const auto size = base::parse_number<double>(value)) numbers.emplace_back(*size, value);
  }
  const bool climbs = values.size() > kFewValues && numbers.size() == values.size();
  const auto done = climbs ? screen.climb(std::move(numbers), base::parse_number<double>(present))
                           : screen.one_by_one(values);
  if (!done) return std::unexpected(done.error());
  return std::move(screen).result();
}

}  // namespace flatout::apply
