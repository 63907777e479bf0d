#include "collect/amdgpu/amdgpu_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "host/text_fields.h"
#include "host/text_file.h"
#include "run/metric.h"

namespace flatout::collect {
namespace {

namespace fs = std::filesystem;
using run::Metric;

constexpr base::DurationNs kEachRound = 0;
constexpr base::DurationNs kOften = base::kSecond / 2;
constexpr base::DurationNs kSometimes = base::kSecond;
constexpr base::DurationNs kRarely = 10 * base::kSecond;
constexpr base::DurationNs kSlack = 20 * base::kMillisecond;
constexpr std::string_view kAmd = "0x1002";

std::string key(Metric metric) { return std::string(run::metric_info(metric)->name); }

std::optional<std::string> line_of(const fs::path& file) {
  const auto text = host::read_text(file);
  if (!text) return std::nullopt;
  return std::string(text->substr(0, text->find('\n')));
}

std::optional<double> number_of(const fs::path& file) {
  constexpr double kMost = 1e18;  // an integer holds it
  const auto text = host::read_text(file);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const auto number = host::next_number<double>(rest);
  return number && std::abs(*number) <= kMost ? number : std::nullopt;
}

std::vector<fs::path> entries(const fs::path& dir, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (!name.starts_with(prefix)) continue;
    // "card0", but not "card0-DP-1", which is a plug.
    if (host::parse_number<int>(std::string_view(name).substr(prefix.size())))
      found.push_back(it->path());
  }
  std::ranges::sort(found, {}, [&](const fs::path& path) {
    return host::parse_number<int>(path.filename().native().substr(prefix.size())).value_or(0);
  });
  return found;
}

// The sensor of the hottest spot, by which the device slows down; else the first.
std::string hottest_sensor(const fs::path& hwmon) {
  for (const char* sensor : {"temp1", "temp2", "temp3"}) {
    if (line_of(hwmon / (std::string(sensor) + "_label")) == "junction") return sensor;
  }
  return "temp1";
}

std::optional<double> scaled(std::optional<double> value, double units) {
  if (value) *value /= units;
  return value;
}

}  // namespace

std::optional<int> pcie_generation(std::string_view speed) {
  constexpr std::array kSpeeds = {"2.5", "5", "8", "16", "32", "64"};
  std::string_view word = host::next_word(speed);
  if (word.ends_with(".0")) word.remove_suffix(2);
  const auto found = std::ranges::find(kSpeeds, word);
  if (found == kSpeeds.end()) return std::nullopt;
  return static_cast<int>(found - kSpeeds.begin()) + 1;
}

std::optional<double> highest_level_mhz(std::string_view levels) {
  std::optional<double> highest;
  std::string_view line;
  while (host::next_line(levels, line)) {
    host::next_word(line);
    std::string_view word = host::next_word(line);
    if (!word.ends_with("Mhz") && !word.ends_with("MHz")) continue;
    word.remove_suffix(3);
    if (const auto mhz = host::parse_number<double>(word))
      highest = std::max(highest.value_or(0), *mhz);
  }
  return highest;
}

void AmdgpuSource::find_cards() {
  for (const fs::path& entry : entries(paths_.root / "sys/class/drm", "card")) {
    const fs::path dir = entry / "device";
    if (line_of(dir / "vendor") != kAmd) continue;
    // Another driver for the same hardware (radeon) has none of the files.
    if (!number_of(dir / "mem_info_vram_total") && !number_of(dir / "gpu_busy_percent")) continue;
    Card card;
    card.dir = dir;
    const auto monitors = entries(dir / "hwmon", "hwmon");
    if (!monitors.empty()) card.hwmon = monitors.front();
    card.facts.index = options_.first_index + static_cast<int>(cards_.size());
    read_facts(card);
    add_gauges(card);
    cards_.push_back(std::move(card));
  }
  mark_visible();
}

