// A long training as flatout's sources would report it, made up from a seed:
// for benchmarks that need more hours than anybody wants to wait for.
//
// Every value has the grain of its source (clock ticks of 10 ms, pages, KiB,
// nanoseconds in a queue, milliwatts, whole percent), is computed as the source
// does it, and comes as often; times have the jitter of a busy machine. What
// the device does follows a table of busy shares, which may come from a real
// trace. The rest is drawn at random. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "run/event.h"
#include "run/sample.h"

namespace flatout::bench {

constexpr pid_t kMainPid = 4000;
constexpr std::int64_t kTickNs = 100'000'000;
constexpr std::int64_t kFirstNs = 1'000'000'000;
constexpr std::int64_t kBusyWindowNs = 10'000'000;  // of one entry of a table of busy shares

// A minute of steps of about 300 ms with the device busy for 70 % of them.
std::vector<double> made_up_busy(std::uint64_t seed);

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL | 1) {}
  std::uint64_t bits();
  double share() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(share() * static_cast<double>(end));
  }
  bool chance(double p) { return share() < p; }
  double around(double mean, double spread);  // about normal
  double long_tailed(double median);          // seldom much more

 private:
  std::uint64_t state_;
};

// Samples of a main process, its workers, the machine and one GPU at 10 Hz.
class MadeUpSamples {
 public:
  // `busy` is repeated without end.
  MadeUpSamples(int workers, std::vector<double> busy, std::uint64_t seed);
  // Adds what the next tick samples.
  void tick(std::vector<run::Sample>& out);

 private:
  struct Process {
    std::int32_t pid = 0;
    std::int64_t pages = 300'000;
  };

  void host(std::vector<run::Sample>& out);
  void process(Process& process, std::vector<run::Sample>& out);
  void pressure(std::vector<run::Sample>& out);
  void each_second(std::vector<run::Sample>& out);
  void shared_memory(std::vector<run::Sample>& out);
  void device(std::vector<run::Sample>& out);
  void device_activity(std::vector<run::Sample>& out);
  void device_gauges(std::vector<run::Sample>& out);
  void device_gpm(std::vector<run::Sample>& out);
  void device_rare(std::vector<run::Sample>& out);
  double seconds_since(std::int64_t& before_ns);
  double busy_share(std::int64_t from_ns, std::int64_t to_ns) const;

  Noise noise_;
  std::vector<double> busy_before_;  // sums of the table's entries before each
  std::vector<Process> processes_;
  std::int64_t ticks_ = 0;
  std::int64_t now_ = kFirstNs;
  double elapsed_s_ = 0.1;               // since the tick before
  std::int64_t pressure_ns_ = kFirstNs;  // of what was read less often
  std::int64_t second_ns_ = kFirstNs;
  std::int64_t free_kib_ = 40'000'000;
  std::int64_t cache_kib_ = 20'000'000;
  std::int64_t utilization_ns_ = kFirstNs;  // of the driver's latest
  std::int64_t power_ns_ = kFirstNs;
  double load_ = 0;  // busy share of the last seconds
  std::int64_t device_blocks_ = 20'000;
};

// What the hooks would report of the same training: steps of about 100 ms, and a
// batch of a worker for each.
class MadeUpSteps {
 public:
  MadeUpSteps(int workers, std::uint64_t seed) : workers_(workers), noise_(seed) {}
  // The step that follows, complete, in order of time.
  std::vector<run::PhaseEvent> step();
  // The batch that it drew, and which worker made it.
  run::Batch batch(pid_t& worker);
  std::int64_t now_ns() const { return now_; }

 private:
  int workers_;
  Noise noise_;
  std::int64_t now_ = kFirstNs;
  std::uint32_t sequence_ = 0;
};

}  // namespace flatout::bench
