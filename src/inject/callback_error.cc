#include "inject/callback_error.h"

#include <unistd.h>

namespace flatout::inject {
namespace {

constexpr int kSignals = 64;

bool has_frame_of(PyObject* traceback, PyObject* code) {
  Ref at(new_ref(traceback));
  while (at && at.get() != Py_None) {
    const Ref frame(PyObject_GetAttrString(at.get(), "tb_frame"));
    const Ref its_code(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
    if (its_code.get() == code) return true;
    at = Ref(PyObject_GetAttrString(at.get(), "tb_next"));
  }
  return false;
}

// A handler that is no Python function has no frame, so that what it raises cannot be known.
bool of_a_handler(PyObject* traceback) {
  const Ref module(PyImport_ImportModule("signal"));
  for (int signo = 1; module && signo <= kSignals; ++signo) {
    const Ref handler(PyObject_CallMethod(module.get(), "getsignal", "i", signo));
    const Ref code(handler ? PyObject_GetAttrString(handler.get(), "__code__") : nullptr);
    PyErr_Clear();
    if (code && has_frame_of(traceback, code.get())) return true;
  }
  PyErr_Clear();
  return false;
}

// Python runs handlers of signals, and pending calls, in the main thread alone.
bool in_main_thread() { return ::gettid() == ::getpid(); }

// Takes the reference.
int raise_again(void* error) {
  const Ref value(static_cast<PyObject*>(error));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.get())), value.get());
  return -1;
}

}  // namespace

bool error_is_ours() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return false;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const bool theirs = traceback != nullptr && of_a_handler(traceback);
  PyErr_Restore(type, value, traceback);
  return !theirs;
}

void strip_traceback() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Py_XDECREF(traceback);
  traceback = nullptr;
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr) PyException_SetTraceback(value, Py_None);
  PyErr_Restore(type, value, nullptr);
}

void drop_callback_error() {
  if (PyErr_Occurred() == nullptr) return;
  if (error_is_ours()) {
    PyErr_Clear();
    return;
  }
  raise_again_later();
}

void raise_again_later() {
  strip_traceback();
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref held_type(type), held_traceback(traceback);
  Ref held(value);
  if (in_main_thread()) {
    if (held && Py_AddPendingCall(raise_again, held.get()) == 0) (void)held.release();
  } else {
    (void)PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), type);
  }
}

Ref take_callback_error() {
  if (!error_is_ours()) {
    drop_callback_error();
    return Ref();
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref held_type(type), held_traceback(traceback);
  return Ref(value);
}

}  // namespace flatout::inject
