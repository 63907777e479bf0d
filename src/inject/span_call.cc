// What a Span does around the call, one function a mode. The program's own
// exceptions pass through untouched: nothing here calls into Python between
// the wrapped call's failure and its return.
#include <csignal>

#include "inject/batch_timer.h"
#include "inject/boundary.h"
#include "inject/callback_error.h"
#include "inject/emit.h"
#include "inject/graph_capture.h"
#include "inject/import_clock.h"
#include "inject/loader_iterators.h"
#include "inject/scoped_call.h"
#include "inject/span.h"
#include "inject/steps.h"
#include "inject/torch_state.h"
#include "inject/tracers.h"
#include "inject/wait_sites.h"

namespace flatout::inject {
namespace {

// Our own callbacks catch their errors; what still escapes is dropped, because
// the program must not see it.
void run_callback(PyObject* callback, Call& call, PyObject* result) {
  if (callback == nullptr) return;
  const Unseen unseen;
  PyObject* args = call.tuple();
  const Ref done(args == nullptr
                     ? nullptr
                     : PyObject_CallFunctionObjArgs(callback, args,
                                                    result != nullptr ? result : Py_None, nullptr));
  if (!done) drop_callback_error();
}

std::uint32_t raised(const PyObject* result) { return result == nullptr ? wire::kRaised : 0; }

// A checkpoint of a framework holds torch.save and others: one phase.
bool goes_on(run::Phase phase) {
  return phase == run::Phase::kCheckpoint && lane_if_known().inside(phase);
}

// What is captured updates nothing.
std::uint32_t captured(run::Phase phase) {
  return phase == run::Phase::kOptimizer && capturing() ? wire::kCaptured : 0;
}

PyObject* call_phase(Span* span, Call& call) {
  if (in_batch() || goes_on(span->phase)) return call.run(span);
  const bool of_a_step =
      span->phase == run::Phase::kBackward || span->phase == run::Phase::kOptimizer;
  if (of_a_step && traced()) return call.run(span);
  if (span->phase == run::Phase::kBackward) step_backward();
  const std::uint32_t site = span->phase == run::Phase::kSync ? wait_site(span) : 0;
  const bool open = open_phase(span->phase, 0, site, 0);
  PyObject* result = call.run(span);
  if (open) close_phase(span->phase, raised(result) | captured(span->phase), 0, 0);
  if (span->phase == run::Phase::kOptimizer && result != nullptr) step_update();
  return result;
}

PyObject* call_update(Span* span, Call& call) {
  Closed held;
  if (!close_over(call, held)) return call_phase(span, call);
  Call closed(held.args.get(), held.kwargs.get());
  return call_phase(span, closed);
}

// Where the device has no room for another launch, the host waits here as well as anywhere.
PyObject* call_prepares(Span* span, Call& call) {
  const std::int64_t since_ns = now_ns();
  PyObject* result = call.run(span);
  if (result != nullptr && !in_batch() && !traced()) prepare_phase(span->phase, since_ns);
  return result;
}

PyObject* inside_callback = nullptr;
bool inside_passed_over = false;  // a module was called of which it may not know

// Forwards of modules of exactly this class that are still left out; see span.h.
PyObject* resting_class = nullptr;
std::uint32_t resting_left = 0;

bool rests(PyObject* module) {
  if (resting_left == 0 || reinterpret_cast<PyObject*>(Py_TYPE(module)) != resting_class) {
    return false;
  }
  --resting_left;
  return true;
}

void tell_inside(Call& call) {
  if (watch() != Watch::kNone) {
    inside_passed_over = true;
    return;
  }
  const Ref once(inside_callback);
  inside_callback = nullptr;
  run_callback(once.get(), call, nullptr);
}

// Only the outermost call of a module is a forward: not a submodule's, not one
// that recomputes inside backward, not a transform inside a loader, nor one that is traced.
PyObject* call_forward(Span* span, Call& call) {
  Lane& here = lane_if_known();
  const bool nested = here.inside(run::Phase::kForward) || here.inside(run::Phase::kBackward) ||
                      here.inside(run::Phase::kDataWait) || here.inside(run::Phase::kIterBuild);
  if (inside_callback != nullptr && here.inside(run::Phase::kForward)) tell_inside(call);
  PyObject* module = call.argument(0);
  if (nested || module == nullptr || in_batch()) return call.run(span);
  const Watch watched = watch();
  if (watched == Watch::kTraced) return call.run(span);
  const bool alone = watched == Watch::kNone;
  // Watched, it is asked for again at the next forward.
  if (!rests(module) && alone) run_callback(span->before, call, nullptr);
  const bool grad = grad_enabled();
  const bool training = is_training(module);
  const std::uint64_t samples =
      alone && !loader_seen() && call.positional() > 1 ? samples_in(call.argument(1)) : 0;
  step_forward(grad, training);
  const std::uint32_t flags = (grad ? wire::kGradEnabled : 0) | (training ? wire::kTraining : 0);
  const bool open = open_phase(run::Phase::kForward, flags, 0, samples);
  PyObject* result = grad && training && alone ? call_in_forward_scope(span, call) : call.run(span);
  if (open) close_phase(run::Phase::kForward, raised(result), 0, 0);
  return result;
}

PyObject* call_next(Span* span, Call& call) {
  PyObject* iterator = call.argument(0);
  if (iterator == nullptr || in_batch()) return call.run(span);
  const IteratorNumber number = find_iterator(iterator);
  const bool grad = grad_enabled();
  close_stale_phases();
  step_draw(number.loader != 0 ? number.loader : number.iterator + (1U << 31), grad);
  const bool open =
      open_phase(run::Phase::kDataWait, grad ? wire::kGradEnabled : 0, number.iterator, 0);
  const std::uint32_t outer = current_iterator();
  set_current_iterator(number.iterator);
  PyObject* result = call.run(span);
  set_current_iterator(outer);
  if (!open) return result;
  if (result != nullptr) {
    close_phase(run::Phase::kDataWait, 0, number.iterator, samples_in(result));
  } else {
    const bool exhausted = PyErr_ExceptionMatches(PyExc_StopIteration) != 0;
    close_phase(run::Phase::kDataWait, exhausted ? wire::kExhausted : wire::kRaised,
                number.iterator, 0);
  }
  return result;
}

PyObject* call_iter_build(Span* span, Call& call) {
  if (in_batch()) return call.run(span);
  run_callback(span->before, call, nullptr);
  const bool open = open_phase(run::Phase::kIterBuild, 0, 0, 0);
  PyObject* result = call.run(span);
  std::uint32_t number = 0;
  if (result != nullptr) {
    run_callback(span->after, call, result);  // numbers the iterator
    number = find_iterator(result).iterator;
  }
  if (open) close_phase(run::Phase::kIterBuild, raised(result), number, 0);
  return result;
}

PyObject* call_fetch(Span* span, Call& call) {
  std::uint32_t samples = 1;  // batch_size=None: one index, one sample
  if (PyObject* index = call.argument(1); index != nullptr) {
    if (PyList_Check(index)) samples = static_cast<std::uint32_t>(PyList_Size(index));
    if (PyTuple_Check(index)) samples = static_cast<std::uint32_t>(PyTuple_Size(index));
  }
  const bool open = begin_batch(current_iterator(), samples);
  PyObject* result = call.run(span);
  if (open) end_batch(result != nullptr ? bytes_in(result) : 0);
  return result;
}

// "JPEG decode": the stage's own name, or one made from an attribute of the
// object that is being read.
std::uint32_t stage_of(Span* span, const Call& call) {
  PyObject* object = call.argument(0);
  if (span->name_from == nullptr || object == nullptr) return span->stage;
  const Ref format(PyObject_GetAttr(object, span->name_from));
  const Ref text(format && PyUnicode_Check(format.get()) ? PyUnicode_AsASCIIString(format.get())
                                                         : nullptr);
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!text || PyBytes_AsStringAndSize(text.get(), &bytes, &size) != 0 || size > 32) {
    PyErr_Clear();
    return span->stage;
  }
  char name[48];
  const char suffix[] = " decode";
  for (Py_ssize_t i = 0; i < size; ++i) name[i] = bytes[i];
  for (unsigned i = 0; i < sizeof suffix; ++i) name[size + static_cast<Py_ssize_t>(i)] = suffix[i];
  return stage_id(name, static_cast<std::uint32_t>(size) + sizeof suffix - 1);
}

// The optimizer phases around it end and begin again, and no update is counted.
// Where the closure raises they stay ended: step() will not return.
PyObject* call_closure(Span* span, Call& call) {
  const Lane& here = lane_if_known();
  int paused = 0;
  for (int left = here.depth; left > 0; --left) {
    if (here.depth != left || here.open[left - 1] != run::Phase::kOptimizer) break;
    close_phase(run::Phase::kOptimizer, wire::kPaused, 0, 0);
    ++paused;
  }
  PyObject* result = call.run(span);
  if (result == nullptr) return nullptr;
  for (; paused > 0; --paused) open_phase(run::Phase::kOptimizer, 0, 0, 0);
  return result;
}

PyObject* call_stage(Span* span, Call& call) {
  if (!in_batch()) return call.run(span);
  const bool open = begin_stage(stage_of(span, call));
  PyObject* result = call.run(span);
  if (open) end_stage();
  return result;
}

PyObject* call_with_callbacks(Span* span, Call& call) {
  run_callback(span->before, call, nullptr);
  PyObject* result = call.run(span);
  if (result != nullptr) run_callback(span->after, call, result);
  return result;
}

bool answers_true(PyObject* callback, Call& call) {
  const Unseen unseen;
  PyObject* args = call.tuple();
  const Ref answer(args == nullptr || callback == nullptr
                       ? nullptr
                       : PyObject_CallFunctionObjArgs(callback, args, Py_None, nullptr));
  if (!answer) drop_callback_error();
  return answer.get() == Py_True;
}

// The host only launches it; without a loader it begins a step, as a forward does.
PyObject* call_replay(Span* span, Call& call) {
  if (capturing() || !answers_true(span->before, call)) return call.run(span);
  step_forward(true, true);
  const bool open = open_phase(run::Phase::kReplay, 0, 0, 0);
  PyObject* result = call.run(span);
  if (open) close_phase(run::Phase::kReplay, raised(result), 0, 0);
  if (result != nullptr) step_update();
  return result;
}

// Until torch has come and is used, each import of a module passes here.
PyObject* call_import(Span* span, Call& call) {
  const ImportSpan timed;
  PyObject* result = call.run(span);
  if (result == nullptr) return nullptr;
  PyObject* modules = PyImport_GetModuleDict();
  if (PyDict_Check(modules) && PyDict_GetItemString(modules, "torch") != nullptr) {
    run_callback(span->after, call, result);
  }
  return result;
}

}  // namespace

