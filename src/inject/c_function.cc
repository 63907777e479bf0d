#include "inject/c_function.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "inject/object_places.h"
#include "inject/span.h"

namespace flatout::inject {
namespace {

constexpr int kMostFunctions = 32;
constexpr Py_ssize_t kMostInPlace = 16;
constexpr int kFastcall = 0x80;  // METH_FASTCALL, which the limited API names from 3.10 on
constexpr int kForms = METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | kFastcall;

// As inject/object_places.h has them.
constexpr Py_ssize_t kClassOfDescriptor = 16;
constexpr Py_ssize_t kNameOfDescriptor = 24;
constexpr Py_ssize_t kDefinitionOfDescriptor = 40;
constexpr Py_ssize_t kDefinitionOfBuiltin = 16;
constexpr Py_ssize_t kSelfOfBuiltin = 24;

using WithTwo = PyObject* (*)(PyObject*, PyObject*);
using WithThree = PyObject* (*)(PyObject*, PyObject*, PyObject*);
using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
using FastNamed = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

struct Redirected {
  PyObject* function = nullptr;  // owned; as it was found in its holder
  PyMethodDef* definition = nullptr;
  PyCFunction original = nullptr;
  bool with_self = false;    // a method: `self` is its first argument
  PyObject* self = nullptr;  // else the one that its definition gets; borrowed
  SpanInFront in_front = nullptr;
};
Redirected redirected[kMostFunctions];
int redirected_count = 0;

template <typename Function>
Function as(PyCFunction function) {
  return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(function));
}

// The Span that a call passes; nullptr where it goes straight on. Other interpreters of the
// process share the definitions of C modules, but none of our objects.
Span* span_of(const Redirected& here, PyObject* self) {
  if (!here.with_self && self != here.self) return nullptr;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) return nullptr;
  return here.in_front(here.function);
}

// The arguments as of a call from Python: a method's `self` in front.
class Vector {
 public:
  Vector(const Redirected& here, PyObject* self, Py_ssize_t count)
      : first_(here.with_self ? 1 : 0) {
    size_ = count + first_;
    if (size_ > kMostInPlace) {
      many_ = static_cast<PyObject**>(
          PyMem_Malloc(static_cast<std::size_t>(size_) * sizeof(PyObject*)));
    }
    if (first_ == 1 && data() != nullptr) data()[0] = self;
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() { PyMem_Free(many_); }

  PyObject** data() { return size_ > kMostInPlace ? many_ : few_; }
  PyObject** arguments() { return data() + first_; }
  std::size_t positional(Py_ssize_t given) const {
    return static_cast<std::size_t>(given + first_);
  }

 private:
  Py_ssize_t first_;
  Py_ssize_t size_ = 0;
  PyObject** many_ = nullptr;
  PyObject* few_[kMostInPlace];
};

PyObject* pass(Span* span, Call& call) {
  const Ref held(new_ref(reinterpret_cast<PyObject*>(span)));
  return call_span(span, call);
}

template <int kIndex>
PyObject* with_two(PyObject* self, PyObject* argument) {
  const Redirected& here = redirected[kIndex];
  Span* span = span_of(here, self);
  if (span == nullptr) return here.original(self, argument);
  const int form = here.definition->ml_flags & kForms;
  const Py_ssize_t count = form == METH_NOARGS ? 0 : form == METH_O ? 1 : PyTuple_Size(argument);
  Vector vector(here, self, count);
  if (vector.data() == nullptr) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; ++i) {
    vector.arguments()[i] = form == METH_O ? argument : PyTuple_GetItem(argument, i);
  }
  Unchanged as_it_came{[](const Unchanged& raw) {
                         return reinterpret_cast<WithTwo>(raw.code)(raw.self, raw.argument);
                       },
                       reinterpret_cast<void (*)()>(here.original), self, argument};
  Call call(vector.data(), vector.positional(count), nullptr, nullptr, &as_it_came);
  return pass(span, call);
}

template <int kIndex>
PyObject* with_three(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Redirected& here = redirected[kIndex];
  Span* span = span_of(here, self);
  if (span == nullptr) return as<WithThree>(here.original)(self, args, kwargs);
  const Py_ssize_t count = PyTuple_Size(args);
  Vector vector(here, self, count);
  if (vector.data() == nullptr) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; ++i) vector.arguments()[i] = PyTuple_GetItem(args, i);
  Unchanged as_it_came{[](const Unchanged& raw) {
                         return reinterpret_cast<WithThree>(raw.code)(raw.self, raw.argument,
                                                                      raw.names);
                       },
                       reinterpret_cast<void (*)()>(here.original), self, args};
  as_it_came.names = kwargs;
  Call call(vector.data(), vector.positional(count), nullptr, kwargs, &as_it_came);
  return pass(span, call);
}

