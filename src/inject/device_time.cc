#include "inject/device_time.h"

#include <cstdio>

#include "inject/callback_error.h"
#include "inject/copy_target.h"
#include "inject/device_clock/captures.h"
#include "inject/device_clock/device_clock.h"
#include "inject/device_clock/pace.h"
#include "inject/emit.h"
#include "inject/steps.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

using device_clock::Copy;
using device_clock::Place;
using device_clock::Status;

// What can fail, and is switched off by itself.
struct Part {
  const char* what;
  bool on = false;
};
Part phases{"the device time of the phases"};
Part copies{"the device time of copies"};
Part pacing{"a pace of the host that is the device's"};

DeviceTimeNeeds ask{};
device_clock::Driver driver;
device_clock::Captures captures;
device_clock::DeviceClock phase_clock;
device_clock::CopyClock copy_clock;
device_clock::Pace pace;
std::uint32_t process = 0;  // generation() in which CUDA was seen at work
bool said_devices = false;
bool wants_copies = true;

// `why`: a text, or the exception. Nullptr where there was no memory for it.
void switch_off(Part& part, PyObject* why) {
  part.on = false;
  const Unseen unseen;
  const Ref done(
      PyObject_CallFunction(ask.say_problem, "sO", part.what, why != nullptr ? why : Py_None));
  if (!done) drop_callback_error();
}

void switch_off(Part& part, const char* why) {
  const Ref text(PyUnicode_DecodeLocale(why, "surrogateescape"));
  PyErr_Clear();
  switch_off(part, text.get());
}

void fail(Part& part, Status status) {
  const char* text = nullptr;
  if (driver.describe(status, &text) != Status::kSuccess || text == nullptr) text = "unknown";
  char why[256];
  (void)std::snprintf(why, sizeof why, "CUDA error %d: %s", static_cast<int>(status), text);
  switch_off(part, why);
}

// An error of Python stands: one of ours ends the part, one of the program's goes on to it.
void fail_for_error(Part& part) {
  const Ref error = take_callback_error();
  if (error) switch_off(part, error.get());
}

// CUDA is at work in this process and its driver is found.
bool started(Part& part) {
  if (process == generation()) return true;
  const Uncompiled uncompiled;
  const Ref answer(PyObject_CallFunctionObjArgs(ask.is_initialized, nullptr));
  if (!answer) fail_for_error(part);
  if (answer.get() != Py_True)
    return false;  // as in a child that was forked after CUDA had started
  phase_clock.forget();
  copy_clock.forget();
  pace.forget();
  if (const char* missing = device_clock::find_driver(&driver); missing != nullptr) {
    switch_off(part, missing);
    return false;
  }
  process = generation();
  return true;
}

bool stream_of(Part& part, Place* place) {
  const Uncompiled uncompiled;  // in releases where this is a function of Python
  const Ref index(PyLong_FromLong(place->device));
  const Ref stream(index ? PyObject_CallFunctionObjArgs(ask.current_stream, index.get(), nullptr)
                         : nullptr);
  void* handle = stream ? PyLong_AsVoidPtr(stream.get()) : nullptr;
  if (PyErr_Occurred() != nullptr) {
    fail_for_error(part);
    return false;
  }
  place->stream = static_cast<device_clock::Stream>(handle);
  return true;
}

enum class Found { kNowhere, kCapturing, kHere };

Found look(Part& part, Place* place) {
  if (captures.any_open()) return Found::kCapturing;
  const Status at = driver.current_device(&place->device);
  if (at == Status::kInvalidContext || at == Status::kNotInitialized ||
      at == Status::kDeinitialized) {
    return Found::kNowhere;  // this thread has given no device anything to do
  }
  bool capturing = false;
  Status status = at;
  if (status == Status::kSuccess) {
    if (!stream_of(part, place)) return Found::kNowhere;
    status = captures.look(driver, place->stream, &capturing);
  }
  if (status != Status::kSuccess) {
    fail(part, status);
    return Found::kNowhere;
  }
  return capturing ? Found::kCapturing : Found::kHere;
}

void say_captures() {
  char json[96];
  if (!captures.say(json, sizeof json)) return;
  constexpr char kKey[] = "captures";
  emit_fact(kKey, sizeof kKey - 1, json, static_cast<std::uint32_t>(__builtin_strlen(json)));
}

