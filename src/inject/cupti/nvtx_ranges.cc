#include "inject/cupti/nvtx_ranges.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "inject/cupti/range_queue.h"
#include "inject/cupti/started_ranges.h"
#include "inject/process_state.h"

namespace flatout::inject::cupti {
namespace {

constexpr std::uint32_t kDeepest = 32;
constexpr std::uint32_t kMostStrings = 16'384;
constexpr std::size_t kLongest = EndedRange::kLongestName;

struct OpenRange {
  std::int64_t begin_ns;
  std::uint32_t name_bytes;
  char name[kLongest];
};

struct OpenRanges {
  std::uint32_t depth;    // also of those beyond kDeepest
  std::int32_t tid;       // 0 = not asked yet
  std::int64_t since_ns;  // of the window in which tid was asked: a child of fork() has another
  OpenRange open[kDeepest];
};

// A name that the program has registered; nvtxStringHandle_t points to it. Never freed: NVTX has no
// call for that.
struct RegisteredName {
  std::uint32_t bytes;
  char text[kLongest];
};

thread_local OpenRanges mine;
RangeQueue queue;
StartedRanges started;
std::atomic<std::int64_t> since{0};  // when the window began; 0 = none is on
std::atomic<void (*)()> when_many{nullptr};
std::atomic<std::uint32_t> registered{0};
RegisteredName* names[kMostStrings];  // for whoever looks for memory that nobody holds

// --- names ---

std::uint32_t copy_text(const char* from, char* to) {
  if (from == nullptr) return 0;
  const std::size_t bytes = ::strnlen(from, kLongest);
  std::memcpy(to, from, bytes);
  return static_cast<std::uint32_t>(bytes);
}

// As UTF-8; what is no character of Unicode is "?".
std::uint32_t copy_wide(const wchar_t* from, char* to) {
  std::size_t bytes = 0;
  for (; from != nullptr && *from != L'\0'; ++from) {
    auto c = static_cast<std::uint32_t>(*from);
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = '?';
    char out[4];
    std::size_t n = 0;
    if (c < 0x80) {
      out[n++] = static_cast<char>(c);
    } else {
      const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      constexpr unsigned kFirst[] = {0, 0xc0, 0xe0, 0xf0};
      out[n++] = static_cast<char>(kFirst[more] | (c >> (6 * more)));
      for (int i = more - 1; i >= 0; --i) {
        out[n++] = static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f));
      }
    }
    if (bytes + n > kLongest) break;
    std::memcpy(to + bytes, out, n);
    bytes += n;
  }
  return static_cast<std::uint32_t>(bytes);
}

std::uint32_t copy_message(const NvtxAttributes* said, char* to) {
  if (said == nullptr || said->bytes < sizeof(NvtxAttributes) || said->message == nullptr) return 0;
  if (said->message_type == kMessageAscii) {
    return copy_text(static_cast<const char*>(said->message), to);
  }
  if (said->message_type == kMessageWide) {
    return copy_wide(static_cast<const wchar_t*>(said->message), to);
  }
  if (said->message_type != kMessageRegistered) return 0;
  const auto* name = static_cast<const RegisteredName*>(said->message);
  std::memcpy(to, name->text, name->bytes);
  return name->bytes;
}

template <typename Text>
void* keep_name(const Text* text, std::uint32_t (*copy)(const Text*, char*)) {
  const std::uint32_t number = registered.fetch_add(1, std::memory_order_relaxed);
  if (number >= kMostStrings) return nullptr;
  auto* name = static_cast<RegisteredName*>(std::calloc(1, sizeof(RegisteredName)));
  if (name != nullptr) name->bytes = copy(text, name->text);
  names[number] = name;
  return name;
}

// --- ranges ---

template <typename Copy>
int push(const Copy& copy) {
  OpenRanges& all = mine;
  if (all.depth < kDeepest) {
    OpenRange& range = all.open[all.depth];
    range.begin_ns = since.load(std::memory_order_acquire) != 0 ? now_ns() : 0;
    range.name_bytes = range.begin_ns != 0 ? copy(range.name) : 0;
  }
  ++all.depth;
  return kNvtxNoTracking;
}

void hand_over(const EndedRange& range) {
  if (!queue.put(range)) return;
  if (void (*many)() = when_many.load(std::memory_order_acquire)) many();
}

std::int32_t own_tid(std::int64_t window_ns) {
  if (mine.tid == 0 || mine.since_ns != window_ns) {
    mine.tid = static_cast<std::int32_t>(::syscall(SYS_gettid));
    mine.since_ns = window_ns;
  }
  return mine.tid;
}

int pop() {
  OpenRanges& all = mine;
  if (all.depth == 0) return kNvtxNoTracking;
  --all.depth;
  if (all.depth >= kDeepest) return kNvtxNoTracking;
  const OpenRange& range = all.open[all.depth];
  const std::int64_t window_ns = since.load(std::memory_order_acquire);
  if (window_ns == 0 || range.begin_ns < window_ns || range.name_bytes == 0) return kNvtxNoTracking;
  EndedRange ended;
  ended.begin_ns = range.begin_ns;
  ended.end_ns = now_ns();
  ended.tid = own_tid(window_ns);
  ended.kind = run::HostSpanKind::kAnnotation;
  ended.name_bytes = range.name_bytes;
  std::memcpy(ended.name, range.name, range.name_bytes);
  hand_over(ended);
  return kNvtxNoTracking;
}

