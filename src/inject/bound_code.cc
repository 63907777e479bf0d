#include "inject/bound_code.h"

#include "inject/object_places.h"

namespace flatout::inject {
namespace {

constexpr Py_ssize_t kVectorcallOfBuiltin = 48;

// What CPython says of the type is compared with what lies at each place before it is used.
bool is_laid_out_as_known() {
  auto* type = reinterpret_cast<PyObject*>(&PyCFunction_Type);
  const Ref size(PyObject_GetAttrString(type, "__basicsize__"));
  return size && PyLong_AsSsize_t(size.get()) == *value_at<Py_ssize_t>(type, kBasicSizeOfType) &&
         PyLong_AsSsize_t(size.get()) == kVectorcallOfBuiltin + 8 &&
         *value_at<Py_ssize_t>(type, kVectorcallOffsetOfType) == kVectorcallOfBuiltin &&
         (PyType_GetFlags(&PyCFunction_Type) & kHaveVectorcall) != 0;
}

}  // namespace

bool is_method_of_pybind(PyObject* holder, PyObject* name, PyObject* function) {
  if (Py_TYPE(function) != &PyCFunction_Type || !PyType_Check(holder)) return false;
  const Ref own(PyObject_GetAttrString(holder, "__dict__"));
  const Ref raw(own ? PyObject_GetItem(own.get(), name) : nullptr);
  const Ref type(
      raw ? PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(raw.get())), "__name__")
          : nullptr);
  const bool is_wrapped =
      type && PyUnicode_CompareWithASCIIString(type.get(), "instancemethod") == 0;
  const Ref inner(is_wrapped ? PyObject_GetAttrString(raw.get(), "__func__") : nullptr);
  PyErr_Clear();
  return inner.get() == function;
}

Vectorcall redirect_bound_code(PyObject* function, Vectorcall code) {
  static const bool known = [] {
    const bool is_known = is_laid_out_as_known();
    PyErr_Clear();
    return is_known;
  }();
  if (!known || Py_TYPE(function) != &PyCFunction_Type) return nullptr;
  auto* place = value_at<Vectorcall>(function, kVectorcallOfBuiltin);
  const Vectorcall before = *place;
  if (before != nullptr) *place = code;
  return before;
}

}  // namespace flatout::inject
