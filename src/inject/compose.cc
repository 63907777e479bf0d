// A Compose calls its transforms one after another. To time each without
// touching the object (it may be pickled) its __call__ runs on a stand-in
// whose `transforms` are Spans around the real ones. The hooks wrap only a
// Compose whose __call__ was seen to use nothing of self but `transforms`.
#include "inject/batch_timer.h"
#include "inject/span.h"

namespace flatout::inject {
namespace {

// Stand-ins by the address of their Compose. An entry owns the list it was
// made from, so neither address can be reused while it is here.
struct StandIn {
  PyObject* compose = nullptr;   // owned
  PyObject* snapshot = nullptr;  // owned tuple of the transforms as they were
  PyObject* object = nullptr;    // owned stand-in
};
constexpr int kStandIns = 16;
StandIn stand_ins[kStandIns];
int oldest_stand_in = 0;

bool unchanged(const StandIn& entry, PyObject* transforms) {
  const Py_ssize_t size = PyList_Size(transforms);
  if (size != PyTuple_Size(entry.snapshot)) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (PyList_GetItem(transforms, i) != PyTuple_GetItem(entry.snapshot, i)) return false;
  }
  return true;
}

bool is_of(PyObject* transform, PyObject* types, const char* name) {
  const Ref kind(PyObject_GetAttrString(types, name));
  return kind.get() == reinterpret_cast<PyObject*>(Py_TYPE(transform));
}

// What has a name of its own: functions, methods of the program's, classes, and our Spans of such.
bool has_name(PyObject* transform) {
  if (Py_TYPE(transform) == &PyCFunction_Type || Py_TYPE(transform) == &PyType_Type) return true;
  const Ref types(PyImport_ImportModule("types"));
  return is_span(transform) || (types && (is_of(transform, types.get(), "FunctionType") ||
                                          is_of(transform, types.get(), "MethodType")));
}

// "RandomCrop" for an object, whose own attributes are not asked for.
Ref name_of(PyObject* transform) {
  PyObject* named =
      has_name(transform) ? transform : reinterpret_cast<PyObject*>(Py_TYPE(transform));
  const Ref text(PyObject_GetAttrString(named, "__name__"));
  return Ref(text ? PyUnicode_AsUTF8String(text.get()) : nullptr);
}

PyObject* timed(PyObject* transform) {  // new reference
  if (transform == Py_None) return new_ref(transform);
  const Ref name = name_of(transform);
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!name || PyBytes_AsStringAndSize(name.get(), &bytes, &size) != 0) return nullptr;
  return new_span(transform, SpanMode::kStage, run::Phase::kOther,
                  stage_id(bytes, static_cast<std::uint32_t>(size)), nullptr, nullptr, nullptr);
}

Ref timed_list(PyObject* transforms) {
  const Py_ssize_t size = PyList_Size(transforms);
  Ref list(PyList_New(size));
  if (!list) return {};
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* span = timed(PyList_GetItem(transforms, i));
    if (span == nullptr) return {};
    PyList_SetItem(list.get(), i, span);
  }
  return list;
}

Ref make_stand_in(PyObject* transforms) {
  const Ref list = timed_list(transforms);
  const Ref types(PyImport_ImportModule("types"));
  if (!list || !types) return {};
  Ref object(PyObject_CallMethod(types.get(), "SimpleNamespace", nullptr));
  if (!object || PyObject_SetAttrString(object.get(), "transforms", list.get()) != 0) return {};
  return object;
}

PyObject* stand_in_for(PyObject* compose, PyObject* transforms) {  // borrowed, or nullptr
  for (const StandIn& entry : stand_ins) {
    if (entry.compose == compose && unchanged(entry, transforms)) return entry.object;
  }
  Ref object = make_stand_in(transforms);
  Ref snapshot(object ? PyList_AsTuple(transforms) : nullptr);
  if (!snapshot) {
    PyErr_Clear();
    return nullptr;
  }
  StandIn& entry = stand_ins[oldest_stand_in];
  oldest_stand_in = (oldest_stand_in + 1) % kStandIns;
  const Ref old_compose(entry.compose);
  const Ref old_snapshot(entry.snapshot);
  const Ref old_object(entry.object);
  entry = {new_ref(compose), snapshot.release(), object.release()};
  return entry.object;
}

// `args` with its first entry replaced.
Ref with_first(PyObject* args, PyObject* first) {
  const Py_ssize_t size = PyTuple_Size(args);
  Ref copy(PyTuple_New(size));
  for (Py_ssize_t i = 0; copy && i < size; ++i) {
    PyTuple_SetItem(copy.get(), i, new_ref(i == 0 ? first : PyTuple_GetItem(args, i)));
  }
  return copy;
}

}  // namespace

PyObject* call_compose(Span* span, Call& call) {
  PyObject* compose = call.argument(0);
  if (!in_batch() || compose == nullptr) return call.run(span);
  PyObject* args = call.tuple();
  PyObject* kwargs = call.keywords();
  if (call.failed()) return nullptr;
  const Ref transforms(PyObject_GetAttrString(compose, "transforms"));
  PyObject* stand_in = transforms && PyList_CheckExact(transforms.get())
                           ? stand_in_for(compose, transforms.get())
                           : nullptr;
  const Ref replaced = stand_in != nullptr ? with_first(args, stand_in) : Ref();
  if (!replaced) {
    PyErr_Clear();
    return call.run(span);
  }
  Call timed_call(replaced.get(), kwargs);
  return timed_call.run(span);
}

}  // namespace flatout::inject
