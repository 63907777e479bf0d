#include "inject/cupti/tracer.h"

#include <cstdio>

#include "inject/cupti/calls.h"
#include "inject/cupti/find_cupti.h"

namespace flatout::inject::cupti {
namespace {

constexpr std::uint32_t kOldestVersion = 18;  // 12.0

// Up to CUDA 12 CUPTI counted its versions; since 13 the number says CUDA's.
void write_version(std::uint32_t number, char* text, std::size_t bytes) {
  struct Old {
    std::uint32_t number;
    const char* cuda;
  };
  constexpr Old kOld[] = {{18, "12.0"}, {20, "12.2"}, {21, "12.3"}, {22, "12.4"},
                          {23, "12.5"}, {24, "12.6"}, {26, "12.8"}, {28, "12.9"}};
  for (const Old& one : kOld) {
    if (one.number == number) std::snprintf(text, bytes, "%s", one.cuda);
  }
  if (*text != '\0') return;
  if (number >= 130000) {
    std::snprintf(text, bytes, "%u.%u", number / 10000, number / 100 % 100);
  } else {
    std::snprintf(text, bytes, "API %u", number);
  }
}

void no_callback(void*, std::uint32_t, std::uint32_t, const void*) {}

}  // namespace

const char* Tracer::open(const Settings& settings) {
  if (const char* why = find_cupti(settings.cuda_home, &api_)) return why;
  // Selected once CUDA runs, no call was recorded at all (an H200, CUPTI 13.0); selected within
  // cuInit(), or as a whole kind at any time, they were.
  selects_calls_ = settings.mode == Settings::Mode::kKernels && !settings.all_calls;
  std::uint32_t number = 0;
  if (api_.get_version(&number) != kSuccess) return "cuptiGetVersion failed";
  write_version(number, version_, sizeof version_);
  return number < kOldestVersion ? "this CUPTI is older than CUDA 12" : nullptr;
}

bool Tracer::is_anothers() const {
  SubscriberTag* subscriber = nullptr;
  const Status status = api_.subscribe(&subscriber, no_callback, nullptr);
  if (status == kSuccess) api_.unsubscribe(subscriber);
  return status == kMultipleSubscribers;
}

const char* Tracer::enable(RequestBuffer request, CompleteBuffer complete) {
  // Once: whoever registers functions of its own later keeps them.
  if (!registered_) {
    const Status status = api_.register_callbacks(request, complete);
    if (status != kSuccess) {
      std::snprintf(why_, sizeof why_, "cuptiActivityRegisterCallbacks: CUPTI error %d", status);
      return why_;
    }
    registered_ = true;
    clock_.choose(api_);
  }
  own_thread_ids();
  clock_.compare(api_);
  if (const char* why = enable_kinds()) {
    disable();
    return why;
  }
  set_calls(true);
  return nullptr;
}

// A kind that this CUPTI does not have is left out, but for kernels.
const char* Tracer::enable_kinds() {
  const Status status = api_.enable(static_cast<std::uint32_t>(RecordKind::kConcurrentKernel));
  if (status != kSuccess) {
    std::snprintf(why_, sizeof why_, "cuptiActivityEnable of kernels: CUPTI error %d", status);
    return why_;
  }
  for (const RecordKind kind :
       {RecordKind::kMemcpy, RecordKind::kMemcpy2, RecordKind::kMemset, RecordKind::kOverhead}) {
    api_.enable(static_cast<std::uint32_t>(kind));
  }
  return nullptr;
}

void Tracer::set_calls(bool on) {
  set_calls_of(Domain::kRuntime, api_.enable_runtime_call, RecordKind::kRuntime, on);
  set_calls_of(Domain::kDriver, api_.enable_driver_call, RecordKind::kDriver, on);
}

// Call by call where CUPTI can, else all of a domain, of which the drain leaves out most.
void Tracer::set_calls_of(Domain domain, Status (*set)(std::uint32_t, std::uint8_t),
                          RecordKind kind, bool on) {
  constexpr std::uint32_t kMostFunctions = 2048;
  constexpr int kHole = 32;  // numbers in a row without a name: the list has ended
  int missing = 0;
  int set_count = 0;
  const bool selects = set != nullptr && selects_calls_;
  for (std::uint32_t i = 1; selects && i < kMostFunctions && missing < kHole; ++i) {
    const char* name = nullptr;
    if (api_.callback_name(static_cast<std::uint32_t>(domain), i, &name) != kSuccess ||
        name == nullptr) {
      ++missing;
      continue;
    }
    missing = 0;
    if (worth_of_call(name).wanted && set(i, on ? 1 : 0) == kSuccess) ++set_count;
  }
  if (set_count > 0) return;
  const auto number = static_cast<std::uint32_t>(kind);
  on ? api_.enable(number) : api_.disable(number);
}

// Threads as the kernel counts them, so that their lanes are those of the process's other ring.
void Tracer::own_thread_ids() {
  if (api_.set_thread_ids == nullptr || api_.get_thread_ids == nullptr) return;
  if (api_.get_thread_ids(&thread_ids_before_) != kSuccess) return;
  thread_ids_changed_ = api_.set_thread_ids(kSystemThreadIds) == kSuccess;
}

void Tracer::disable() {
  for (const RecordKind kind : {RecordKind::kConcurrentKernel, RecordKind::kMemcpy,
                                RecordKind::kMemcpy2, RecordKind::kMemset, RecordKind::kOverhead}) {
    api_.disable(static_cast<std::uint32_t>(kind));
  }
  set_calls(false);
  give_back_thread_ids();
}

void Tracer::give_back_thread_ids() {
  if (thread_ids_changed_) api_.set_thread_ids(thread_ids_before_);
  thread_ids_changed_ = false;
}

void Tracer::collect(Flush how, BufferPool& pool, TraceRing& ring) {
  api_.flush_all(how == Flush::kForced ? kFlushForced : 0);
  clock_.compare(api_);
  drain(pool, ring);
}

void Tracer::drain(BufferPool& pool, TraceRing& ring) { drain_.drain(api_, clock_, pool, ring); }

void Tracer::settle(TraceRing& ring) { drain_.release_held(api_, clock_, ring); }

std::uint64_t Tracer::take_dropped() {
  std::size_t count = 0;
  if (api_.dropped(nullptr, 0, &count) != kSuccess) count = 0;
  return count + drain_.take_lost();
}

void Tracer::hand_back() {
  clock_.hand_back();
  give_back_thread_ids();
}

}  // namespace flatout::inject::cupti