bool look_inside(PyObject* callback) {
  const Ref before(inside_callback);
  const bool passed_over = inside_passed_over;
  inside_callback = new_ref(callback);
  inside_passed_over = false;
  return passed_over;
}

void rest_forwards(PyObject* module_class, std::uint32_t forwards) {
  const Ref before(resting_class);
  resting_class = new_ref(module_class);
  resting_left = forwards;
}

PyObject* call_span(Span* span, Call& call) {
  switch (span->mode) {
    case SpanMode::kPhase:
      return call_phase(span, call);
    case SpanMode::kForward:
      return call_forward(span, call);
    case SpanMode::kNext:
      return call_next(span, call);
    case SpanMode::kIterBuild:
      return call_iter_build(span, call);
    case SpanMode::kFetch:
      return call_fetch(span, call);
    case SpanMode::kStage:
      return call_stage(span, call);
    case SpanMode::kCompose:
      return call_compose(span, call);
    case SpanMode::kCallback:
      return call_with_callbacks(span, call);
    case SpanMode::kDeviceCall:
    case SpanMode::kDeviceTo:
    case SpanMode::kDeviceCuda:
      return call_device(span, call);
    case SpanMode::kClosure:
      return call_closure(span, call);
    case SpanMode::kScoped:
      return call_scoped(span->before, span->after, span, call);
    case SpanMode::kImport:
      return call_import(span, call);
    case SpanMode::kReplay:
      return call_replay(span, call);
    case SpanMode::kPrepares:
      return call_prepares(span, call);
    case SpanMode::kUpdate:
      return call_update(span, call);
  }
  return call.run(span);
}

}  // namespace flatout::inject
