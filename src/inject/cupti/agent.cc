#include "inject/cupti/agent.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "inject/cupti/nvtx_ranges.h"
#include "inject/cupti/pauses.h"
#include "inject/cupti/settings.h"
#include "inject/cupti/silent_thread.h"
#include "inject/cupti/trace_state.h"
#include "inject/cupti/tracer.h"
#include "inject/cupti/window_schedule.h"
#include "inject/process_state.h"

namespace flatout::inject::cupti {
namespace {

constexpr std::int64_t kMsNs = 1'000'000;
constexpr std::int64_t kFlushEveryNs = 100 * kMsNs;
// How often a window that goes on is written so far.
constexpr std::int64_t kWriteEveryNs = 1000 * kMsNs;
// How often it is asked whether somebody else has come: for some microseconds nobody else can then.
// In windows, which are a small part of the time, at each flush, so that who has come loses little.
constexpr std::int64_t kLookEveryNs = 1000 * kMsNs;
constexpr std::int64_t kLookInWindowsEveryNs = kFlushEveryNs;
// How long what runs on a device at the end of a window is waited for.
constexpr std::int64_t kSettlePlannedNs = 1000 * kMsNs;
constexpr std::int64_t kSettleYieldNs = 100 * kMsNs;
constexpr std::int64_t kSettleExitNs = 20 * kMsNs;
// How long the program waits for our thread.
constexpr std::int64_t kPatienceNs = 3000 * kMsNs;

enum class Life : int { kIdle, kArmed, kRunning, kStopped };
enum class Command : int { kNone, kExit, kYield };

enum class Yield : int { kNo, kSaying, kSaid };

struct Agent {
  Settings settings;
  std::atomic<Life> life = Life::kIdle;
  std::atomic<int> pid = 0;           // of the process that is traced
  std::atomic<bool> refuses = false;  // CUPTI gets no buffers any more
  std::atomic<bool> asked = false;    // it has asked for one since then
  std::atomic<Command> command = Command::kNone;
  std::atomic<Yield> yields = Yield::kNo;
  std::atomic<bool> steps_begun = false;  // since the last window
  char yields_to[48] = "another client";  // of printable characters; from kSaid on
  sem_t wake;

