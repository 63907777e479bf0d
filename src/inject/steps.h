// The process's StepCounter, and --stop-after: at the close of step N the
// process sends itself SIGINT, as Ctrl-C would (SIGTERM where that is ignored), and says so in its
// ring. A trial says so, waits for the other ranks on this machine (peers.h) and ends with status 0
// by _exit: no finally, no atexit, no final save of the program runs, and what its buffers hold is
// not written, but for stdout's.
#pragma once

#include <cstdint>

namespace flatout::inject {

// 0 = never. `stopping`: called before the process sends itself the interrupt, where it is not
// null.
void stop_after(std::uint64_t steps, bool trial, void (*stopping)() = nullptr);

// Called at the end of each step, where no phase is open, by whichever thread begins the next one.
void behind_steps(void (*ended)());
// In a trial, called at the end of each step but the last, where no phase is open.
void behind_trial_steps(void (*ended)());

// The answer of a process in a trial that a tuner drives (driven_steps.h).
enum class DrivenStep : std::uint8_t {
  kNotDriven,  // this process: it ends after as many steps as any other
  kGoOn,
  kEnd,  // as after a trial's last step
};

// `ended`: at the end of each step. `disturbed`: an epoch or an evaluation has begun.
void drive_steps_by(DrivenStep (*ended)(), void (*disturbed)());

void step_draw(std::uint32_t loader, bool grad_enabled);
void step_forward(bool grad_enabled, bool training);
void step_backward();
void step_update();           // one inside a capture of a CUDA graph is only counted there
void step_epoch();            // an iterator was built
void step_optimizer_built();  // from now on a backward is no update
void step_mark();             // the program says that a step is over

bool loader_seen();  // a draw has happened
// The program trained on what this loader gave: a backward or an update followed
// one of its draws before the next draw of any loader.
bool loader_fed_training(std::uint32_t loader);
bool training_seen();  // a backward or an update has happened
bool steps_limited();  // stop_after() was asked for
std::uint64_t steps_closed();

}  // namespace flatout::inject