PyObject* call_fast(const Redirected& here, PyObject* self, PyObject* const* args, Py_ssize_t count,
                    PyObject* names, PyObject* (*again)(const Unchanged&)) {
  Span* span = span_of(here, self);
  Unchanged as_it_came{again, reinterpret_cast<void (*)()>(here.original), self, nullptr};
  as_it_came.vector = args;
  as_it_came.count = count;
  as_it_came.names = names;
  if (span == nullptr) return again(as_it_came);
  const Py_ssize_t all = count + (names != nullptr ? PyTuple_Size(names) : 0);
  Vector vector(here, self, all);
  if (vector.data() == nullptr) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < all; ++i) vector.arguments()[i] = args[i];
  Call call(vector.data(), vector.positional(count), names, nullptr, &as_it_came);
  return pass(span, call);
}

template <int kIndex>
PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return call_fast(redirected[kIndex], self, args, count, nullptr, [](const Unchanged& raw) {
    return reinterpret_cast<Fast>(raw.code)(raw.self, raw.vector, raw.count);
  });
}

template <int kIndex>
PyObject* fast_named(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return call_fast(redirected[kIndex], self, args, count, names, [](const Unchanged& raw) {
    return reinterpret_cast<FastNamed>(raw.code)(raw.self, raw.vector, raw.count, raw.names);
  });
}

struct Entrances {
  WithTwo two;
  WithThree three;
  Fast fast;
  FastNamed fast_named;
};
template <int... kIndices>
struct Indices {};
template <int kCount, int... kIndices>
struct MakeIndices : MakeIndices<kCount - 1, kCount - 1, kIndices...> {};
template <int... kIndices>
struct MakeIndices<0, kIndices...> {
  using Type = Indices<kIndices...>;
};
template <int... kIndices>
const Entrances& entrances_of(int index, Indices<kIndices...>) {
  static constexpr Entrances all[] = {
      {with_two<kIndices>, with_three<kIndices>, fast<kIndices>, fast_named<kIndices>}...};
  return all[index];
}

// nullptr for a form of call that is not known here.
PyCFunction entrance(int index, int flags) {
  const Entrances& here = entrances_of(index, MakeIndices<kMostFunctions>::Type{});
  if ((flags & ~(kForms | METH_COEXIST)) != 0) return nullptr;
  switch (flags & kForms) {
    case METH_NOARGS:
    case METH_O:
    case METH_VARARGS:
      return here.two;
    case METH_VARARGS | METH_KEYWORDS:
      return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(here.three));
    case kFastcall:
      return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(here.fast));
    case kFastcall | METH_KEYWORDS:
      return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(here.fast_named));
    default:
      return nullptr;
  }
}

bool is_called(PyObject* function, const char* type_name) {
  const Ref name(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(function)), "__name__"));
  return name && PyUnicode_Check(name.get()) &&
         PyUnicode_CompareWithASCIIString(name.get(), type_name) == 0;
}

// Both ends of a pipe: the kernel says whether memory may be read or written, without a fault.
class Probe {
 public:
  Probe() : open_(::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0) {}
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    if (open_) {
      ::close(ends_[0]);
      ::close(ends_[1]);
    }
  }
  bool readable(const void* address, std::size_t bytes) const {
    char sink[sizeof(PyMethodDef)];
    const auto size = static_cast<ssize_t>(bytes);
    return open_ && bytes <= sizeof sink && ::write(ends_[1], address, bytes) == size &&
           ::read(ends_[0], sink, bytes) == size;
  }
  // Writes what stands there.
  bool writable(void* address, std::size_t bytes) const {
    const auto size = static_cast<ssize_t>(bytes);
    return open_ && ::write(ends_[1], address, bytes) == size &&
           ::read(ends_[0], address, bytes) == size;
  }

 private:
  int ends_[2] = {-1, -1};
  bool open_;
};

bool is_named(const Probe& probe, const PyMethodDef* definition, PyObject* name) {
  const Ref text(PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : nullptr);
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!text || PyBytes_AsStringAndSize(text.get(), &bytes, &size) != 0) return false;
  const auto whole = static_cast<std::size_t>(size) + 1;
  return whole <= sizeof(PyMethodDef) && probe.readable(definition, sizeof *definition) &&
         probe.readable(definition->ml_name, whole) &&
         std::memcmp(definition->ml_name, bytes, whole) == 0;
}

