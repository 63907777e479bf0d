#include <algorithm>

#include "core/shared_device.h"

namespace simgpu {
namespace {

constexpr Nanoseconds kKept = 100 * kMillisecond;  // operations behind a collective are placed
                                                   // late, and before what came after them

bool excludes(const Interval& taken, pid_t owner, bool shares_sms) {
  return !(shares_sms || taken.shares_sms != 0) || taken.owner != owner;
}

void drop_past(Engine& engine) {
  const Nanoseconds until = now() - kKept;
  const auto kept = std::find_if(engine.taken.begin(), engine.taken.begin() + engine.count,
                                 [&](const Interval& taken) { return taken.end >= until; });
  const auto dropped = kept - engine.taken.begin();
  if (dropped > engine.count / 2 ||
      engine.count == Engine::kMost) {  // rarely, so that it costs little
    const auto gone = std::max<std::ptrdiff_t>(dropped, engine.count == Engine::kMost ? 1 : 0);
    std::copy(engine.taken.begin() + gone, engine.taken.begin() + engine.count,
              engine.taken.begin());
    engine.count -= static_cast<std::int32_t>(gone);
  }
}

}  // namespace

Nanoseconds Engine::place(Nanoseconds ready, Nanoseconds duration, pid_t owner, bool shares_sms) {
  drop_past(*this);
  Nanoseconds start = ready;
  // What reaches beyond `ready` is near the end. A short interval may lie behind a long one that
  // it ran beside, so that its own end says nothing of those before it.
  std::int32_t first = count;
  while (first > 0 && taken[static_cast<std::size_t>(first - 1)].reach > ready) {
    --first;
  }
  for (std::int32_t i = first; i < count; ++i) {
    const Interval& other = taken[static_cast<std::size_t>(i)];
    if (other.start >= start + duration) {
      break;
    }
    if (other.end > start && excludes(other, owner, shares_sms)) {
      start = other.end;
    }
  }
  const Interval mine{start, start + duration, owner, static_cast<std::uint32_t>(shares_sms),
                      start + duration};
  if (count > 0) {
    Interval& last = taken[static_cast<std::size_t>(count - 1)];
    if (last.end == start && last.owner == owner && last.shares_sms == mine.shares_sms) {
      last.end = mine.end;  // back to back, as most are
      last.reach = std::max(last.reach, last.end);
      return start;
    }
  }
  const auto at = std::upper_bound(
      taken.begin(), taken.begin() + count, start,
      [](Nanoseconds value, const Interval& other) { return value < other.start; });
  std::copy_backward(at, taken.begin() + count, taken.begin() + count + 1);
  *at = mine;
  ++count;
  for (auto* one = &*at; one != taken.data() + count; ++one) {
    one->reach = std::max(one->end, one == taken.data() ? 0 : (one - 1)->reach);
  }
  return start;
}

}  // namespace simgpu
