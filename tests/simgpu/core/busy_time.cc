#include <algorithm>

#include "core/shared_device.h"

namespace simgpu {
namespace {

constexpr Nanoseconds kKeptOpen = 100 * kMillisecond;

void close_into(BusyTime& busy, const Interval& ended) {
  busy.total += ended.end - ended.start;
  busy.closed_until = std::max(busy.closed_until, ended.end);
  for (Nanoseconds at = ended.start; at < ended.end;) {
    const std::int64_t millisecond = at / kMillisecond;
    const Nanoseconds until = std::min(ended.end, (millisecond + 1) * kMillisecond);
    const auto slot = static_cast<std::size_t>(millisecond % BusyTime::kMilliseconds);
    if (busy.of_ms[slot] != millisecond) {
      busy.of_ms[slot] = millisecond;
      busy.per_ms[slot] = 0;
    }
    busy.per_ms[slot] += static_cast<std::int32_t>(until - at);
    at = until;
  }
}

void close_the_old(BusyTime& busy) {
  const Nanoseconds until = now() - kKeptOpen;
  std::int32_t gone = 0;
  while (gone < busy.count && busy.open[static_cast<std::size_t>(gone)].end < until) {
    ++gone;
  }
  if (gone <= busy.count / 2 && busy.count < BusyTime::kMost) {
    return;
  }
  gone = std::max(gone, busy.count == BusyTime::kMost ? 1 : 0);
  for (std::int32_t i = 0; i < gone; ++i) {
    close_into(busy, busy.open[static_cast<std::size_t>(i)]);
  }
  std::copy(busy.open.begin() + gone, busy.open.begin() + busy.count, busy.open.begin());
  busy.count -= gone;
}

Nanoseconds overlap(Nanoseconds start, Nanoseconds end, Nanoseconds from, Nanoseconds to) {
  return std::max<Nanoseconds>(0, std::min(end, to) - std::max(start, from));
}

}  // namespace

void BusyTime::add(Nanoseconds start, Nanoseconds end) {
  close_the_old(*this);
  start =
      std::max(start, closed_until);  // what is closed stays: the union never counts a time twice
  if (end <= start) {
    return;
  }
  auto* const begin = open.data();
  auto* const stop = begin + count;
  auto* first = stop;  // of those that touch the new one
  while (first > begin && (first - 1)->end >= start) {
    --first;
  }
  auto* last = first;
  while (last < stop && last->start <= end) {
    start = std::min(start, last->start);
    end = std::max(end, last->end);
    ++last;
  }
  if (first == last) {
    std::copy_backward(first, stop, stop + 1);
    ++count;
  } else {
    std::copy(last, stop, first + 1);
    count -= static_cast<std::int32_t>(last - first) - 1;
  }
  *first = {start, end};
}

Nanoseconds BusyTime::between(Nanoseconds from, Nanoseconds to) const {
  Nanoseconds busy = 0;
  for (std::int32_t i = count; i-- > 0;) {
    const Interval& one = open[static_cast<std::size_t>(i)];
    if (one.end <= from) {
      break;
    }
    busy += overlap(one.start, one.end, from, to);
  }
  const Nanoseconds closed_to = std::min(to, closed_until);
  for (std::int64_t millisecond = from / kMillisecond; millisecond * kMillisecond < closed_to;
       ++millisecond) {
    const auto slot = static_cast<std::size_t>(millisecond % kMilliseconds);
    if (of_ms[slot] != millisecond) {
      continue;
    }
    const Nanoseconds begin = millisecond * kMillisecond;
    const Nanoseconds covered = overlap(begin, begin + kMillisecond, from, to);
    busy +=
        per_ms[slot] * covered / kMillisecond;  // spread evenly within a millisecond at the edges
  }
  return busy;
}

}  // namespace simgpu
