#include "inject/call.h"

#include "inject/span.h"

namespace flatout::inject {
namespace {

constexpr std::size_t kOffsetFlag = std::size_t{1} << (8 * sizeof(std::size_t) - 1);
constexpr Py_ssize_t kFewArguments = 16;

Py_ssize_t count_of(std::size_t flags) { return static_cast<Py_ssize_t>(flags & ~kOffsetFlag); }

}  // namespace

Py_ssize_t Call::positional() const {
  return vector_ != nullptr || args_ == nullptr ? count_of(flags_) : PyTuple_Size(args_);
}

PyObject* Call::argument(Py_ssize_t index) const {
  if (index >= positional()) return nullptr;
  return vector_ != nullptr ? vector_[index] : PyTuple_GetItem(args_, index);
}

PyObject* Call::tuple() {
  if (args_ != nullptr) return args_;
  const Py_ssize_t size = count_of(flags_);
  own_args_ = Ref(PyTuple_New(size));
  for (Py_ssize_t i = 0; own_args_ && i < size; ++i) {
    PyTuple_SetItem(own_args_.get(), i, new_ref(vector_[i]));
  }
  failed_ = failed_ || !own_args_;
  args_ = own_args_.get();
  return args_;
}

PyObject* Call::keywords() {
  if (kwargs_ != nullptr || names_ == nullptr || PyTuple_Size(names_) == 0) return kwargs_;
  own_kwargs_ = Ref(PyDict_New());
  const Py_ssize_t first = count_of(flags_);
  for (Py_ssize_t i = 0; own_kwargs_ && i < PyTuple_Size(names_); ++i) {
    if (PyDict_SetItem(own_kwargs_.get(), PyTuple_GetItem(names_, i), vector_[first + i]) != 0) {
      own_kwargs_ = Ref();
    }
  }
  failed_ = failed_ || !own_kwargs_;
  kwargs_ = own_kwargs_.get();
  return kwargs_;
}

PyObject* Call::run(Span* span) {
  if (span->original != nullptr) {
    if (unchanged_ != nullptr) return unchanged_->again(*unchanged_);
    return vector_ != nullptr || args_ == nullptr
               ? span->original(span->function, vector_, flags_, names_)
               : run_as_vector(span->original, span->function);
  }
  if (is_span(span->function)) {
    const Ref held(new_ref(span->function));  // the call may take it off
    return call_span(reinterpret_cast<Span*>(held.get()), *this);
  }
  PyObject* args = tuple();
  PyObject* kwargs = keywords();
  return failed() ? nullptr : PyObject_Call(span->function, args, kwargs);
}

PyObject* Call::run_as_vector(Vectorcall original, PyObject* function) const {
  const Py_ssize_t positional = PyTuple_Size(args_);
  const Py_ssize_t named = kwargs_ != nullptr ? PyDict_Size(kwargs_) : 0;
  PyObject* few[kFewArguments];
  const bool many = positional + named > kFewArguments;
  const auto bytes = static_cast<std::size_t>(positional + named) * sizeof(PyObject*);
  auto** vector = many ? static_cast<PyObject**>(PyMem_Malloc(bytes)) : few;
  const Ref names(vector != nullptr && named > 0 ? PyTuple_New(named) : nullptr);
  if (vector == nullptr || (named > 0 && !names)) {
    if (many) PyMem_Free(vector);
    return PyErr_NoMemory();
  }
  for (Py_ssize_t i = 0; i < positional; ++i) vector[i] = PyTuple_GetItem(args_, i);
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  for (Py_ssize_t i = 0; i < named && PyDict_Next(kwargs_, &at, &key, &value) != 0; ++i) {
    PyTuple_SetItem(names.get(), i, new_ref(key));
    vector[positional + i] = value;
  }
  // The dict is the caller's, which nobody else changes during the call; the tuple keeps its own.
  PyObject* result = original(function, vector, static_cast<std::size_t>(positional), names.get());
  if (many) PyMem_Free(vector);
  return result;
}

}  // namespace flatout::inject