// What CPython says of the object is compared with what lies at each place before it is used.
bool look_at_descriptor(PyObject* function, Redirected& found) {
  const Ref owner(PyObject_GetAttrString(function, "__objclass__"));
  const Ref name(PyObject_GetAttrString(function, "__name__"));
  if (!owner || !name || *value_at<PyObject*>(function, kClassOfDescriptor) != owner.get() ||
      *value_at<PyObject*>(function, kNameOfDescriptor) != name.get()) {
    return false;
  }
  found.definition = *value_at<PyMethodDef*>(function, kDefinitionOfDescriptor);
  found.with_self = true;
  return true;
}

bool look_at_builtin(PyObject* function, Redirected& found) {
  found.definition = *value_at<PyMethodDef*>(function, kDefinitionOfBuiltin);
  found.self = *value_at<PyObject*>(function, kSelfOfBuiltin);
  return true;
}

bool is_builtin(PyObject* function, Redirected& found) {
  return Py_TYPE(function) == &PyCFunction_Type && look_at_builtin(function, found) &&
         PyCFunction_GetSelf(function) == found.self &&
         PyCFunction_GetFunction(function) == found.definition->ml_meth;
}

bool look_at(PyObject* function, Redirected& found) {
  if (is_called(function, "cython_function_or_method")) return look_at_builtin(function, found);
  if (Py_TYPE(function) == &PyMethodDescr_Type) return look_at_descriptor(function, found);
  const bool of_pybind = is_called(function, "instancemethod");
  const Ref inner(of_pybind ? PyObject_GetAttrString(function, "__func__") : new_ref(function));
  return inner && is_builtin(inner.get(), found);
}

bool can_be_redirected(PyObject* function, Redirected& found) {
  if (!look_at(function, found)) return false;
  const Ref name(PyObject_GetAttrString(function, "__name__"));
  const Probe probe;
  if (!name || !is_named(probe, found.definition, name.get())) return false;
  found.original = found.definition->ml_meth;
  return probe.writable(&found.definition->ml_meth, sizeof found.original);
}

void point_to(PyMethodDef* definition, PyCFunction code) {
  std::atomic_ref(definition->ml_meth).store(code, std::memory_order_release);
}

// The function itself with other arguments than it was called with.
PyObject* call_original(PyObject* function, PyObject* const* args, std::size_t flags,
                        PyObject* names) {
  const Redirected* here = redirected;
  while (here->function != function) ++here;
  auto count = static_cast<Py_ssize_t>(flags & ~(std::size_t{1} << (8 * sizeof flags - 1)));
  PyObject* self = here->self;
  if (here->with_self) {
    if (count == 0) return PyErr_Format(PyExc_TypeError, "%R needs an argument", function);
    self = *args++;
    --count;
  }
  const int form = here->definition->ml_flags & kForms;
  if (form == kFastcall) return as<Fast>(here->original)(self, args, count);
  if (form == (kFastcall | METH_KEYWORDS)) {
    return as<FastNamed>(here->original)(self, args, count, names);
  }
  if (form == METH_NOARGS || form == METH_O) {
    if (count == (form == METH_O ? 1 : 0)) {
      return as<WithTwo>(here->original)(self, form == METH_O ? args[0] : nullptr);
    }
    return PyErr_Format(PyExc_TypeError, "%R got %zd arguments", function, count);
  }
  Call call(args, static_cast<std::size_t>(count), names);
  PyObject* tuple = call.tuple();
  PyObject* keywords = call.keywords();
  if (call.failed()) return nullptr;
  if (form == METH_VARARGS) return as<WithTwo>(here->original)(self, tuple);
  return as<WithThree>(here->original)(self, tuple, keywords);
}

}  // namespace

Vectorcall redirect_c_function(PyObject* function, SpanInFront in_front) {
  Redirected found;
  const bool looked = can_be_redirected(function, found);
  PyErr_Clear();
  if (!looked) return nullptr;
  int index = 0;
  while (index < redirected_count && redirected[index].definition != found.definition) ++index;
  if (index == kMostFunctions) return nullptr;
  // Another object of the same definition would be called through the first one's Span.
  const bool known = index < redirected_count;
  if (known && redirected[index].function != function) return nullptr;
  const PyCFunction code = entrance(index, found.definition->ml_flags);
  if (code == nullptr || code == found.original) return nullptr;
  if (!known) {
    found.function = new_ref(function);
    found.in_front = in_front;
    redirected[index] = found;
    ++redirected_count;
  }
  point_to(found.definition, code);
  return call_original;
}

void restore_c_function(PyObject* function) {
  for (int i = 0; i < redirected_count; ++i) {
    if (redirected[i].function == function)
      point_to(redirected[i].definition, redirected[i].original);
  }
}

}  // namespace flatout::inject
