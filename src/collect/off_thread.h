// A source whose reads may block for ever (a driver's call in a wedged kernel
// module) on a thread of its own. The recorder's tick takes what the last round
// gave and asks for the next; it never waits.
//
// A round that outlasts its deadline is reported once and nothing comes until it
// ends; then reading goes on. At the end a thread that hangs is left behind,
// never joined: the process leaves by _exit then, with its own status, because
// destructors of the driver's library could block on what the thread holds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "collect/budget.h"
#include "run/source.h"

namespace flatout::collect {

struct OffThreadOptions {
  base::DurationNs first_deadline = 30 * base::kSecond;  // the first round loads and initialises
  base::DurationNs deadline = 2 * base::kSecond;
  // Called on the recorder's thread while no round runs, just before one is asked for.
  std::function<void()> prepare = {};
  // What it is busy with, for the line about a hang; called while a round runs.
  std::function<std::string()> doing = {};
  CpuClock cpu = thread_cpu_ns;  // called on the source's own thread
};

// `inner` is used on the own thread only, but for its name. All else as Source:
// one thread. Results come with the call after the round that gave them. Rounds
// are held to the budget of a source by the own thread's CPU time.
class OffThreadSource final : public run::Source {
 public:
  OffThreadSource(std::unique_ptr<run::Source> inner, OffThreadOptions options);
  ~OffThreadSource() override;
  OffThreadSource(const OffThreadSource&) = delete;
  OffThreadSource& operator=(const OffThreadSource&) = delete;

  std::string_view name() const override { return name_; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  // Waits a tenth of a second for the round that runs, and for the last one; not for a call that
  // has been hanging before.
  base::Result<void> last_sample(base::TimeNs now, run::SampleSink& out) override;
  std::vector<run::Device> take_devices() override;
  std::vector<std::string> take_notes() override;

  // Waits until no round runs, at most `patience`; true when none does. For
  // doctor and tests; the recorder never calls it.
  bool wait_idle(base::DurationNs patience);

 private:
  struct Shared;
  base::Result<void> start_thread();
  base::Result<void> collect(run::SampleSink& out);
  base::Result<void> ask(base::TimeNs now, bool last);
  void told_hang(base::TimeNs now);

  std::string name_;
  OffThreadOptions options_;
  // A driver's readings have paces of their own, 0.2 s and more, and its buffers keep what lies
  // between: of a call less often than each 0.8 s something is lost.
  static constexpr int kLossesFrom = 8;
  Budget budget_{kSourceBudgetCores, kLossesFrom};
  std::shared_ptr<Shared> shared_;
  bool started_ = false;
  bool first_done_ = false;
  bool hangs_ = false;
  base::TimeNs asked_ns_ = 0;
  std::vector<run::Device> devices_;
  std::vector<std::string> notes_;
};

}  // namespace flatout::collect
