// Span: a callable that stands in for a function or method of PyTorch, times
// each call and passes everything through: arguments, results, exceptions,
// attributes. It is native because a Python wrapper would show as a frame in
// the user's tracebacks, and because a call costs some tens of nanoseconds.
#pragma once

#include <cstdint>

#include "inject/call.h"
#include "inject/python_api.h"
#include "run/phase.h"

namespace flatout::inject {

enum class SpanMode : std::uint8_t {
  kPhase = 0,       // open `phase` around the call
  kForward = 1,     // nn.Module.__call__: only the outermost call opens forward
  kNext = 2,        // __next__ of a loader's iterator: data_wait
  kIterBuild = 3,   // DataLoader.__iter__
  kFetch = 4,       // a fetcher's fetch(): one batch
  kStage = 5,       // a reader or transform inside a batch
  kCompose = 6,     // __call__ of a Compose: its transforms become stages
  kCallback = 7,    // only the callbacks
  kDeviceCall = 8,  // a method of Tensor that may copy to a device or wait for it
  kClosure = 9,     // what Optimizer.step was given to call: not part of the update
  kScoped = 10,     // `before` and `after` are enter and leave of scoped_call.h
  kImport = 11,     // an import: timed, and `after` is called where there is a module called torch
  kReplay = 12,     // CUDAGraph.replay: a step's work where `before` answers True
  kDeviceTo = 13,  // Tensor.to: kDeviceCall, and a blocking copy to a device that it names is timed
  kDeviceCuda = 14,  // Tensor.cuda: likewise, whatever it is given
  kPrepares = 15,    // what `phase` begins with, before its own hook
  kUpdate = 16,      // step() of an optimizer's class: kPhase, and its closure is a kClosure
};

struct Span {
  PyObject_HEAD PyObject* weak_references;
  PyObject* function;   // what is wrapped; another Span where both stand in front of one
  Vectorcall original;  // calls `function` where the Span is in front of it in place, else nullptr
  PyObject* before;     // called with the argument tuple, or nullptr
  PyObject* after;      // called with (argument tuple, result) on success, or nullptr
  PyObject* name_from;  // kStage: attribute of the first argument that completes the name
  SpanMode mode;
  run::Phase phase;
  std::uint32_t stage;
};

// New reference to the type, made at the first call.
PyObject* span_type();

// New Span around `function` (borrowed); before, after and name_from may be nullptr.
PyObject* new_span(PyObject* function, SpanMode mode, run::Phase phase, std::uint32_t stage,
                   PyObject* before, PyObject* after, PyObject* name_from);

bool is_span(PyObject* object);

// Does what the mode says: new reference, or nullptr with an error.
PyObject* call_span(Span* span, Call& call);

// Has `callback` (a new reference is taken; nullptr = none) called once, with the
// arguments of the first module that is called inside a forward where nobody watches
// (inject/tracers.h). Whether the one before was not called of such a module.
bool look_inside(PyObject* callback);

// Calls `before` of a kForward for none of the next `forwards` outermost calls of modules of
// exactly `module_class` (a new reference is taken): a Python function costs a step some
// microseconds.
void rest_forwards(PyObject* module_class, std::uint32_t forwards);

// kDeviceCall, kDeviceTo, kDeviceCuda: a call from host to device becomes h2d, after the sync for
// which it had to wait, where the device's own time is known; one from device to host becomes sync.
PyObject* call_device(Span* span, Call& call);

// kUpdate: the call whose closure, where it is given one, is a kClosure; `call` itself where it is
// given none, or where the step is traced or compiled: a Span is not to be seen there. What `held`
// takes must live during the call.
struct Closed {
  Ref args, kwargs;
};
bool close_over(Call& call, Closed& held);

// kCompose: calls span->function with a stand-in for the Compose object whose
// transforms are stages.
PyObject* call_compose(Span* span, Call& call);

}  // namespace flatout::inject
