// A recorded run as a source: its devices and host figures come again, at the
// recorded pace, moved to a start of their own. For demonstrations and fixtures
// on machines that lack what was measured, never beside a claim that it was:
// the source says so in a note, which goes into the recording.
//
// Figures of processes are not played again, since those processes are not
// there, nor are those of the CPUs: the steps of the program that runs now took
// place on this machine's cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "run/source.h"
#include "run/timeline.h"

namespace flatout::collect {

struct Recording {
  std::string run;                     // its id
  std::vector<run::Sample> samples;    // in order of time; t_ns is after the start of the run
  std::vector<run::SeriesKey> series;  // that they belong to, in order
  std::vector<run::Device> devices;

  bool has(const run::SeriesKey& key) const;
};

Recording recording_of(const run::Timeline& timeline);

class ReplaySource final : public run::Source {
 public:
  // A sample of the recording's time t comes at `start` + t / `speed`, and says so.
  explicit ReplaySource(Recording recording, base::TimeNs start, double speed = 1);
  std::string_view name() const override { return "replay"; }
  // All that is due by now and has not come yet.
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  std::vector<run::Device> take_devices() override;
  std::vector<std::string> take_notes() override;

 private:
  base::TimeNs due_ns(const run::Sample& sample) const;

  Recording recording_;
  base::TimeNs start_ns_;
  double speed_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::vector<std::string> notes_;
};

// `live` with the recording beside it. What the recording gives is left out of
// them, and with it all of their devices where it has any.
std::vector<std::unique_ptr<run::Source>> with_replay(
    std::vector<std::unique_ptr<run::Source>> live, Recording recording, base::TimeNs start);

}  // namespace flatout::collect
