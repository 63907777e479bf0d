#include "record/allocator_readings.h"

#include <algorithm>

#include "run/facts.h"
#include "run/observed.h"

namespace flatout::record {
namespace {

using run::Metric;

// What processes that go astray can make us remember.
constexpr std::size_t kMostPlaces = 4096;

// `said`: as CUDA has it, without the driver's prefix.
bool is_uuid(const std::string& said, const run::Device& device) {
  return !said.empty() &&
         (device.uuid == said || device.uuid == "GPU-" + said || device.uuid == "MIG-" + said);
}

// The program may have set it back to 0.
void grow(std::optional<std::int64_t>& total, std::optional<std::int64_t> before,
          std::optional<std::int64_t> now) {
  if (!now) return;
  const std::int64_t since = before && *before <= *now ? *now - *before : *now;
  total = total.value_or(0) + since;
}

}  // namespace

void AllocatorReadings::device(const run::Device& device) { devices_[device.index] = device; }

void AllocatorReadings::facts(pid_t pid, std::span<const run::Fact> facts) {
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kDevices) continue;
    const auto said = run::decode<run::DevicesFact>(fact.json);
    if (!said) continue;
    for (const run::DeviceFact& one : said->devices) {
      if (uuids_.size() < kMostPlaces) uuids_[{pid, one.index}] = one.uuid;
    }
  }
}

void AllocatorReadings::add(pid_t pid, std::span<const AllocatorReading> readings) {
  for (const AllocatorReading& reading : readings) added_.emplace_back(pid, reading);
}

std::vector<run::Sample> AllocatorReadings::take() {
  std::ranges::stable_sort(added_, {}, [](const auto& one) { return one.second.t_ns; });
  std::vector<run::Sample> out;
  for (const auto& [pid, reading] : added_) {
    const Place place = {pid, reading.device};
    if (!entries_.contains(place) && entries_.size() >= kMostPlaces) continue;
    learn(place, reading);
    sum_up(index_of(place), reading.t_ns, out);
  }
  added_.clear();
  return out;
}

void AllocatorReadings::ended(pid_t pid) {
  for (auto& [place, entry] : entries_) {
    if (place.first == pid) entry.lives = false;
  }
  std::erase_if(uuids_, [pid](const auto& one) { return one.first.first == pid; });
}

void AllocatorReadings::learn(const Place& place, const AllocatorReading& reading) {
  Entry& entry = entries_[place];
  const AllocatorReading before = entry.lives ? entry.latest : AllocatorReading{};
  grow(entry.retries, before.retries, reading.retries);
  grow(entry.ooms, before.ooms, reading.ooms);
  entry.latest = reading;
  entry.lives = true;
}

// By what names the device itself; a launcher may show each rank another device as its first. Then
// by the place in what the whole run sees.
int AllocatorReadings::index_of(const Place& place) const {
  const auto uuid = uuids_.find(place);
  for (const auto& [index, device] : devices_) {
    if (uuid != uuids_.end() && is_uuid(uuid->second, device)) return index;
  }
  for (const auto& [index, device] : devices_) {
    if (device.visible_index == place.second) return index;
  }
  return place.second;
}

void AllocatorReadings::sum_up(int index, std::int64_t t_ns, std::vector<run::Sample>& out) {
  AllocatorReading sum;
  int processes = 0;
  for (const auto& [place, entry] : entries_) {
    if (index_of(place) != index) continue;
    grow(sum.retries, {}, entry.retries);
    grow(sum.ooms, {}, entry.ooms);
    if (!entry.lives) continue;
    ++processes;
    sum.allocated_bytes += entry.latest.allocated_bytes;
    sum.reserved_bytes += entry.latest.reserved_bytes;
    sum.allocated_peak_bytes += entry.latest.allocated_peak_bytes;
    sum.reserved_peak_bytes += entry.latest.reserved_peak_bytes;
  }
  std::int64_t& last = last_ns_.try_emplace(index, t_ns).first->second;
  last = std::max(last, t_ns);
  const auto put = [&](Metric metric, std::int64_t value) {
    out.push_back({.t_ns = last,
                   .value = static_cast<double>(value),
                   .source = run::device_source(index),
                   .metric = metric});
  };
  put(Metric::kDeviceAllocatorAllocated, sum.allocated_bytes);
  put(Metric::kDeviceAllocatorReserved, sum.reserved_bytes);
  put(Metric::kDeviceAllocatorAllocatedPeak, sum.allocated_peak_bytes);
  put(Metric::kDeviceAllocatorReservedPeak, sum.reserved_peak_bytes);
  if (sum.retries) put(Metric::kDeviceAllocatorRetries, *sum.retries);
  if (sum.ooms) put(Metric::kDeviceAllocatorOoms, *sum.ooms);
  put(Metric::kDeviceAllocatorProcesses, processes);
}

}  // namespace flatout::record