// A moment, or the begin of a range, with its name. False: outside of windows, or without a name.
template <typename Copy>
bool begun(const Copy& copy, run::HostSpanKind kind, EndedRange& range) {
  const std::int64_t window_ns = since.load(std::memory_order_acquire);
  if (window_ns == 0) return false;
  range.begin_ns = range.end_ns = now_ns();
  range.name_bytes = copy(range.name);
  if (range.name_bytes == 0) return false;
  range.tid = own_tid(window_ns);
  range.kind = kind;
  return true;
}

template <typename Copy>
void mark(const Copy& copy) {
  EndedRange moment;
  if (begun(copy, run::HostSpanKind::kMark, moment)) hand_over(moment);
}

template <typename Copy>
std::uint64_t start(const Copy& copy) {
  EndedRange range;
  return begun(copy, run::HostSpanKind::kRange, range) ? started.add(range) : 0;
}

void end_started(std::uint64_t number) {
  EndedRange range;
  const std::int64_t now = now_ns();
  if (number == 0 || !started.take(number, range)) return;
  const std::int64_t window_ns = since.load(std::memory_order_acquire);
  if (window_ns == 0 || range.begin_ns < window_ns) return;
  range.end_ns = now;
  hand_over(range);
}

int push_ex(const NvtxAttributes* said) {
  return push([said](char* to) { return copy_message(said, to); });
}
int push_a(const char* text) {
  return push([text](char* to) { return copy_text(text, to); });
}
int push_w(const wchar_t* text) {
  return push([text](char* to) { return copy_wide(text, to); });
}
std::uint64_t start_ex(const NvtxAttributes* said) {
  return start([said](char* to) { return copy_message(said, to); });
}
std::uint64_t start_a(const char* text) {
  return start([text](char* to) { return copy_text(text, to); });
}
std::uint64_t start_w(const wchar_t* text) {
  return start([text](char* to) { return copy_wide(text, to); });
}
void mark_ex(const NvtxAttributes* said) {
  mark([said](char* to) { return copy_message(said, to); });
}
void mark_a(const char* text) {
  mark([text](char* to) { return copy_text(text, to); });
}
void mark_w(const wchar_t* text) {
  mark([text](char* to) { return copy_wide(text, to); });
}
void domain_mark_ex(void*, const NvtxAttributes* said) { mark_ex(said); }
std::uint64_t domain_start_ex(void*, const NvtxAttributes* said) { return start_ex(said); }
void domain_end(void*, std::uint64_t number) { end_started(number); }
int domain_push_ex(void*, const NvtxAttributes* said) { return push_ex(said); }
int domain_pop(void*) { return pop(); }
void* register_a(void*, const char* text) { return keep_name(text, copy_text); }
void* register_w(void*, const wchar_t* text) { return keep_name(text, copy_wide); }

struct Table {
  NvtxFunction** functions = nullptr;
  std::uint32_t count = 0;

  template <typename Function>
  void set(std::uint32_t number, Function function) const {
    // As all tools do: NVTX calls it by the type that the number stands for.
    if (number < count && functions[number] != nullptr) {
      *functions[number] = reinterpret_cast<NvtxFunction>(function);
    }
  }
};

bool table_of(const NvtxCallbacks& callbacks, std::uint32_t module, Table* table) {
  return callbacks.module(module, &table->functions, &table->count) != 0 &&
         table->functions != nullptr;
}

}  // namespace

bool watch_nvtx(NvtxGetTable get_table) {
  if (get_table == nullptr) return false;
  const auto* callbacks = static_cast<const NvtxCallbacks*>(get_table(kNvtxCallbacks));
  if (callbacks == nullptr || callbacks->bytes < sizeof(NvtxCallbacks)) return false;
  Table core;
  if (!table_of(*callbacks, kNvtxCore, &core)) return false;
  core.set(kPushEx, push_ex);
  core.set(kPushA, push_a);
  core.set(kPushW, push_w);
  core.set(kPop, pop);
  core.set(kStartEx, start_ex);
  core.set(kStartA, start_a);
  core.set(kStartW, start_w);
  core.set(kEnd, end_started);
  core.set(kMarkEx, mark_ex);
  core.set(kMarkA, mark_a);
  core.set(kMarkW, mark_w);
  Table domains;
  if (table_of(*callbacks, kNvtxCore2, &domains)) {
    domains.set(kDomainPushEx, domain_push_ex);
    domains.set(kDomainPop, domain_pop);
    domains.set(kDomainStartEx, domain_start_ex);
    domains.set(kDomainEnd, domain_end);
    domains.set(kDomainMarkEx, domain_mark_ex);
    domains.set(kRegisterStringA, register_a);
    domains.set(kRegisterStringW, register_w);
  }
  return true;
}

void begin_ranges(std::int64_t now_ns, void (*many)()) {
  when_many.store(many, std::memory_order_release);
  since.store(now_ns, std::memory_order_release);
}

void end_ranges() { since.store(0, std::memory_order_release); }

void write_ranges(TraceRing& ring) {
  queue.take_all([&ring](const EndedRange& range) {
    const std::uint16_t lane = ring.lane_of(range.tid);
    if (lane == TraceRing::kNoLane) return;
    ring.range(range.kind, lane, range.begin_ns, range.end_ns, range.name, range.name_bytes);
  });
}

std::uint64_t take_lost_ranges() { return queue.take_lost() + started.take_lost(); }

}  // namespace flatout::inject::cupti
