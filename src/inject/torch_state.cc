#include "inject/torch_state.h"

#include <cstring>

#include "inject/tracers.h"

namespace flatout::inject {
namespace {

struct Torch {
  PyObject* is_grad_enabled = nullptr;
  PyObject* tensor_type = nullptr;
  PyObject* tensor_length = nullptr;
  PyObject* mode_depth = nullptr;
  PyObject* training = nullptr;
  PyObject* fields = nullptr;
  PyObject* is_cuda = nullptr;
  PyObject* nbytes = nullptr;
};
Torch held;

// Value of `answer` (stolen) as a truth value, or `otherwise`.
bool truth(PyObject* answer, bool otherwise) {
  const Ref owned(answer);
  const int value = owned ? PyObject_IsTrue(owned.get()) : -1;
  if (value >= 0) return value == 1;
  PyErr_Clear();
  return otherwise;
}

bool user_mode_active() {
  return held.mode_depth == nullptr ||
         truth(PyObject_CallFunctionObjArgs(held.mode_depth, nullptr), true) || traced();
}

PyObject* first_tensor(PyObject* batch, int levels) {  // borrowed, or nullptr
  if (reinterpret_cast<PyObject*>(Py_TYPE(batch)) == held.tensor_type) return batch;
  if (levels == 0) return nullptr;
  PyObject* item = nullptr;
  if (PyList_CheckExact(batch) && PyList_Size(batch) > 0) {
    item = PyList_GetItem(batch, 0);
  } else if (PyTuple_Check(batch) && PyTuple_Size(batch) > 0) {
    item = PyTuple_GetItem(batch, 0);
  } else if (PyDict_CheckExact(batch)) {
    PyObject* key = nullptr;
    Py_ssize_t position = 0;
    PyDict_Next(batch, &position, &key, &item);
  }
  return item == nullptr ? nullptr : first_tensor(item, levels - 1);
}

}  // namespace

void set_torch(PyObject* is_grad_enabled, PyObject* tensor_type, PyObject* tensor_length,
               PyObject* mode_depth) {
  held.is_grad_enabled = new_ref(is_grad_enabled);
  held.tensor_type = new_ref(tensor_type);
  held.tensor_length = new_ref(tensor_length);
  held.mode_depth = new_ref(mode_depth);
  held.nbytes = PyUnicode_InternFromString("nbytes");
  held.is_cuda = PyUnicode_InternFromString("is_cuda");
  held.fields = PyUnicode_InternFromString("__dict__");
  held.training = PyUnicode_InternFromString("training");
}

bool grad_enabled() {
  if (held.is_grad_enabled == nullptr) return true;
  return truth(PyObject_CallFunctionObjArgs(held.is_grad_enabled, nullptr), true);
}

std::uint64_t samples_in(PyObject* batch) {
  if (held.tensor_type == nullptr || batch == nullptr) return 0;
  PyObject* tensor = first_tensor(batch, 2);
  if (tensor == nullptr || user_mode_active()) return 0;
  const Ref length(PyObject_CallFunctionObjArgs(held.tensor_length, tensor, nullptr));
  const long long value = length ? PyLong_AsLongLong(length.get()) : -1;
  if (value < 0) PyErr_Clear();
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

namespace {

std::uint64_t tensor_bytes(PyObject* tensor) {
  const Ref bytes(PyObject_GetAttr(tensor, held.nbytes));
  const long long value = bytes ? PyLong_AsLongLong(bytes.get()) : -1;
  if (value < 0) PyErr_Clear();
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

constexpr Py_ssize_t kMostEntries = 64;  // looked at; a batch with more is of unknown size

std::uint64_t bytes_below(PyObject* batch, int levels) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(batch)) == held.tensor_type) return tensor_bytes(batch);
  std::uint64_t sum = 0;
  if (levels == 0) return sum;
  const bool list = PyList_CheckExact(batch) != 0;
  const bool tuple = PyTuple_Check(batch) != 0;
  if (list || tuple) {
    const Py_ssize_t size = list ? PyList_Size(batch) : PyTuple_Size(batch);
    for (Py_ssize_t i = 0; size <= kMostEntries && i < size; ++i) {
      sum += bytes_below(list ? PyList_GetItem(batch, i) : PyTuple_GetItem(batch, i), levels - 1);
    }
  } else if (PyDict_CheckExact(batch) && PyDict_Size(batch) <= kMostEntries) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(batch, &position, &key, &value) != 0) sum += bytes_below(value, levels - 1);
  }
  return sum;
}

}  // namespace

std::uint64_t bytes_in(PyObject* batch) {
  if (held.tensor_type == nullptr || user_mode_active()) return 0;
  return bytes_below(batch, 2);
}

namespace {

bool is_torchs(PyObject* type) {
  const Ref module(PyObject_GetAttrString(type, "__module__"));
  const Ref text(module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8String(module.get())
                                                         : nullptr);
  const char* name = text ? PyBytes_AsString(text.get()) : nullptr;
  PyErr_Clear();
  return name != nullptr && std::strncmp(name, "torch.", 6) == 0;
}

}  // namespace

bool on_device(PyObject* object) {
  if (held.tensor_type == nullptr || user_mode_active()) return false;
  // By its type: isinstance() asks the program's __class__.
  if (PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(held.tensor_type)) == 0) {
    return false;
  }
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == held.tensor_type) {
    return truth(PyObject_GetAttr(object, held.is_cuda), false);
  }
  const Unseen unseen;  // a class of the program's may have a __torch_function__
  return truth(PyObject_GetAttr(object, held.is_cuda), false);
}

bool is_training(PyObject* module) {
  if (held.training == nullptr) return true;
  // As it lies in the module: a property or __getattr__ of the program's is not called.
  const Ref fields(PyObject_GenericGetAttr(module, held.fields));
  PyObject* value = fields && PyDict_CheckExact(fields.get())
                        ? PyDict_GetItem(fields.get(), held.training)
                        : nullptr;
  PyErr_Clear();
  if (value != nullptr) return value != Py_False;
  if (!is_torchs(reinterpret_cast<PyObject*>(Py_TYPE(module)))) return true;
  return truth(PyObject_GetAttr(module, held.training), true);  // of a scripted module
}

}  // namespace flatout::inject