bool say_devices() {
  if (said_devices) return true;
  said_devices = true;
  const Unseen unseen;
  const Ref done(PyObject_CallFunctionObjArgs(ask.say_devices, nullptr));
  if (!done) fail_for_error(phases);
  return phases.on;
}

void boundary(run::Phase open) {
  if (!started(phases)) return;
  Place place;
  switch (look(phases, &place)) {
    case Found::kCapturing:
      captures.lose_boundary();
      phase_clock.break_chain();
      return;
    case Found::kNowhere:
      phase_clock.break_chain();
      return;
    case Found::kHere:
      break;
  }
  say_captures();
  if (!say_devices()) return;
  const auto step = static_cast<std::uint32_t>(steps_closed());
  const Status status = phase_clock.boundary(driver, place, open, step, emit_device_phase);
  if (status != Status::kSuccess) fail(phases, status);
}

// Other threads, such as the one that pins the next batch, run on.
Status wait_for(device_clock::Event event) {
  const std::int64_t begin = now_ns();
  PyThreadState* const state = PyEval_SaveThread();
  const Status status = driver.synchronize(event);
  PyEval_RestoreThread(state);
  emit_span(run::Phase::kSync, begin, now_ns());
  return status;
}

void keep_pace() {
  if (!started(pacing)) return;
  Place place;
  if (look(pacing, &place) != Found::kHere) return;
  device_clock::Event event = nullptr;
  Status status = pace.to_wait_for(driver, place, &event);
  if (status == Status::kSuccess && event != nullptr) status = wait_for(event);
  if (status == Status::kSuccess) status = pace.mark(driver, place);
  if (status != Status::kSuccess) fail(pacing, status);
}

// From where it came, until enough is known. What is copied before any training, such as the
// model itself, is in no step.
void say_copy(PyObject* source) {
  if (!wants_copies || !training_seen()) return;
  const Unseen unseen;
  const Ref answer(PyObject_CallFunctionObjArgs(ask.say_copy, source, nullptr));
  if (!answer) fail_for_error(copies);
  wants_copies = answer.get() == Py_True;
}

}  // namespace

void set_device_time(const DeviceTimeNeeds& needs) {
  ask = {new_ref(needs.is_initialized), new_ref(needs.current_stream), new_ref(needs.device_type),
         new_ref(needs.say_devices),    new_ref(needs.say_problem),    new_ref(needs.say_copy)};
  phases.on = copies.on = pacing.on = true;
}

void device_boundary(run::Phase open) {
  if (!phases.on) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  boundary(open);
  PyErr_Restore(type, value, traceback);
}

void device_waited() {
  if (!phases.on || process != generation() || !phase_clock.any_pending()) return;
  Place place;
  if (look(phases, &place) != Found::kHere) return;
  const Status status = phase_clock.read(driver, emit_device_phase);
  if (status != Status::kSuccess) fail(phases, status);
}

void device_step_ended() {
  if (!pacing.on) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  keep_pace();
  PyErr_Restore(type, value, traceback);
}

void capture_opens() { captures.opens(); }

void capture_closes() {
  if (captures.closes()) say_captures();
}

Copy begin_device_copy(const Call& call, PyObject* keywords, CopyBy by) {
  Copy copy;
  if (!copies.on || (by == CopyBy::kTo && !names_a_device(call, keywords, ask.device_type))) {
    return copy;
  }
  if (!started(copies)) return copy;
  const bool measured = !may_not_block(call, keywords);
  if (!measured && !wants_copies) return copy;
  const Found found = look(copies, &copy.place);
  if (found == Found::kCapturing && measured) captures.lose_copy();
  if (found != Found::kHere) return copy;
  if (!measured) {
    say_copy(call.argument(0));
    return copy;
  }
  const Status status = copy_clock.begin(driver, copy.place, &copy);
  if (status != Status::kSuccess) fail(copies, status);
  return copy;
}

std::int64_t end_device_copy(Copy* copy, PyObject* source) {
  std::int64_t ns = -1;
  if (copy->begin == nullptr) return ns;
  const Status status = copy_clock.end(driver, copy, !captures.any_open(), &ns);
  if (status != Status::kSuccess) fail(copies, status);
  if (!captures.any_open()) say_copy(source);
  return ns;
}

void drop_device_copy(Copy* copy) { copy_clock.drop(copy); }

}  // namespace flatout::inject