  // Of the thread, and before there is one of who has armed it.
  BufferPool pool;
  TraceRing ring;
  Tracer tracer;
  WindowSchedule schedule = WindowSchedule::always(0);
  bool on = false;
  bool said_on = false;
  bool exit_watched = false;
  bool has_thread = false;      // there was one
  std::int64_t begin_ns = 0;    // of the window that is on, as far as it is not written
  std::int64_t ends_ns = 0;     // when it is to end
  std::int64_t flush_ns = 0;    // when to flush next
  std::int64_t look_ns = 0;     // when to look for others next
  std::int64_t write_ns = 0;    // when to write the window so far next
  std::int64_t flushed_ns = 0;  // begin of the last flush, and of the one before
  std::int64_t flushed_before_ns = 0;
};

Agent agent;

// False in children of fork(), which have this memory but neither thread nor ring.
bool is_ours() { return agent.pid.load(std::memory_order_relaxed) == ::getpid(); }

void start_thread();

// At the first record.
void leave_to_thread() {
  Life armed = Life::kArmed;
  if (agent.life.load(std::memory_order_relaxed) == Life::kArmed &&
      agent.life.compare_exchange_strong(armed, Life::kRunning)) {
    start_thread();
  }
}

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *buffer = nullptr;
  *bytes = 0;
  *most = 0;
  if (!is_ours()) return;
  if (agent.refuses.load(std::memory_order_acquire)) {
    if (!agent.asked.exchange(true)) ::sem_post(&agent.wake);
    return;
  }
  leave_to_thread();
  *buffer = agent.pool.lend();
  if (*buffer != nullptr) *bytes = agent.pool.bytes();
}

void take_buffer(ContextTag*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (is_ours() && agent.pool.give_back(buffer, valid)) ::sem_post(&agent.wake);
}

void say(const char* state, const char* why) {
  say_state(agent.ring, agent.settings.mode, agent.tracer.version(), state, why);
}

void say_on() {
  if (!agent.said_on) say("on", nullptr);
  agent.said_on = true;
}

void stop_at_exit();

// Once CUPTI is there: its own handlers then come after ours.
void watch_exit() {
  if (!agent.exit_watched) std::atexit(stop_at_exit);
  agent.exit_watched = true;
}

// --- windows ---

std::int64_t look_every_ns() {
  return agent.settings.mode == Settings::Mode::kWindows ? kLookInWindowsEveryNs : kLookEveryNs;
}

bool begin_window() {
  if (agent.tracer.is_anothers()) {
    say("yielded", "another client of CUPTI is in this process, or a profiler around it");
    return false;
  }
  if (const char* why = agent.tracer.enable(give_buffer, take_buffer)) {
    say("failed", why);
    return false;
  }
  agent.on = true;
  watch_exit();
  const std::int64_t now = now_ns();
  agent.begin_ns = agent.flushed_ns = agent.flushed_before_ns = now;
  agent.ends_ns = agent.schedule.began(now);
  agent.flush_ns = now + kFlushEveryNs;
  agent.look_ns = now + look_every_ns();
  agent.write_ns = now + kWriteEveryNs;
  begin_ranges(now, [] { ::sem_post(&agent.wake); });
  return true;
}

// Before the window that they are of.
std::uint64_t take_dropped() {
  write_ranges(agent.ring);
  return agent.tracer.take_dropped() + take_lost_ranges();
}

// What ran on a device when tracing went off comes once it has ended.
void settle(std::int64_t patience_ns) {
  const std::int64_t until = now_ns() + patience_ns;
  agent.tracer.collect(Tracer::Flush::kEnded, agent.pool, agent.ring);
  while (agent.pool.lent() > 0 && now_ns() < until) {
    if (patience_ns == kSettlePlannedNs && agent.command.load() != Command::kNone) break;
    pause_ns(5 * kMsNs);
    agent.tracer.collect(Tracer::Flush::kEnded, agent.pool, agent.ring);
  }
  if (agent.pool.lent() > 0) {
    agent.tracer.collect(Tracer::Flush::kForced, agent.pool, agent.ring);
  }
  agent.tracer.settle(agent.ring);
}

void end_window(wire::TraceEnd how, std::int64_t patience_ns) {
  const std::int64_t end = now_ns();
  end_ranges();
  agent.tracer.disable();
  say_on();
  settle(patience_ns);
  const std::uint64_t dropped = take_dropped();
  agent.ring.window(agent.begin_ns, end, dropped, how);
  agent.on = false;
  agent.schedule.ended(now_ns(), agent.tracer.take_made() + dropped);
  agent.pool.release_pages();
}

// A window without an end is written as far as it has come in, so that a process that is killed has
// one: up to the flush before the last, after which what had ended by then is there.
void write_so_far() {
  if (agent.flushed_before_ns <= agent.begin_ns) return;
  agent.tracer.settle(agent.ring);
  agent.ring.window(agent.begin_ns, agent.flushed_before_ns, take_dropped(),
                    wire::TraceEnd::kPlanned);
  agent.begin_ns = agent.flushed_before_ns;
}

// --- ends ---

void yield() {
  char why[96];
  std::snprintf(why, sizeof why, "%s needs CUPTI", agent.yields_to);
  if (agent.on) end_window(wire::TraceEnd::kYielded, kSettleYieldNs);
  agent.refuses = true;
  agent.tracer.hand_back();
  say("yielded", why);
}

// Somebody subscribed without a word. What is switched off now may be what they have switched on,
// unless CUPTI still comes to us for buffers.
void step_aside() {
  agent.refuses = true;
  end_ranges();
  agent.tracer.hand_back();
  agent.tracer.drain(agent.pool, agent.ring);
  agent.tracer.settle(agent.ring);
  agent.ring.window(agent.begin_ns, now_ns(), take_dropped(), wire::TraceEnd::kYielded);
  agent.on = false;
  say("yielded", "another client of CUPTI has come");
  agent.life = Life::kStopped;  // the program's end waits for nothing here
  while (!agent.asked.load()) ::sem_wait(&agent.wake);
  agent.tracer.disable();
}

// Nothing is said of a process in which nothing came to pass.
void end_at_exit() {
  if (agent.on && agent.has_thread) end_window(wire::TraceEnd::kExit, kSettleExitNs);
  agent.refuses = true;
}

void carry_out(Command command) {
  if (command == Command::kYield) yield();
  if (command == Command::kExit) end_at_exit();
}

// --- the thread ---

void flush() {
  agent.flushed_before_ns = agent.flushed_ns;
  agent.flushed_ns = now_ns();
  agent.tracer.collect(Tracer::Flush::kEnded, agent.pool, agent.ring);
  agent.flush_ns = now_ns() + kFlushEveryNs;
}

// False: that is all.
bool go_on_tracing() {
  say_on();
  const std::int64_t now = now_ns();
  const bool ends = now >= agent.ends_ns;
  // Also at the end: what is switched off there may be what another client has switched on.
  if (ends || now >= agent.look_ns) {
    if (agent.tracer.is_anothers()) {
      step_aside();
      return false;
    }
    agent.look_ns = now + look_every_ns();
  }
  if (ends) {
    end_window(wire::TraceEnd::kPlanned, kSettlePlannedNs);
    return true;
  }
  agent.tracer.drain(agent.pool, agent.ring);
  write_ranges(agent.ring);
  if (now >= agent.flush_ns) flush();
  if (now >= agent.write_ns) {
    write_so_far();
    agent.write_ns = now + kWriteEveryNs;
  }
  return true;
}

std::int64_t next_ns() {
  if (!agent.on) return agent.schedule.begins_ns();
  return agent.flush_ns < agent.ends_ns ? agent.flush_ns : agent.ends_ns;
}

void* work(void*) {
  ::pthread_setname_np(::pthread_self(), "flatout-trace");
  bool opened = agent.on;
  bool more = true;
  while (more) {
    if (const Command command = agent.command.load(); command != Command::kNone) {
      carry_out(command);
      break;
    }
    if (!agent.on && agent.steps_begun.exchange(false)) agent.schedule.restart(now_ns());
    if (agent.on) {
      more = go_on_tracing();
    } else if (now_ns() >= agent.schedule.begins_ns()) {
      const char* why = opened ? nullptr : agent.tracer.open(agent.settings);
      if (why != nullptr) say("absent", why);
      opened = true;
      more = why == nullptr && begin_window();
    }
    if (more && agent.command.load() == Command::kNone) wait_until(agent.wake, next_ns());
  }
  agent.refuses = true;
  agent.life = Life::kStopped;
  return nullptr;
}

void start_thread() {
  agent.has_thread = true;
  if (start_silent_thread(work)) return;
  agent.refuses = true;
  agent.life = Life::kStopped;
}

// Waits until nothing of ours calls CUPTI any more, for some seconds at most.
void stop(Command command) {
  if (!is_ours()) return;
  Life armed = Life::kArmed;
  if (agent.life.compare_exchange_strong(armed, Life::kStopped)) {
    carry_out(command);
    return;
  }
  Command none = Command::kNone;
  if (agent.life != Life::kRunning) return;
  agent.command.compare_exchange_strong(none, command);
  ::sem_post(&agent.wake);
  const std::int64_t until = now_ns() + kPatienceNs;
  while (agent.life.load() == Life::kRunning && now_ns() < until) pause_ns(kMsNs / 5);
}

void stop_at_exit() { stop(Command::kExit); }

void forget_in_child() {
  agent.pid = 0;
  end_ranges();
}

// By the settings: at once, or in a thread that waits for the first window.
void begin() {
  if (agent.settings.mode == Settings::Mode::kWindows) {
    agent.schedule =
        WindowSchedule::windows(now_ns(), agent.settings.delay_ns, agent.settings.window_ns);
    agent.life = Life::kRunning;
    start_thread();
    return;
  }
  agent.schedule = WindowSchedule::always(now_ns());
  if (const char* why = agent.tracer.open(agent.settings)) {
    say("absent", why);
    return;
  }
  if (!begin_window()) {
    agent.life = Life::kStopped;
    return;
  }
  agent.life = Life::kArmed;
  if (agent.pool.lent() > 0) leave_to_thread();  // another thread has used CUDA meanwhile
}

}  // namespace

void start_agent() {
  agent.settings = settings_of_environment();
  if (agent.settings.mode == Settings::Mode::kOff || !agent.ring.configure()) return;
  ::sem_init(&agent.wake, 0, 0);
  agent.pool.configure(agent.settings.buffer_bytes, agent.settings.buffers);
  ::pthread_atfork(nullptr, nullptr, forget_in_child);
  agent.pid = ::getpid();
  if (agent.yields == Yield::kSaid) {
    yield();
    return;
  }
  begin();
  if (agent.yields == Yield::kSaid) stop(Command::kYield);  // was said meanwhile
}

void note_steps() {
  if (!is_ours() || agent.settings.mode != Settings::Mode::kWindows) return;
  if (agent.life.load() != Life::kRunning) return;
  agent.steps_begun = true;
  ::sem_post(&agent.wake);
}

void yield_agent(const char* who) {
  Yield no = Yield::kNo;
  if (agent.yields.compare_exchange_strong(no, Yield::kSaying)) {
    if (who != nullptr) copy_client_name(who, agent.yields_to, sizeof agent.yields_to);
    agent.yields = Yield::kSaid;
  }
  stop(Command::kYield);
}

}  // namespace flatout::inject::cupti
