#include "inject/steps.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "inject/emit.h"
#include "inject/graph_capture.h"
#include "inject/peers.h"
#include "inject/step_counter.h"
#include "inject/tracer_notice.h"

namespace flatout::inject {
namespace {

// The least that the analysis leaves out as warm-up: analyse/warmup.h.
constexpr std::uint64_t kWarmUpSteps = 10;

StepCounter counter;
std::uint64_t limit = 0;
bool is_trial = false;
void (*before_interrupt)() = nullptr;
void (*behind_step)() = nullptr;
void (*behind_trial_step)() = nullptr;
DrivenStep (*driver)() = nullptr;
void (*disturb_driver)() = nullptr;
bool drawn = false;

// What C and C++ have printed so far is flushed where that cannot wait for another
// thread: tune reads the losses in it.
[[noreturn]] void end_at_once() {
  if (::ftrylockfile(stdout) == 0) std::fflush(stdout);
  ::_exit(0);
}

// Background jobs of a shell ignore SIGINT, and the stop must end them all the same.
int interrupt() {
  struct sigaction now{};
  const bool ignored = ::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  return ignored ? SIGTERM : SIGINT;
}

void closed() {
  if (counter.closed() == kWarmUpSteps) say_steps_to_tracer();
  if (behind_step != nullptr) behind_step();
  if (limit == 0 && driver == nullptr) return;
  const DrivenStep driven = driver == nullptr ? DrivenStep::kNotDriven : driver();
  // One that was driven for a while may be beyond it.
  const bool reached = driver == nullptr ? counter.closed() == limit : counter.closed() >= limit;
  const bool at_limit = limit != 0 && reached;
  // The end of a trial that is driven is its tuner's; that of a run is its user's.
  const bool stops = at_limit && (driven == DrivenStep::kNotDriven || !is_trial);
  const bool last = driven == DrivenStep::kEnd || stops;
  if (!last) {
    if (is_trial && behind_trial_step != nullptr) behind_trial_step();
    return;
  }
  const bool first = emit_stop();
  if (is_trial) {
    wait_for_peers();
    end_at_once();
  }
  if (!first) return;
  if (before_interrupt != nullptr) before_interrupt();
  ::kill(::getpid(), interrupt());
}

}  // namespace

void stop_after(std::uint64_t steps, bool trial, void (*stopping)()) {
  limit = steps;
  before_interrupt = stopping;
  is_trial = trial;
}

void behind_steps(void (*ended)()) { behind_step = ended; }
void behind_trial_steps(void (*ended)()) { behind_trial_step = ended; }

void drive_steps_by(DrivenStep (*ended)(), void (*disturbed)()) {
  driver = ended;
  disturb_driver = disturbed;
}

void step_draw(std::uint32_t loader, bool grad_enabled) {
  drawn = true;
  if (!grad_enabled && disturb_driver != nullptr) disturb_driver();
  if (counter.draw(loader, grad_enabled)) closed();
}

void step_forward(bool grad_enabled, bool training) {
  if (counter.forward(grad_enabled, training)) closed();
}

void step_mark() {
  if (counter.mark()) closed();
}

void step_epoch() {
  if (disturb_driver != nullptr) disturb_driver();
}
void step_backward() { counter.backward(); }
void step_update() {
  if (capturing()) {
    capture_update();
  } else {
    counter.update();
  }
}
void step_optimizer_built() { counter.optimizer_built(); }
bool steps_limited() { return limit != 0; }
bool loader_seen() { return drawn; }
bool loader_fed_training(std::uint32_t loader) { return counter.fed_training(loader); }
bool training_seen() { return counter.training_seen(); }
std::uint64_t steps_closed() { return counter.closed(); }

}  // namespace flatout::inject
