#include "inject/device_clock/fake/driver_for_test.h"

#include <algorithm>
#include <cstddef>

#include "inject/device_clock/driver.h"

using flatout::inject::device_clock::Event;
using flatout::inject::device_clock::Status;
using flatout::inject::device_clock::Stream;

namespace {

constexpr auto kInvalidHandle = static_cast<Status>(400);
constexpr auto kCaptureUnsupported = static_cast<Status>(900);

struct FakeEvent {
  int device = -1;
  double at_ms = 0;
  bool recorded = false;
  FakeEvent* made_before = nullptr;
};

FakeEvent* last_made = nullptr;  // none is destroyed, as by flatout

FakeEvent& of(Event event) { return *reinterpret_cast<FakeEvent*>(event); }

bool done(Event event) { return fake_driver.host_ms >= of(event).at_ms; }

// Whether the question is one that an open capture in global mode forbids.
bool forbidden() {
  if (fake_driver.capturing != 0) ++fake_driver.forbidden;
  return fake_driver.capturing != 0;
}

}  // namespace

extern "C" {

FakeDriver fake_driver{};

Status cuCtxGetDevice(int* device) {
  ++fake_driver.places;
  *device = fake_driver.device;
  return fake_driver.device < 0 ? Status::kInvalidContext : Status::kSuccess;
}

Status cuStreamIsCapturing(Stream, int* state) {
  ++fake_driver.places;
  *state = fake_driver.capturing != 0 && fake_driver.current_captures != 0 ? 1 : 0;
  return Status::kSuccess;
}

Status cuEventCreate(Event* event, unsigned) {
  ++fake_driver.made;
  auto* made = new FakeEvent{};
  made->device = fake_driver.device;
  made->made_before = last_made;
  last_made = made;
  *event = reinterpret_cast<Event>(made);
  return Status::kSuccess;
}

Status cuEventRecord(Event event, Stream) {
  ++fake_driver.recorded;
  if (fake_driver.fails != 0) return static_cast<Status>(fake_driver.fails);
  if (of(event).device != fake_driver.device) return kInvalidHandle;
  of(event).at_ms =
      std::max(fake_driver.host_ms, fake_driver.device_done_ms) + fake_driver.event_ms;
  of(event).recorded = true;
  return Status::kSuccess;
}

Status cuEventQuery(Event event) {
  ++fake_driver.queried;
  if (forbidden()) return kCaptureUnsupported;
  return done(event) ? Status::kSuccess : Status::kNotReady;
}

Status cuEventElapsedTime(float* milliseconds, Event begin, Event end) {
  ++fake_driver.elapsed;
  fake_driver.host_ms += fake_driver.question_ms;
  if (forbidden()) return kCaptureUnsupported;
  if (!of(begin).recorded || !of(end).recorded) return kInvalidHandle;
  if (!done(begin) || !done(end)) return Status::kNotReady;
  *milliseconds = static_cast<float>(of(end).at_ms - of(begin).at_ms);
  return Status::kSuccess;
}

Status cuEventSynchronize(Event event) {
  ++fake_driver.waited;
  if (forbidden()) return kCaptureUnsupported;
  fake_driver.host_ms = std::max(fake_driver.host_ms, of(event).at_ms);
  return Status::kSuccess;
}

Status cuGetErrorString(Status, const char** text) {
  *text = "made up";
  return Status::kSuccess;
}

}  // extern "C"
