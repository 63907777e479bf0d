#include "serve/steps/idle_buckets.h"

#include <algorithm>

namespace flatout::serve {
namespace {

using analyse::TimeWindow;

std::vector<IdleBucket> by_steps(std::span<const StepRow> steps, TimeWindow asked,
                                 std::size_t most) {
  const auto begin = std::ranges::lower_bound(steps, asked.begin_ns, {}, &StepRow::end_ns);
  const auto end = std::ranges::upper_bound(steps, asked.end_ns, {}, &StepRow::begin_ns);
  if (begin >= end) return {};
  const auto first = static_cast<std::size_t>(begin - steps.begin());
  const auto count = static_cast<std::size_t>(end - begin);
  const std::size_t buckets = std::min(count, most);
  std::vector<IdleBucket> out;
  for (std::size_t i = 0; i < buckets; ++i) {
    const std::size_t from = first + i * count / buckets;
    const std::size_t last = first + (i + 1) * count / buckets - 1;
    out.push_back({.first_step = from,
                   .last_step = last,
                   .window = {steps[from].begin_ns, steps[last].end_ns}});
  }
  return out;
}

std::vector<IdleBucket> by_time(TimeWindow asked, std::size_t most) {
  std::vector<IdleBucket> out;
  const std::int64_t length = asked.end_ns - asked.begin_ns;
  const auto buckets = std::min(static_cast<std::int64_t>(most), length);
  for (std::int64_t i = 0; i < buckets; ++i) {
    const auto at = [&](std::int64_t n) {
      const double share = static_cast<double>(n) / static_cast<double>(buckets);
      return asked.begin_ns + static_cast<std::int64_t>(static_cast<double>(length) * share);
    };
    out.push_back({.first_step = {}, .last_step = {}, .window = {at(i), at(i + 1)}});
  }
  return out;
}

std::int64_t common_ns(TimeWindow a, TimeWindow b) {
  return std::max<std::int64_t>(0, std::min(a.end_ns, b.end_ns) - std::max(a.begin_ns, b.begin_ns));
}

void fill(IdleBucket& bucket, const analyse::DeviceIdle& idle) {
  const TimeWindow window = bucket.window;
  const auto known = std::ranges::upper_bound(idle.known, window.begin_ns, {}, &TimeWindow::end_ns);
  for (auto it = known; it != idle.known.end() && it->begin_ns < window.end_ns; ++it) {
    bucket.known_ns += common_ns(*it, window);
  }
  auto piece =
      std::ranges::upper_bound(idle.pieces, window.begin_ns, {}, &analyse::IdlePiece::end_ns);
  for (; piece != idle.pieces.end() && piece->begin_ns < window.end_ns; ++piece) {
    bucket.idle_ns[static_cast<std::size_t>(piece->cause)] +=
        common_ns({piece->begin_ns, piece->end_ns}, window);
  }
}

}  // namespace

std::vector<IdleBucket> idle_buckets(const analyse::DeviceIdle& idle,
                                     std::span<const StepRow> steps, TimeWindow asked,
                                     std::size_t most) {
  auto buckets = steps.empty() ? by_time(asked, most) : by_steps(steps, asked, most);
  for (IdleBucket& bucket : buckets) fill(bucket, idle);
  return buckets;
}

}  // namespace flatout::serve
