// CLOCK_MONOTONIC as the kernel has it, whatever stands in front of the C library's
// clock_gettime(): libfaketime, say, gives each process a clock of its own, and one that may run at
// another speed. All processes of a run are compared by this one. Standard library alone, for code
// inside the program, too. Any thread, also in a signal handler once it was called before.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace flatout::base {

enum class LibraryClock : signed char { kUnknown, kOwn, kReplaced };
inline std::atomic<LibraryClock> library_clock{LibraryClock::kUnknown};

// Replaced, where clock_gettime() comes from another library than getppid(), which nobody has a
// reason to replace.
inline LibraryClock look_at_library_clock() noexcept {
  Dl_info clock{}, library{};
  void* const found = ::dlsym(RTLD_DEFAULT, "clock_gettime");
  void* const beside = ::dlsym(RTLD_DEFAULT, "getppid");
  const bool known = found != nullptr && beside != nullptr && ::dladdr(found, &clock) != 0 &&
                     ::dladdr(beside, &library) != 0;
  const bool replaced = known && clock.dli_fbase != library.dli_fbase;
  return replaced ? LibraryClock::kReplaced : LibraryClock::kOwn;
}

// Past the C library. False where this is not known of the processor.
inline bool ask_kernel(clockid_t id, timespec& out) noexcept {
#if defined(__x86_64__)
  constexpr long kClockGetTime = 228;
  long result = kClockGetTime;
  asm volatile("syscall" : "+a"(result) : "D"(id), "S"(&out) : "rcx", "r11", "memory");
  return result == 0;
#elif defined(__aarch64__)
  register long number asm("x8") = 113;
  register long result asm("x0") = id;
  register timespec* to asm("x1") = &out;
  asm volatile("svc 0" : "+r"(result) : "r"(number), "r"(to) : "memory");
  return result == 0;
#else
  (void)id;
  (void)out;
  return false;
#endif
}

inline std::int64_t kernel_monotonic_ns() noexcept {
  LibraryClock which = library_clock.load(std::memory_order_relaxed);
  if (which == LibraryClock::kUnknown) {
    which = look_at_library_clock();
    library_clock.store(which, std::memory_order_relaxed);
  }
  timespec ts{};
  if (which == LibraryClock::kOwn || !ask_kernel(CLOCK_MONOTONIC, ts)) {
    ::clock_gettime(CLOCK_MONOTONIC, &ts);
  }
  return static_cast<std::int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

}  // namespace flatout::base
