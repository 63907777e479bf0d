#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "collect/nvml/fake/script.h"

namespace fake_nvml {
namespace {

// What a healthy, idle data-centre GPU would say. Power in mW, clocks in MHz,
// memory in bytes, utilisation and GPM in percent, rates as the driver has them.
const std::map<std::string, std::optional<double>> kDefaults = {
    {"capability_major", 9},
    {"capability_minor", 0},
    {"utilization", 0},
    {"memory_utilization", 0},
    {"power", 100'000},
    {"power_limit", 700'000},
    {"memory_total", 80e9},
    {"memory_used", 1e9},
    {"memory_reserved", 0.5e9},
    {"temperature", 40},
    {"temperature_shutdown", 95},
    {"temperature_slowdown", 90},
    {"temperature_max_operating", 87},
    {"clock_sm", 1980},
    {"clock_memory", 2600},
    {"clock_sm_max", 1980},
    {"clock_memory_max", 2600},
    {"throttle_power_share", 0},
    {"throttle_thermal_share", 0},
    {"throttle_other_share", 0},
    {"reasons", 0},
    {"pcie_generation", 5},
    {"pcie_width", 16},
    {"pcie_generation_max", 5},
    {"pcie_width_max", 16},
    {"pcie_sent", 1000},
    {"pcie_received", 2000},
    {"nvlinks", 0},
    {"nvlink_sent_kib_s", 0},
    {"nvlink_received_kib_s", 0},
    {"ecc_corrected", 0},
    {"ecc_uncorrected", 0},
    {"encoder", 0},
    {"decoder", 0},
    {"gpm", 1},  // 0 = the device has none
    {"gpm_sm", 0},
    {"gpm_occupancy", 0},
    {"gpm_tensor", 0},
    {"gpm_dram", 0},
    {"gpm_pcie_sent", 0},
    {"gpm_pcie_received", 0},
    {"gpm_nvlink_sent", std::nullopt},
    {"gpm_nvlink_received", std::nullopt},
    {"sample_period_us", 20'000},
    {"sample_capacity", 100},
};

[[noreturn]] void refuse(const std::string& line) {
  std::fprintf(stderr, "fake_nvml: cannot read the line: %s\n", line.c_str());
  std::abort();
}

std::string rest_of(std::istringstream& words) {
  std::string text;
  std::getline(words >> std::ws, text);
  return text;
}

Signal& field_of(Device& device, const std::string& name, const std::string& line) {
  const auto found = device.fields.find(name);
  if (found == device.fields.end()) refuse(line);
  return found->second;
}

void read_set(Device& device, std::istringstream& words, const std::string& line) {
  std::string field;
  std::string value;
  double from = 0;
  if (!(words >> field >> value)) refuse(line);
  words >> from;
  Signal::Piece piece;
  piece.from = from;
  if (value != "none") piece.value = std::strtod(value.c_str(), nullptr);
  Signal& signal = field_of(device, field, line);
  if (from == 0) signal.pieces.clear();
  signal.pieces.push_back(piece);
}

void read_square(Device& device, std::istringstream& words, const std::string& line) {
  std::string field;
  double high = 0;
  Signal::Piece piece;
  if (!(words >> field >> piece.period >> piece.duty >> high >> piece.low)) refuse(line);
  piece.value = high;
  field_of(device, field, line).pieces = {piece};
}

void read_process(Device& device, std::istringstream& words, const std::string& line) {
  std::string who;
  Process process;
  if (!(words >> who >> process.bytes >> process.percent)) refuse(line);
  if (who.starts_with("match:")) {
    process.match = who.substr(6);
  } else {
    process.pid = std::atoi(who.c_str());
  }
  device.processes.push_back(process);
}

Trouble read_trouble(std::istringstream& words, bool with_code, const std::string& line) {
  Trouble trouble;
  if (!(words >> trouble.call)) refuse(line);
  if (with_code && !(words >> trouble.code)) refuse(line);
  words >> trouble.from >> trouble.to;
  if (trouble.to == 0) trouble.to = kEver;
  return trouble;
}

bool read_of_device(Device& device, const std::string& word, std::istringstream& words,
                    const std::string& line) {
  if (word == "uuid") {
    words >> device.uuid;
  } else if (word == "bus") {
    words >> device.bus;
  } else if (word == "mig") {
    Instance instance;
    words >> instance.uuid;
    instance.name = rest_of(words);
    device.instances.push_back(instance);
  } else if (word == "set") {
    read_set(device, words, line);
  } else if (word == "square") {
    read_square(device, words, line);
  } else if (word == "process") {
    read_process(device, words, line);
  } else if (word == "xid") {
    Xid xid;
    words >> xid.number >> xid.at;
    device.xids.push_back(xid);
  } else if (word == "lost") {
    words >> device.lost_at;
  } else {
    return false;
  }
  return true;
}

}  // namespace

double Signal::Piece::at(double t) const {
  if (period <= 0) return value.value_or(0);
  const double phase = std::fmod(t, period) / period;
  return phase < duty ? value.value_or(0) : low;
}

double Signal::Piece::integral(double from_t, double to_t) const {
  const auto until = [this](double t) {
    if (period <= 0) return value.value_or(0) * t;
    const double whole = std::floor(t / period);
    const double part = std::fmod(t, period);
    const double high = std::min(part, duty * period);
    const double one = value.value_or(0) * duty * period + low * (1 - duty) * period;
    return whole * one + value.value_or(0) * high + low * (part - high);
  };
  return until(to_t) - until(from_t);
}

std::optional<double> Signal::at(double t) const {
  const Piece* current = nullptr;
  for (const Piece& piece : pieces) {
    if (piece.from <= t) current = &piece;
  }
  if (current == nullptr || !current->value) return std::nullopt;
  return current->at(t);
}

double Signal::integral(double t) const {
  double sum = 0;
  for (std::size_t i = 0; i < pieces.size() && pieces[i].from < t; ++i) {
    const double end = i + 1 < pieces.size() ? std::min(t, pieces[i + 1].from) : t;
    sum += pieces[i].integral(pieces[i].from, end);
  }
  return sum;
}

std::optional<double> Device::value(const std::string& field, double t) const {
  return fields.at(field).at(t);
}

Script read_script(const char* file) {
  std::ifstream in(file);
  if (!in) refuse(std::string("(no file) ") + file);
  Script script;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    const bool in_device = !script.devices.empty();
    if (word == "driver") {
      words >> script.driver;
    } else if (word == "device") {
      Device device;
      device.name = rest_of(words);
      device.uuid = "GPU-" + std::to_string(script.devices.size()) + "0000000";
      device.bus = "00000000:" + std::to_string(10 + script.devices.size()) + ":00.0";
      for (const auto& [name, value] : kDefaults) {
        Signal::Piece piece;
        piece.value = value;
        device.fields[name].pieces = {piece};
      }
      script.devices.push_back(std::move(device));
    } else if (word == "fail") {
      auto& list = in_device ? script.devices.back().failures : script.failures;
      list.push_back(read_trouble(words, true, line));
    } else if (word == "hang") {
      auto& list = in_device ? script.devices.back().hangs : script.hangs;
      list.push_back(read_trouble(words, false, line));
    } else if (!in_device || !read_of_device(script.devices.back(), word, words, line)) {
      refuse(line);
    }
  }
  return script;
}

}  // namespace fake_nvml
