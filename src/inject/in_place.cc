#include "inject/in_place.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "inject/bound_code.h"
#include "inject/c_function.h"
#include "inject/object_places.h"

namespace flatout::inject {
namespace {

constexpr std::size_t kEntries = 512;  // a power of two
constexpr std::size_t kMostHooked = kEntries / 2;

struct Entry {
  PyObject* function = nullptr;   // owned
  Span* outermost = nullptr;      // owned; nullptr: no longer hooked
  Vectorcall original = nullptr;  // calls the function itself
  bool by_bound_code = false;     // as inject/bound_code.h has it
};
Entry entries[kEntries];
std::size_t entry_count = 0;

// The functions' entry, or the free place where it would lie.
Entry& entry_of(const PyObject* function) {
  std::size_t at = reinterpret_cast<std::uintptr_t>(function) >> 4 & (kEntries - 1);
  while (entries[at].function != nullptr && entries[at].function != function) {
    at = (at + 1) & (kEntries - 1);
  }
  return entries[at];
}

// As inject/object_places.h has them.
constexpr Py_ssize_t kTypeOfObject = 8;
constexpr Py_ssize_t kFlagsOfType = 168;
constexpr unsigned long kBaseType = 1UL << 10;

PyTypeObject* function_type = nullptr;
PyTypeObject* hooked_type = nullptr;  // from 3.11 on
bool looks_at_pointer = true;         // bytecode that calls a function; not so in 3.11
Py_ssize_t vectorcall_offset = 0;
Vectorcall call_function = nullptr;  // CPython's own, the same for every function
using SetVectorcall = void (*)(PyObject*, Vectorcall);
SetVectorcall set_vectorcall = nullptr;

PyObject* trampoline(PyObject* function, PyObject* const* args, std::size_t flags,
                     PyObject* names) {
  const Entry& entry = entry_of(function);
  if (entry.outermost == nullptr) return entry.original(function, args, flags, names);
  const Ref held(new_ref(reinterpret_cast<PyObject*>(entry.outermost)));
  Call call(args, flags, names);
  return call_span(reinterpret_cast<Span*>(held.get()), call);
}

Span* span_in_front(PyObject* function) { return entry_of(function).outermost; }

// As pickle and copy treat a function: by name, and as the same object.
PyObject* qualified_name(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "__qualname__");
}
PyObject* same(PyObject* self, PyObject*) { return new_ref(self); }
PyObject* class_of(PyObject*, void*) { return new_ref(reinterpret_cast<PyObject*>(function_type)); }

PyMethodDef methods[] = {
    {"__reduce_ex__", qualified_name, METH_O, nullptr},
    {"__reduce__", qualified_name, METH_NOARGS, nullptr},
    {"__copy__", same, METH_NOARGS, nullptr},
    {"__deepcopy__", same, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef attributes[] = {
    {"__class__", class_of, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// `__module__` of the class is a text, that of each function its own: a text that, found in the
// class for a function, does what the function's own descriptor does.
PyObject* of_functions = nullptr;  // that descriptor
PyObject* module_of(PyObject* self, PyObject* function, PyObject* type) {
  if (function == nullptr || function == Py_None) return new_ref(self);
  return PyObject_CallMethod(of_functions, "__get__", "OO", function,
                             type != nullptr ? type : Py_None);
}
int set_module(PyObject*, PyObject* function, PyObject* value) {
  const Ref done(value != nullptr
                     ? PyObject_CallMethod(of_functions, "__set__", "OO", function, value)
                     : PyObject_CallMethod(of_functions, "__delete__", "O", function));
  return done ? 0 : -1;
}

Ref module_text() {
  PyType_Slot slots[] = {{Py_tp_descr_get, reinterpret_cast<void*>(module_of)},
                         {Py_tp_descr_set, reinterpret_cast<void*>(set_module)},
                         {0, nullptr}};
  PyType_Spec spec = {"builtins.str", 0, 0, static_cast<unsigned int>(Py_TPFLAGS_DEFAULT), slots};
  const Ref bases(Py_BuildValue("(O)", reinterpret_cast<PyObject*>(&PyUnicode_Type)));
  const Ref type(bases ? PyType_FromSpecWithBases(&spec, bases.get()) : nullptr);
  return Ref(type ? PyObject_CallFunction(type.get(), "s", "builtins") : nullptr);
}

// What a new class has of its own and a function has for each object: found there again.
bool inherit(PyObject* type) {
  const Ref names(PyObject_GetAttrString(reinterpret_cast<PyObject*>(function_type), "__dict__"));
  if (!names) return false;
  of_functions = PyMapping_GetItemString(names.get(), "__module__");
  const Ref doc(PyMapping_GetItemString(names.get(), "__doc__"));
  const Ref module(of_functions != nullptr ? module_text() : Ref());
  return doc && module && PyObject_SetAttrString(type, "__doc__", doc.get()) == 0 &&
         PyObject_SetAttrString(type, "__module__", module.get()) == 0;
}

// `function` may be no base of a class; for the moment of this call it may.
PyTypeObject* make_hooked_type() {
  PyType_Slot slots[] = {{Py_tp_methods, methods}, {Py_tp_getset, attributes}, {0, nullptr}};
  PyType_Spec spec = {"builtins.function", 0, 0,
                      static_cast<unsigned int>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_METHOD_DESCRIPTOR |
                                                kHaveVectorcall),
                      slots};
  const Ref bases(PyTuple_New(1));
  if (!bases) return nullptr;
  PyTuple_SetItem(bases.get(), 0, new_ref(reinterpret_cast<PyObject*>(function_type)));
  auto* flags = value_at<unsigned long>(function_type, kFlagsOfType);
  const unsigned long before = *flags;
  *flags = before | kBaseType;
  PyObject* type = PyType_FromSpecWithBases(&spec, bases.get());
  *flags = before;
  if (type == nullptr) return nullptr;
  const bool as_expected =
      inherit(type) && *value_at<Py_ssize_t>(type, kVectorcallOffsetOfType) == vectorcall_offset &&
      (*value_at<unsigned long>(type, kFlagsOfType) & kHaveVectorcall) != 0;
  if (as_expected) return reinterpret_cast<PyTypeObject*>(type);
  Py_DECREF(type);
  return nullptr;
}

bool is_attribute(PyObject* object, const char* name, long long value) {
  const Ref attribute(PyObject_GetAttrString(object, name));
  return attribute && PyLong_AsLongLong(attribute.get()) == value;
}

bool find_layout(PyObject* some_function, PyObject* another) {
  function_type = Py_TYPE(some_function);
  auto* type = reinterpret_cast<PyObject*>(function_type);
  const auto basic_size = *value_at<Py_ssize_t>(type, kBasicSizeOfType);
  const auto flags = static_cast<long long>(*value_at<unsigned long>(type, kFlagsOfType));
  vectorcall_offset = *value_at<Py_ssize_t>(type, kVectorcallOffsetOfType);
  if (!is_attribute(type, "__basicsize__", basic_size) || !is_attribute(type, "__flags__", flags) ||
      *value_at<PyTypeObject*>(some_function, kTypeOfObject) != function_type ||
      vectorcall_offset < 16 || vectorcall_offset > basic_size - 8) {
    return false;
  }
  call_function = *value_at<Vectorcall>(some_function, vectorcall_offset);
  return call_function != nullptr &&
         call_function == *value_at<Vectorcall>(another, vectorcall_offset);
}

bool look_at_interpreter() {
  const Ref types(PyImport_ImportModule("_frozen_importlib"));
  const Ref one(types ? PyObject_GetAttrString(types.get(), "module_from_spec") : nullptr);
  const Ref other(types ? PyObject_GetAttrString(types.get(), "spec_from_loader") : nullptr);
  if (!one || !other || Py_TYPE(one.get()) != Py_TYPE(other.get())) return false;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) return false;
  if (!find_layout(one.get(), other.get())) return false;
  set_vectorcall =
      reinterpret_cast<SetVectorcall>(::dlsym(RTLD_DEFAULT, "PyFunction_SetVectorcall"));
  const char* version = Py_GetVersion();
  if (std::strncmp(version, "3.9.", 4) == 0 || std::strncmp(version, "3.10.", 5) == 0) return true;
  looks_at_pointer = set_vectorcall != nullptr;
  hooked_type = make_hooked_type();
  return hooked_type != nullptr;
}

// From 3.12 on bytecode that calls a class still goes straight into its __init__.
PyTypeObject* type_of_hooked(PyObject* function) {
  if (hooked_type == nullptr || !looks_at_pointer) {
    return hooked_type != nullptr ? hooked_type : function_type;
  }
  const Ref name(PyObject_GetAttrString(function, "__name__"));
  const bool init = name && PyUnicode_Check(name.get()) &&
                    PyUnicode_CompareWithASCIIString(name.get(), "__init__") == 0;
  PyErr_Clear();
  return init ? hooked_type : function_type;
}

void put(PyObject* function, Vectorcall vectorcall, PyTypeObject* type) {
  if (set_vectorcall != nullptr) {
    set_vectorcall(function, vectorcall);
  } else {
    *value_at<Vectorcall>(function, vectorcall_offset) = vectorcall;
  }
  if (hooked_type == nullptr || Py_TYPE(function) == type) return;
  // Only an instance of a class that lies on the heap owns its type.
  if (type == hooked_type) Py_INCREF(reinterpret_cast<PyObject*>(hooked_type));
  *value_at<PyTypeObject*>(function, kTypeOfObject) = type;
  if (type != hooked_type) Py_DECREF(reinterpret_cast<PyObject*>(hooked_type));
}

// Has calls of `function` go through its entry; returns what calls the function itself, or nullptr.
Vectorcall redirect(PyObject* function, Kind kind, Entry& entry) {
  if (Py_TYPE(function) == function_type) {
    return *value_at<Vectorcall>(function, vectorcall_offset) == call_function ? call_function
                                                                               : nullptr;
  }
  if (kind == Kind::kMethodOfPybind) {
    const Vectorcall original = redirect_bound_code(function, trampoline);
    entry.by_bound_code = original != nullptr;
    if (original != nullptr) return original;
  }
  return redirect_c_function(function, span_in_front);
}

void restore(PyObject* function, Entry& entry) {
  if (entry.by_bound_code) {
    redirect_bound_code(function, entry.original);
  } else if (entry.original == call_function) {
    put(function, call_function, function_type);
  } else {
    restore_c_function(function);
  }
}

}  // namespace

bool can_hook_in_place() {
  static const bool can = [] {
    const bool found = look_at_interpreter();
    PyErr_Clear();
    return found;
  }();
  return can;
}

bool hook_in_place(PyObject* function, Span* span, Kind kind) {
  if (!can_hook_in_place()) return false;
  Entry& entry = entry_of(function);
  if (entry.outermost != nullptr) {
    const Ref below(span->function);
    span->function = new_ref(reinterpret_cast<PyObject*>(entry.outermost));
    const Ref replaced(reinterpret_cast<PyObject*>(entry.outermost));
    entry.outermost = reinterpret_cast<Span*>(new_ref(reinterpret_cast<PyObject*>(span)));
    return true;
  }
  if (entry_count >= kMostHooked) return false;
  const Vectorcall original = redirect(function, kind, entry);
  if (original == nullptr) return false;
  if (entry.function == nullptr) {
    entry.function = new_ref(function);
    ++entry_count;
  }
  entry.original = original;
  span->original = original;
  entry.outermost = reinterpret_cast<Span*>(new_ref(reinterpret_cast<PyObject*>(span)));
  if (original == call_function) put(function, trampoline, type_of_hooked(function));
  return true;
}

bool unhook_in_place(PyObject* function, const Span* span) {
  Entry& entry = entry_of(function);
  if (entry.function == nullptr || entry.outermost == nullptr) return false;
  Span* above = nullptr;
  Span* here = entry.outermost;
  while (here != span && is_span(here->function)) {
    above = here;
    here = reinterpret_cast<Span*>(here->function);
  }
  if (here != span) return false;
  const Ref held(new_ref(reinterpret_cast<PyObject*>(here)));
  const bool innermost = here->original != nullptr;
  if (above != nullptr) {
    const Ref replaced(above->function);
    above->function = new_ref(here->function);
    above->original = here->original;
  } else {
    const Ref replaced(reinterpret_cast<PyObject*>(entry.outermost));
    entry.outermost = innermost ? nullptr : reinterpret_cast<Span*>(new_ref(here->function));
    if (innermost) restore(function, entry);
  }
  return true;
}

}  // namespace flatout::inject
