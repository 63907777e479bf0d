#include "apply/search/asha.h"

#include <algorithm>
#include <cmath>

namespace flatout::apply {

// Failed ones last.
bool Asha::better(const Entry& a, const Entry& b) const {
  if (a.value.has_value() != b.value.has_value()) return a.value.has_value();
  if (!a.value || *a.value == *b.value) return a.point < b.point;
  return options_.maximise ? *a.value > *b.value : *a.value < *b.value;
}

Asha::Entry* Asha::promotable(Rung& rung, std::size_t top) const {
  std::ranges::sort(rung.ended, [&](const Entry& a, const Entry& b) { return better(a, b); });
  for (std::size_t i = 0; i < std::min(top, rung.ended.size()); ++i) {
    Entry& entry = rung.ended[i];
    if (!entry.value) return nullptr;
    if (!entry.promoted) return &entry;
  }
  return nullptr;
}

// From the highest rung down, so that what is nearly done is done first.
std::optional<AshaJob> Asha::promote(bool closing) {
  for (int rung = options_.rungs - 2; rung >= 0; --rung) {
    Rung& from = rungs_[static_cast<std::size_t>(rung)];
    Rung& to = rungs_[static_cast<std::size_t>(rung) + 1];
    std::size_t top = from.ended.size() / static_cast<std::size_t>(options_.reduction);
    if (closing && to.begun == 0) top = std::max<std::size_t>(top, 1);
    Entry* entry = promotable(from, top);
    if (entry == nullptr) continue;
    entry->promoted = true;
    ++to.begun;
    return AshaJob{entry->point, rung + 1};
  }
  return std::nullopt;
}

std::optional<AshaJob> Asha::next() {
  auto job = promote(/*closing=*/false);
  if (!job && begun_ < options_.points) {
    ++rungs_.front().begun;
    job = AshaJob{begun_++, 0};
  }
  if (!job && running_ == 0) job = promote(/*closing=*/true);
  if (job) ++running_;
  return job;
}

void Asha::ended(const AshaJob& job, std::optional<double> value) {
  --running_;
  if (value && !std::isfinite(*value)) value.reset();
  rungs_[static_cast<std::size_t>(job.rung)].ended.push_back(
      {.point = job.point, .value = value, .promoted = false});
}

void Asha::no_such_point(const AshaJob& job) {
  --running_;
  --rungs_.front().begun;
  begun_ = job.point;
  options_.points = job.point;
}

bool Asha::over() const {
  if (running_ > 0) return false;
  Asha ahead = *this;
  return !ahead.next();
}

std::optional<AshaJob> Asha::best() const {
  for (int rung = options_.rungs - 1; rung >= 0; --rung) {
    const auto& ended = rungs_[static_cast<std::size_t>(rung)].ended;
    const auto best = std::ranges::min_element(
        ended, [&](const Entry& a, const Entry& b) { return better(a, b); });
    if (best != ended.end() && best->value) return AshaJob{best->point, rung};
  }
  return std::nullopt;
}

}  // namespace flatout::apply
