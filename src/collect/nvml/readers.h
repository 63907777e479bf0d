// What is read from one device over time. Each class asks its own questions
// through the Session, at its own pace (docs/devices.md has the table). One thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collect/nvml/session.h"

namespace flatout::collect::nvml {

// One of the driver's buffers of past samples, drained so that what lay between
// two rounds is kept. A drain costs the most of all calls, so it is done as seldom as `pause`
// where the buffer holds three times as long.
class Buffer {
 public:
  Buffer(SamplingType type, run::Metric metric, double units, base::DurationNs pause);
  void read(Session& device);
  void be_due() { question_.next_ns = 0; }
  // It gave something lately, or has not been asked for long.
  bool fresh(base::TimeNs now) const;
  const Question& question() const { return question_; }

 private:
  void take(Session& device, const BufferedSample& sample, ValueType type);
  void pace(std::span<const BufferedSample> sorted);

  SamplingType type_;
  run::Metric metric_;
  double units_;  // of the driver, in one of the metric: 35 / 100.0 is 0.35, 35 * 0.01 is not
  base::DurationNs pause_;
  Question question_;
  std::vector<BufferedSample> samples_;
  unsigned long long last_us_ = 0;
  std::optional<base::TimeNs> first_asked_ns_;
  base::TimeNs last_new_ns_ = 0;
};

// Utilisation of cores and memory, and power: from the buffers, else polled.
class Activity {
 public:
  Activity();
  void read(Session& device);
  // Of an instance of MIG: what is not of the whole GPU.
  void read_utilization(Session& device);
  void be_due();  // at the next read, whatever the pace

 private:
  void read_power(Session& device);

  Buffer gpu_;
  Buffer memory_;
  Buffer power_;
  Question polled_;
  Question polled_power_;
};

// Memory, temperature, clocks, link, limits, ECC, encoder and decoder: one value now.
class Gauges {
 public:
  Gauges();
  void read(Session& device);
  void read_memory(Session& device);

 private:
  void read_clocks(Session& device);
  void read_ecc(Session& device);
  void read_video(Session& device);

  Question memory_;
  Question memory_v1_;
  Question temperature_;
  Question power_limit_;
  Question clock_sm_;
  Question clock_memory_;
  Question pcie_generation_;
  Question pcie_width_;
  Question ecc_corrected_;
  Question ecc_uncorrected_;
  Question encoder_;
  Question decoder_;
};

// Clocks held down, as share of time: from the driver's counters of the time in
// violation of a limit; without them from the reasons at each poll.
class Throttle {
 public:
  Throttle();
  void read(Session& device);
  void be_due();  // at the next read, whatever the pace

 private:
  struct Counter {
    Policy policy;
    Question question;
    std::optional<ViolationTime> last = {};
    base::TimeNs last_ns = 0;
  };
  static std::optional<double> share(Session& device, Counter& counter);
  void read_reasons(Session& device);

  Counter power_;
  Counter thermal_;
  std::array<Counter, 3> others_;
  Question reasons_;
};

// Bytes over NVLink, and over PCIe where GPM does not give them.
class Links {
 public:
  Links();
  void read(Session& device);
  // Each direction of PCIe is measured by waiting in the driver, about 20 ms.
  void read_slow(Session& device);
  void leave_pcie_to_gpm(Session& device);

 private:
  Question nvlink_;
  Question pcie_;
  std::optional<base::TimeNs> first_slow_ns_;
  std::array<std::optional<unsigned long long>, 2> last_kib_;
  base::TimeNs last_ns_ = 0;
};

// GPU performance metrics, Hopper and later: means between two samples. Of an
// instance of MIG they are asked of its GPU, by the instance's number.
class Gpm {
 public:
  explicit Gpm(Handle gpu_of_instance = nullptr);
  void read(Session& device);
  void free(Driver& driver);
  bool gives_pcie() const { return gives_pcie_; }

 private:
  bool start(Session& device);
  bool supported(Session& device);
  Return take_sample(Session& device, GpmSample sample) const;
  void report(Session& device);

  Handle gpu_of_instance_;  // null: of a whole GPU
  unsigned instance_ = 0;
  Question support_;
  Question sample_;
  Question report_;
  bool started_ = false;
  bool gives_pcie_ = false;
  std::array<GpmSample, 2> buffers_{};
  bool has_first_ = false;
  base::TimeNs first_ns_ = 0;
  std::vector<Question> metrics_;
};

}  // namespace flatout::collect::nvml