void AmdgpuSource::read_facts(Card& card) const {
  run::Device& device = card.facts;
  device.vendor = "amd";
  device.driver = line_of(paths_.root / "sys/module/amdgpu/version").value_or("");
  const std::string product = line_of(card.dir / "product_name").value_or("");
  device.name = product.empty() ? "AMD GPU " + line_of(card.dir / "device").value_or("") : product;
  device.uuid = line_of(card.dir / "unique_id").value_or("");
  std::string_view rest = host::read_text(card.dir / "uevent").value_or("");
  std::string_view line;
  while (host::next_line(rest, line)) {
    constexpr std::string_view kSlot = "PCI_SLOT_NAME=";
    if (line.starts_with(kSlot)) device.pci_bus = line.substr(kSlot.size());
  }
  const auto known = [&](const char* field, auto& into, auto value) {
    into = value;
    if (!value) device.unavailable[field] = "the amdgpu driver has no file for it here";
  };
  const auto whole = [](std::optional<double> value) -> std::optional<int> {
    if (!value || !(*value >= 0) || *value > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*value);
  };
  if (const auto total = number_of(card.dir / "mem_info_vram_total")) {
    device.memory_total_bytes = static_cast<std::int64_t>(*total);
  }
  const std::string sensor = hottest_sensor(card.hwmon);
  known("power_limit_w", device.power_limit_w, scaled(number_of(card.hwmon / "power1_cap"), 1e6));
  known("temperature_slowdown_c", device.temperature_slowdown_c,
        scaled(number_of(card.hwmon / (sensor + "_crit")), 1e3));
  known("temperature_shutdown_c", device.temperature_shutdown_c,
        scaled(number_of(card.hwmon / (sensor + "_emergency")), 1e3));
  known("sm_clock_max_mhz", device.sm_clock_max_mhz,
        highest_level_mhz(host::read_text(card.dir / "pp_dpm_sclk").value_or("")));
  known("memory_clock_max_mhz", device.memory_clock_max_mhz,
        highest_level_mhz(host::read_text(card.dir / "pp_dpm_mclk").value_or("")));
  known("pcie_generation_max", device.pcie_generation_max,
        pcie_generation(line_of(card.dir / "max_link_speed").value_or("")));
  known("pcie_width_max", device.pcie_width_max, whole(number_of(card.dir / "max_link_width")));
  const auto never = [&](std::initializer_list<Metric> metrics, const char* why) {
    for (const Metric metric : metrics) device.unavailable[key(metric)] = why;
  };
  never({Metric::kDeviceThrottlePower, Metric::kDeviceThrottleThermal, Metric::kDeviceThrottleOther,
         Metric::kDeviceGpmSm, Metric::kDeviceGpmOccupancy, Metric::kDeviceGpmTensor,
         Metric::kDeviceGpmDram},
        "not read from AMD devices: its sysfs has no plain file for it");
  never({Metric::kDevicePcieReceived, Metric::kDevicePcieSent},
        "not read from AMD devices: a read of pcie_bw lasts a second");
  never({Metric::kProcessDeviceMemoryUsed, Metric::kProcessDeviceUtilization,
         Metric::kDeviceOthersProcesses, Metric::kDeviceOthersMemoryUsed,
         Metric::kDeviceOthersUtilization},
        "not read from AMD devices");
}

