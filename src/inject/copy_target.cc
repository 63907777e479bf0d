#include "inject/copy_target.h"

#include <initializer_list>

#include "inject/torch_state.h"

namespace flatout::inject {
namespace {

bool starts_with_cuda(PyObject* text) {
  const Ref cuda(PyUnicode_FromString("cuda"));
  const bool starts = cuda && PyUnicode_Tailmatch(text, cuda.get(), 0, PY_SSIZE_T_MAX, -1) == 1;
  PyErr_Clear();
  return starts;
}

bool is_cuda(PyObject* target, PyObject* device_type) {
  if (PyUnicode_Check(target)) return starts_with_cuda(target);
  if (PyLong_Check(target)) return !PyBool_Check(target);
  if (reinterpret_cast<PyObject*>(Py_TYPE(target)) == device_type) {
    const Ref type(PyObject_GetAttrString(target, "type"));
    const bool cuda = type && PyUnicode_Check(type.get()) && starts_with_cuda(type.get());
    PyErr_Clear();
    return cuda;
  }
  return on_device(target);
}

PyObject* keyword(PyObject* keywords, const char* name) {  // borrowed, or nullptr
  return keywords != nullptr ? PyDict_GetItemString(keywords, name) : nullptr;
}

}  // namespace

bool names_a_device(const Call& call, PyObject* keywords, PyObject* device_type) {
  for (PyObject* target :
       {call.argument(1), keyword(keywords, "device"), keyword(keywords, "other")}) {
    if (target != nullptr && is_cuda(target, device_type)) return true;
  }
  return false;
}

bool may_not_block(const Call& call, PyObject* keywords) {
  for (Py_ssize_t i = 1; i < call.positional(); ++i) {
    if (call.argument(i) == Py_True) return true;
  }
  PyObject* asked = keyword(keywords, "non_blocking");
  const int wanted = asked != nullptr ? PyObject_IsTrue(asked) : 0;
  if (wanted < 0) PyErr_Clear();
  return wanted != 0;
}

}  // namespace flatout::inject
