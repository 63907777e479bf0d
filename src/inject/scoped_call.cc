#include "inject/scoped_call.h"

#include "inject/callback_error.h"
#include "inject/tracers.h"

namespace flatout::inject {
namespace {

PyObject* forward_enter = nullptr;
PyObject* forward_leave = nullptr;

// False where what was raised is not ours to drop; it then stands without a traceback.
bool dropped() {
  if (error_is_ours()) {
    PyErr_Clear();
    return true;
  }
  strip_traceback();
  return false;
}

Ref call_enter(PyObject* enter, PyObject* args, PyObject* kwargs) {
  const Uncompiled uncompiled;
  return Ref(
      PyObject_CallFunctionObjArgs(enter, args, kwargs != nullptr ? kwargs : Py_None, nullptr));
}

// The call raised: its error stands as it was, whatever leave does.
void leave_raised(PyObject* leave, PyObject* token) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Uncompiled uncompiled;
  const Ref done(PyObject_CallFunctionObjArgs(leave, token, Py_None, Py_True, nullptr));
  if (!done) drop_callback_error();
  PyErr_Restore(type, value, traceback);
}

// Takes `result`.
PyObject* leave_with(PyObject* leave, PyObject* token, PyObject* result) {
  Ref own(result);
  const Uncompiled uncompiled;
  const Ref answer(PyObject_CallFunctionObjArgs(leave, token, result, Py_False, nullptr));
  if (!answer) return dropped() ? own.release() : nullptr;
  if (!PyTuple_Check(answer.get()) || PyTuple_Size(answer.get()) != 1) return own.release();
  return new_ref(PyTuple_GetItem(answer.get(), 0));
}

}  // namespace

void set_forward_scope(PyObject* enter, PyObject* leave) {
  const Ref enter_before(forward_enter);
  const Ref leave_before(forward_leave);
  forward_enter = enter == Py_None ? nullptr : new_ref(enter);
  forward_leave = leave == Py_None ? nullptr : new_ref(leave);
}

PyObject* call_in_forward_scope(Span* span, Call& call) {
  return call_scoped(forward_enter, forward_leave, span, call);
}

PyObject* call_scoped(PyObject* enter, PyObject* leave, Span* span, Call& call) {
  if (enter == nullptr || leave == nullptr) return call.run(span);
  PyObject* args = call.tuple();
  PyObject* kwargs = call.keywords();
  if (call.failed()) return nullptr;
  const Ref entered = call_enter(enter, args, kwargs);
  if (!entered && !dropped()) return nullptr;
  const Py_ssize_t parts =
      entered && PyTuple_Check(entered.get()) ? PyTuple_Size(entered.get()) : 0;
  if (parts == 1) return new_ref(PyTuple_GetItem(entered.get(), 0));
  if (parts != 3) return call.run(span);
  PyObject* new_args = PyTuple_GetItem(entered.get(), 0);
  PyObject* new_kwargs = PyTuple_GetItem(entered.get(), 1);
  PyObject* token = PyTuple_GetItem(entered.get(), 2);
  if (new_kwargs == Py_None) new_kwargs = nullptr;
  // Both knobs and the program may set other scopes meanwhile: hold on to this one's.
  const Ref leave_held(new_ref(leave));
  Call changed(new_args, new_kwargs);
  PyObject* result = changed.run(span);
  if (result == nullptr) {
    leave_raised(leave, token);
    return nullptr;
  }
  return leave_with(leave, token, result);
}

}  // namespace flatout::inject
