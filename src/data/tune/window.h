// What happened in a stretch of time, at the consumer and on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace flatout::data::tune {

// A batch that was handed over.
struct Delivery {
  base::TimeNs asked = 0;       // when the consumer asked for it
  base::TimeNs given = 0;       // when it had it
  base::DurationNs making = 0;  // from its first sample begun to its last one made
  std::size_t samples = 0;
};

// Totals of all threads since the first was started. Times are of the wall clock where they do not
// say otherwise.
struct Work {
  std::uint64_t samples = 0;
  base::DurationNs read = 0;
  base::DurationNs compute = 0;    // decoding and transforming
  base::DurationNs cpu = 0;        // CPU time
  base::DurationNs run_delay = 0;  // without a core, though there was work; 0 where nobody says
  double squares_s2 = 0;           // of the seconds that each sample took, summed
};

// Of one sample, in seconds, over all stages.
struct Cost {
  double cpu = 0;      // CPU time
  double wall = 0;     // from its beginning to its end
  double compute = 0;  // of `wall`: decoding and transforming
  double latency = 0;  // of `wall`: waiting for its bytes
};

struct Figures {
  double seconds = 0;
  std::size_t batches = 0;  // whose cycle, gap and wait, lies in the window
  std::uint64_t made = 0;   // samples
  double rate = 0;  // samples a second that were handed over; that were made, where batches are few
  double rate_error = 0;  // standard error, as a share of the rate
  double made_rate = 0;   // samples a second that were made
  double made_error = 0;  // likewise
  double starved = 0;     // share of the consumer's time that it waited for a batch
  double gap =
      0;  // seconds between having a batch and asking for the next, median; 0: none was seen
  double gap_error = 0;      // standard error, as a share of the gap
  double slow_making = 0;    // seconds a batch takes, 99th percentile of the last; 0: none was seen
  double batch_samples = 0;  // mean; 0: none was seen
  Cost cost;                 // zeros where nothing was made
};

// One thread. Memory is taken once.
class Window {
 public:
  Window();

  // Begins anew. The cycle that is under way still counts.
  void open(base::TimeNs now, const Work& work);

  void add(const Delivery& delivery);

  // How long batches took is remembered beyond a window, until their making changes.
  void forget_slow() { makings_s_.clear(); }

  // The consumer turned to something else: its next cycle is not counted.
  void interrupt() { last_given_.reset(); }

  base::TimeNs opened() const { return opened_; }
  std::size_t batches() const { return cycles_; }

  // `waiting_since`: where the consumer waits just now.
  Figures figures(base::TimeNs now, const Work& work,
                  std::optional<base::TimeNs> waiting_since) const;

 private:
  bool is_pause(base::DurationNs gap) const;

  base::TimeNs opened_ = 0;
  Work before_;
  std::optional<base::TimeNs> last_given_;
  // Of the deliveries in the window. Lists keep the first kMostKept; sums go on.
  std::size_t cycles_ = 0;
  std::uint64_t samples_ = 0;
  double gap_s_ = 0;
  double wait_s_ = 0;
  std::vector<double> gaps_s_;
  std::vector<double> cycles_s_;
  std::vector<double> makings_s_;  // the last kMakingsKept, at any place
  std::size_t making_at_ = 0;
};

}  // namespace flatout::data::tune
