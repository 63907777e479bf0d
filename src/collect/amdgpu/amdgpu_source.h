// AMD devices through the files that the amdgpu driver keeps under /sys/class/drm
// (docs/devices.md). A read of such a file may wait for the device, so the source
// belongs into an OffThreadSource.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collect/nvml/visible.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// "16.0 GT/s PCIe" -> 4; absent for a speed that is none of PCIe's.
std::optional<int> pcie_generation(std::string_view speed);
// Largest of "0: 500Mhz\n1: 1700Mhz *\n", in MHz.
std::optional<double> highest_level_mhz(std::string_view levels);

struct AmdgpuOptions {
  nvml::VisibleSetting visible = {};  // HIP_VISIBLE_DEVICES; its order is not used
  // Index of the first device: NVIDIA's come before, where there are any.
  int first_index = 0;
};

// One thread.
class AmdgpuSource final : public run::Source {
 public:
  AmdgpuSource(const host::Paths& paths, AmdgpuOptions options)
      : paths_(paths), options_(std::move(options)) {}
  std::string_view name() const override { return "AMD GPU"; }
  // kUnavailable with an empty message: there is no AMD GPU here.
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  std::vector<run::Device> take_devices() override;
  std::vector<std::string> take_notes() override;

 private:
  // One file with one number.
  struct Gauge {
    run::Metric metric;
    std::filesystem::path file;
    double units;  // of the file, in one of the metric
    base::DurationNs period;
    base::TimeNs next_ns = 0;
    bool worked = false;
  };
  struct Card {
    run::Device facts;
    std::filesystem::path dir;    // .../cardN/device
    std::filesystem::path hwmon;  // its first hwmon folder; empty = none
    std::vector<Gauge> gauges;
    bool changed = true;
    bool lost = false;
    base::TimeNs next_link_ns = 0;
  };

  void find_cards();
  void read_facts(Card& card) const;
  void add_gauges(Card& card) const;
  void mark_visible();
  void read(Card& card, base::TimeNs now, run::SampleSink& out);
  void read_link(Card& card, base::TimeNs now, run::SampleSink& out);

  host::Paths paths_;
  AmdgpuOptions options_;
  bool looked_ = false;
  std::vector<Card> cards_;
  std::vector<std::string> notes_;
};

}  // namespace flatout::collect
