#include "cupti/watch.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <variant>
#include <vector>

#include "core/api.h"
#include "core/context.h"
#include "core/process.h"
#include "cupti/callback_ids.h"
#include "cupti/collector.h"
#include "cupti/external_correlation.h"
#include "cupti/subscriber.h"

namespace simgpu::cupti {
namespace {

// 0: NVIDIA's headers have no such function.
std::uint32_t function_of(const ApiCall& call) {
  const auto& all = call.domain == ApiDomain::kDriver ? driver_functions() : runtime_functions();
  const auto at = all.find(call.name);
  return at == all.end() ? 0 : at->second;
}

std::uint32_t thread_id(bool system) {
  return system ? static_cast<std::uint32_t>(syscall(SYS_gettid))
                : static_cast<std::uint32_t>(pthread_self());
}

// Callbacks about streams, contexts and waits come at the end of the call that caused them: there
// no lock is held, so that the client may wait in them.
struct Caused {
  CUpti_CallbackDomain domain;
  std::uint32_t callback;
  int device;
  void* stream;
};

std::vector<Caused>& caused() {
  thread_local std::vector<Caused> own;
  return own;
}

void tell_subscriber(const Caused& one) {
  auto* const context = static_cast<CUcontext>(context_handle(one.device));
  auto* const stream = static_cast<CUstream>(one.stream);
  if (one.domain == CUPTI_CB_DOMAIN_RESOURCE) {
    CUpti_ResourceData data{};
    data.context = context;
    data.resourceHandle.stream = stream;
    call_back(one.domain, one.callback, &data);
  } else {
    const CUpti_SynchronizeData data{.context = context, .stream = stream};
    call_back(one.domain, one.callback, &data);
  }
}

class Watcher final : public Observer {
 public:
  void entered(ApiCall& call) override { call_back(CUPTI_API_ENTER, call, function_of(call)); }

  void left(ApiCall& call) override {
    const std::uint32_t function = function_of(call);
    record_call(call, function);
    std::vector<Caused> all;
    all.swap(caused());
    for (const Caused& one : all) {
      tell_subscriber(one);
    }
    call_back(CUPTI_API_EXIT, call, function);
    collector().deliver_many();
  }

  void placed(const PlacedOperation& operation) override {
    Collector& here = collector();
    const std::lock_guard guard(here.lock);
    const auto is_on = [&](CUpti_ActivityKind kind) {
      return here.selection.is_on(kind, operation.device, operation.enqueued);
    };
    CUpti_ActivityKind kind = kind_of(operation);
    if (!is_on(kind)) {
      kind = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? CUPTI_ACTIVITY_KIND_KERNEL
             : kind == CUPTI_ACTIVITY_KIND_MEMCPY2         ? CUPTI_ACTIVITY_KIND_MEMCPY
                                                           : CUPTI_ACTIVITY_KIND_INVALID;
      if (kind == CUPTI_ACTIVITY_KIND_INVALID || !is_on(kind)) {
        return;
      }
    }
    here.add_when(operation.end, record_of(operation, kind, here.options.latency));
  }

  void waited(const SyncRecord& wait) override {
    Collector& here = collector();
    if (wait.result == 0 &&
        (wait.kind == SyncRecord::Kind::kStream || wait.kind == SyncRecord::Kind::kDevice)) {
      const bool stream = wait.kind == SyncRecord::Kind::kStream;
      caused().push_back({CUPTI_CB_DOMAIN_SYNCHRONIZE,
                          stream ? CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED
                                 : CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED,
                          wait.device, stream ? wait.handle : nullptr});
    }
    const std::lock_guard guard(here.lock);
    if (here.selection.is_on(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, wait.device, wait.start) &&
        (wait.result == 0 || here.options.failed_syncs)) {
      here.add(record_of(wait));
    }
  }

  void recorded(const EventRecord& event) override {
    Collector& here = collector();
    const std::lock_guard guard(here.lock);
    if (here.selection.is_on(CUPTI_ACTIVITY_KIND_CUDA_EVENT, event.device, event.enqueued)) {
      here.add_when(event.at, record_of(event, here.options.event_times));
    }
  }

  void context_opened(int device) override {
    caused().push_back(
        {CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, device, nullptr});
    Collector& here = collector();
    const std::lock_guard guard(here.lock);
    if (here.selection.is_on(CUPTI_ACTIVITY_KIND_CONTEXT, device, now())) {
      here.add(context_record(device));
    }
  }

  void stream_made(const Stream& stream) override {
    caused().push_back({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, stream.device,
                        const_cast<Stream*>(&stream)});
    Collector& here = collector();
    const std::lock_guard guard(here.lock);
    if (here.selection.is_on(CUPTI_ACTIVITY_KIND_STREAM, stream.device, now())) {
      here.add(stream_record(stream, current_correlation()));
    }
  }

  void stream_ends(const Stream& stream) override {
    caused().push_back({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
                        stream.device, const_cast<Stream*>(&stream)});
  }

 private:
  static void record_call(const ApiCall& call, std::uint32_t function) {
    Collector& here = collector();
    const int device = current_device();
    const std::lock_guard guard(here.lock);
    if (!here.selection.traces(call.domain, function, device, call.start)) {
      return;
    }
    if (here.selection.is_on(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, device, call.start)) {
      for (const Record& record : external_correlations(call.correlation)) {
        here.add(record);
      }
    }
    here.add(record_of(call, function, thread_id(here.options.system_thread_ids)));
  }
};

// The child's own: what the parent's client asked for is not the child's.
void in_child() {
  end_subscription();
  caused().clear();
}

Observer* make() {
  collector();  // its own handler of fork comes first
  pthread_atfork(nullptr, nullptr, in_child);
  static auto* const watcher = new Watcher;
  return watcher;
}

}  // namespace

void watch() {
  static Observer* const watcher = make();
  if (observer() != watcher) {
    set_observer(watcher);
  }
}

}  // namespace simgpu::cupti
