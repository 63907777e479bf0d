// Forward and backward in a closure that Optimizer.step() is given are phases of their own, and the
// rest of it (Lightning runs the whole training_step there) is no update either.
#include "inject/span.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

PyObject* callable_argument(Call& call) {  // borrowed; nullptr: there is none
  PyObject* argument = call.argument(1);
  return argument != nullptr && PyCallable_Check(argument) != 0 ? argument : nullptr;
}

PyObject* callable_keyword(Call& call) {
  PyObject* kwargs = call.keywords();
  PyObject* value = kwargs != nullptr ? PyDict_GetItemString(kwargs, "closure") : nullptr;
  return value != nullptr && PyCallable_Check(value) != 0 ? value : nullptr;
}

Ref paused_span(PyObject* closure) {
  return Ref(
      new_span(closure, SpanMode::kClosure, run::Phase::kOther, 0, nullptr, nullptr, nullptr));
}

Ref with_second(PyObject* args, Ref second) {
  const Py_ssize_t size = PyTuple_Size(args);
  Ref copy(PyTuple_New(size));
  for (Py_ssize_t i = 0; copy && i < size; ++i) {
    PyTuple_SetItem(copy.get(), i, i == 1 ? second.release() : new_ref(PyTuple_GetItem(args, i)));
  }
  return copy;
}

Ref with_closure(PyObject* kwargs, const Ref& closure) {
  Ref copy(PyDict_Copy(kwargs));
  if (copy && PyDict_SetItemString(copy.get(), "closure", closure.get()) != 0) return {};
  return copy;
}

bool changed(Call& call, PyObject* positional, PyObject* named, Closed& held) {
  PyObject* args = call.tuple();
  PyObject* kwargs = call.keywords();
  Ref span = paused_span(positional != nullptr ? positional : named);
  if (call.failed() || !span) return false;
  if (positional != nullptr) {
    held.args = with_second(args, static_cast<Ref&&>(span));
    held.kwargs = Ref(new_ref(kwargs));
    return static_cast<bool>(held.args);
  }
  held.args = Ref(new_ref(args));
  held.kwargs = with_closure(kwargs, span);
  return static_cast<bool>(held.kwargs);
}

}  // namespace

bool close_over(Call& call, Closed& held) {
  PyObject* positional = callable_argument(call);
  PyObject* named = positional == nullptr ? callable_keyword(call) : nullptr;
  if ((positional == nullptr && named == nullptr) || traced() || compiled()) return false;
  const bool done = changed(call, positional, named, held);
  if (!done) PyErr_Clear();
  return done;
}

}  // namespace flatout::inject
