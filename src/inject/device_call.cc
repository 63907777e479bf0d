#include "inject/batch_timer.h"
#include "inject/device_time.h"
#include "inject/emit.h"
#include "inject/span.h"
#include "inject/torch_state.h"
#include "inject/wait_sites.h"

namespace flatout::inject {
namespace {

// A blocking copy first waits until the device reaches it: that part is sync.
void record_copy(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t copy_ns,
                 std::uint32_t site) {
  const std::int64_t wall = end_ns - begin_ns;
  if (copy_ns < 0 || copy_ns > wall) copy_ns = wall;
  if (copy_ns < wall) emit_span(run::Phase::kSync, begin_ns, end_ns - copy_ns, site);
  emit_span(run::Phase::kH2d, end_ns - copy_ns, end_ns, site);
}

// A class of the program's with a __torch_function__ gets the call and makes it once more.
thread_local bool inside = false;

PyObject* run_inside(Span* span, Call& call) {
  inside = true;
  PyObject* result = call.run(span);
  inside = false;
  return result;
}

}  // namespace

PyObject* call_device(Span* span, Call& call) {
  PyObject* source = call.argument(0);
  if (inside || in_batch() || source == nullptr) return call.run(span);
  const bool from_device = on_device(source);
  device_clock::Copy copy;
  if (!from_device && span->mode != SpanMode::kDeviceCall) {
    PyObject* keywords = call.keywords();
    if (call.failed()) return nullptr;
    copy = begin_device_copy(call, keywords,
                             span->mode == SpanMode::kDeviceTo ? CopyBy::kTo : CopyBy::kCuda);
  }
  const std::int64_t begin_ns = now_ns();
  PyObject* result = run_inside(span, call);
  const std::int64_t end_ns = now_ns();
  const bool to_device = result != nullptr && on_device(result);
  const bool copied = !from_device && to_device;
  if (copied) {
    const std::int64_t copy_ns = end_device_copy(&copy, source);
    record_copy(begin_ns, end_ns, copy_ns, wait_site(span));
  } else {
    drop_device_copy(&copy);
  }
  if (from_device && result != nullptr && !to_device) {
    device_waited();
    // Only now: whoever times the call from outside sees in it what that took.
    const std::uint32_t site = wait_site(span);
    emit_span(run::Phase::kSync, begin_ns, now_ns(), site);
  }
  return result;
}

}  // namespace flatout::inject