void AmdgpuSource::add_gauges(Card& card) const {
  const auto add = [&](Metric metric, const fs::path& file, double units, base::DurationNs period) {
    if (number_of(file)) {
      card.gauges.push_back({metric, file, units, period});
    } else {
      card.facts.unavailable[key(metric)] = "the amdgpu driver has no file for it here";
    }
  };
  const fs::path& dir = card.dir;
  const fs::path& hwmon = card.hwmon;
  add(Metric::kDeviceUtilization, dir / "gpu_busy_percent", 100, kEachRound);
  add(Metric::kDeviceMemoryUtilization, dir / "mem_busy_percent", 100, kEachRound);
  add(Metric::kDeviceMemoryUsed, dir / "mem_info_vram_used", 1, kOften);
  // The older file is a mean over a while, the newer one the power of this moment.
  const bool average = number_of(hwmon / "power1_average").has_value();
  add(Metric::kDevicePower, hwmon / (average ? "power1_average" : "power1_input"), 1e6, kEachRound);
  add(Metric::kDevicePowerLimit, hwmon / "power1_cap", 1e6, kRarely);
  add(Metric::kDeviceTemperature, hwmon / (hottest_sensor(hwmon) + "_input"), 1e3, kOften);
  add(Metric::kDeviceClockSm, hwmon / "freq1_input", 1e6, kOften);
  add(Metric::kDeviceClockMemory, hwmon / "freq2_input", 1e6, kOften);
  add(Metric::kDevicePcieWidth, dir / "current_link_width", 1, kSometimes);
  card.facts.unavailable["samples." + key(Metric::kDeviceUtilization)] =
      "amdgpu keeps no past samples: utilization is polled, so what lies between two polls is lost";
}

void AmdgpuSource::mark_visible() {
  std::error_code error;
  std::string unknown;
  if (!fs::exists(paths_.root / "dev/kfd", error)) {
    unknown = "no /dev/kfd, which ROCm needs: no program can compute on it";
  }
  std::vector<nvml::Candidate> candidates;
  for (const Card& card : cards_) candidates.push_back({card.facts.uuid, card.facts.name});
  const auto visible = nvml::visible_devices(options_.visible, candidates);
  if (unknown.empty() && !visible.unknown.empty()) {
    unknown = "the GPUs differ, and the order in which ROCm numbers them is not known here";
  }
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    if (unknown.empty()) {
      cards_[i].facts.visible_index = visible.index[i];
    } else {
      cards_[i].facts.unavailable["visible_index"] = unknown;
    }
  }
}

base::Result<void> AmdgpuSource::sample(base::TimeNs now, run::SampleSink& out) {
  if (!std::exchange(looked_, true)) find_cards();
  if (cards_.empty()) return base::fail(base::ErrorCode::kUnavailable, "");
  for (Card& card : cards_) {
    if (!card.lost) read(card, now, out);
  }
  return {};
}

void AmdgpuSource::read(Card& card, base::TimeNs now, run::SampleSink& out) {
  // A device that is taken off the bus takes its folder along.
  if (!line_of(card.dir / "vendor")) {
    card.lost = true;
    card.changed = true;
    card.facts.unavailable["device"] = "it was lost during the run: its folder in /sys is gone";
    notes_.push_back("GPU " + std::to_string(card.facts.index) + " (" + card.facts.name +
                     ") is lost: its folder in /sys is gone; nothing more is read from it");
    return;
  }
  for (Gauge& gauge : card.gauges) {
    if (now + kSlack < gauge.next_ns) continue;
    gauge.next_ns = now + gauge.period;
    const auto value = number_of(gauge.file);
    // While the device sleeps, its sensors refuse: a moment without a figure.
    if (!value || *value < 0) continue;
    out.add({.t_ns = now,
             .value = *value / gauge.units,
             .source = run::device_source(card.facts.index),
             .metric = gauge.metric});
  }
  read_link(card, now, out);
}

void AmdgpuSource::read_link(Card& card, base::TimeNs now, run::SampleSink& out) {
  if (now + kSlack < card.next_link_ns) return;
  card.next_link_ns = now + kSometimes;
  const auto generation = pcie_generation(line_of(card.dir / "current_link_speed").value_or(""));
  if (!generation) return;
  out.add({.t_ns = now,
           .value = static_cast<double>(*generation),
           .source = run::device_source(card.facts.index),
           .metric = Metric::kDevicePcieGeneration});
}

std::vector<run::Device> AmdgpuSource::take_devices() {
  std::vector<run::Device> changed;
  for (Card& card : cards_) {
    if (std::exchange(card.changed, false)) changed.push_back(card.facts);
  }
  return changed;
}

std::vector<std::string> AmdgpuSource::take_notes() { return std::exchange(notes_, {}); }

}  // namespace flatout::collect
