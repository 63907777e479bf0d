
#include <cstddef>

#include "inject/span.h"

namespace flatout::inject {
namespace {

PyObject* type_object = nullptr;
PyObject* method_type = nullptr;

Span* as_span(PyObject* object) { return reinterpret_cast<Span*>(object); }

int traverse(PyObject* self, visitproc visit, void* arg) {
  Span* span = as_span(self);
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  Py_VISIT(span->function);
  Py_VISIT(span->before);
  Py_VISIT(span->after);
  Py_VISIT(span->name_from);
  return 0;
}

int clear(PyObject* self) {
  Span* span = as_span(self);
  Py_CLEAR(span->function);
  Py_CLEAR(span->before);
  Py_CLEAR(span->after);
  Py_CLEAR(span->name_from);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_span(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  auto* free_object = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free_object(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

// A Span in a class binds as the function would.
PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return new_ref(self);
  return PyObject_CallFunctionObjArgs(method_type, self, instance, nullptr);
}

bool is_own_attribute(PyObject* name) {
  for (const char* own : {"__get__", "__call__", "__reduce__", "__reduce_ex__", "__deepcopy__",
                          "__copy__", "__hash__", "__eq__", "__ne__"}) {
    if (PyUnicode_CompareWithASCIIString(name, own) == 0) return true;
  }
  return false;
}

// Whoever looks at the Span (signatures, names, documentation, code) sees the function.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  if (!is_own_attribute(name)) {
    PyObject* value = PyObject_GetAttr(as_span(self)->function, name);
    if (value != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(self, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return PyObject_SetAttr(as_span(self)->function, name, value);
}

PyObject* represent(PyObject* self) { return PyObject_Repr(as_span(self)->function); }

PyObject* innermost(PyObject* object) {  // borrowed
  while (is_span(object)) object = as_span(object)->function;
  return object;
}

// Equal to what it stands in for, and to every other Span that does so too.
PyObject* compare(PyObject* self, PyObject* other, int operation) {
  return PyObject_RichCompare(innermost(self), innermost(other), operation);
}

Py_hash_t hash(PyObject* self) { return PyObject_Hash(innermost(self)); }

// What its module has under the function's name; nullptr where there is nothing.
Ref found_by_name(PyObject* function) {
  const Ref module_name(PyObject_GetAttrString(function, "__module__"));
  const Ref qualified(PyObject_GetAttrString(function, "__qualname__"));
  PyObject* modules = PyImport_GetModuleDict();
  if (!module_name || !qualified || !PyDict_Check(modules)) return {};
  Ref found(new_ref(PyDict_GetItem(modules, module_name.get())));
  const Ref names(PyObject_CallMethod(qualified.get(), "split", "s", "."));
  for (Py_ssize_t i = 0; names && found && i < PyList_Size(names.get()); ++i) {
    found = Ref(PyObject_GetAttr(found.get(), PyList_GetItem(names.get(), i)));
  }
  return found;
}

// Like a function: copies are the same object, pickles are by name. Where the name leads
// to the function itself (a Span in another module's hands), it is the function that is
// pickled: copy.copy() gives it back as it is.
PyObject* same_object(PyObject* self, PyObject*) { return new_ref(self); }
PyObject* reduce(PyObject* self, PyObject*) {
  PyObject* function = innermost(self);
  const Ref found = found_by_name(function);
  PyErr_Clear();
  if (found.get() == self) return PyObject_GetAttrString(function, "__qualname__");
  const Ref copy(PyImport_ImportModule("copy"));
  const Ref same(copy ? PyObject_GetAttrString(copy.get(), "copy") : nullptr);
  return same ? Py_BuildValue("O(O)", same.get(), function) : nullptr;
}

// For code of ours that has no native module at hand (native_form/originals.py).
PyObject* function_of(PyObject* self, PyObject*) { return new_ref(innermost(self)); }

PyMethodDef span_methods[] = {
    {"__flatout_function__", function_of, METH_NOARGS, nullptr},
    {"__deepcopy__", same_object, METH_VARARGS, nullptr},
    {"__copy__", same_object, METH_NOARGS, nullptr},
    {"__reduce_ex__", reduce, METH_VARARGS, nullptr},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Span, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* called(PyObject* self, PyObject* args, PyObject* kwargs) {
  Call call(args, kwargs);
  return call_span(as_span(self), call);
}

template <typename Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyObject* make_type() {
  PyType_Slot slots[] = {
      {Py_tp_call, slot(called)},
      {Py_tp_descr_get, slot(bind)},
      {Py_tp_getattro, slot(get_attribute)},
      {Py_tp_setattro, slot(set_attribute)},
      {Py_tp_repr, slot(represent)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_hash, slot(hash)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_methods, span_methods},
      {Py_tp_members, members},
      {0, nullptr},
  };
  // METHOD_DESCRIPTOR lets the interpreter call a Span in a class with the
  // instance in front, without making a bound method for each call.
  PyType_Spec spec = {"flatout.Span", sizeof(Span), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_METHOD_DESCRIPTOR,
                      slots};
  const Ref types(PyImport_ImportModule("types"));
  if (!types) return nullptr;
  method_type = PyObject_GetAttrString(types.get(), "MethodType");
  return method_type == nullptr ? nullptr : PyType_FromSpec(&spec);
}

}  // namespace

PyObject* span_type() {
  if (type_object == nullptr) type_object = make_type();
  return new_ref(type_object);
}

bool is_span(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type_object;
}

PyObject* new_span(PyObject* function, SpanMode mode, run::Phase phase, std::uint32_t stage,
                   PyObject* before, PyObject* after, PyObject* name_from) {
  const Ref type(span_type());
  if (!type) return nullptr;
  PyObject* object = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.get()), 0);
  if (object == nullptr) return nullptr;
  Span* span = as_span(object);
  span->function = new_ref(function);
  span->original = nullptr;
  span->before = new_ref(before);
  span->after = new_ref(after);
  span->name_from = new_ref(name_from);
  span->mode = mode;
  span->phase = phase;
  span->stage = stage;
  return object;
}

}  // namespace flatout::inject
