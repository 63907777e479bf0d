#include "inject/output/recorded_write.h"

#include <pthread.h>

#include <cstddef>
#include <cstdlib>

#include "inject/output/output_file.h"
#include "inject/output/output_rows.h"
#include "inject/process_state.h"

extern "C" const char* PyUnicode_AsUTF8AndSize(PyObject* text, Py_ssize_t* bytes);

namespace flatout::inject {
namespace {

constexpr const char* kTypeName = "flatout.RecordedWrite";
constexpr Py_ssize_t kPiece = 65536;  // characters of a longer text that are encoded at once

struct RecordedWrite {
  PyObject head;
  PyObject* write;  // what it stands in front of: the method `write`, or `flush`
  OutputRows* rows;
  bool flushes;
};

OutputFile output_file;
OutputRows output_rows[2];
constexpr const char* kMethods[] = {"write", "flush"};
PyObject* recorded[2][2] = {};  // RecordedWrite in use, by stream and method
bool replaced_own[2][2] = {};   // the stream had such an attribute of its own, beside its class's
PyObject* write_type = nullptr;
bool is_recording = false;
bool is_busy = false;
volatile bool is_new_process = false;

RecordedWrite* as_write(PyObject* object) { return reinterpret_cast<RecordedWrite*>(object); }

void record_bytes(OutputRows& rows, const char* text, Py_ssize_t bytes) {
  const std::int64_t now = now_ns();
  for (OutputRows& stream : output_rows) stream.keep_old(now);
  rows.write(text, static_cast<std::size_t>(bytes), now);
}

// A text of the program's; what no UTF-8 can hold is written out, as \udc80.
void record_text(OutputRows& rows, PyObject* text) {
  Py_ssize_t bytes = 0;
  if (const char* utf8 = PyUnicode_AsUTF8AndSize(text, &bytes)) {
    record_bytes(rows, utf8, bytes);
    return;
  }
  PyErr_Clear();
  const Ref encoded(PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace"));
  char* start = nullptr;
  if (encoded && PyBytes_AsStringAndSize(encoded.get(), &start, &bytes) == 0) {
    record_bytes(rows, start, bytes);
  }
  PyErr_Clear();
}

void record(OutputRows& rows, PyObject* text) {
  const Py_ssize_t characters = PyUnicode_GetLength(text);
  if (characters <= kPiece) {
    record_text(rows, text);
    return;
  }
  for (Py_ssize_t at = 0; at < characters; at += kPiece) {  // no copy of all of it
    const Ref piece(PyUnicode_Substring(text, at, at + kPiece));
    if (!piece) break;
    record_text(rows, piece.get());
  }
  PyErr_Clear();
}

void begin_in_new_process() {
  is_new_process = false;
  output_file.forget();
  for (OutputRows& rows : output_rows) rows.forget();
}

// The program gets what the method itself gives, or its exception.
PyObject* call_write(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = PyObject_Call(as_write(self)->write, args, kwargs);
  if (result == nullptr || !is_recording || is_busy) return result;
  const bool flushes = as_write(self)->flushes;
  PyObject* text = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : nullptr;
  if (!flushes && (text == nullptr || !PyUnicode_Check(text))) return result;
  is_busy = true;
  if (is_new_process) begin_in_new_process();
  if (flushes) {
    as_write(self)->rows->flush(now_ns());
  } else {
    record(*as_write(self)->rows, text);
  }
  is_busy = false;
  return result;
}

int traverse_write(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_write(self)->write);
  return 0;
}

int clear_write(PyObject* self) {
  Py_CLEAR(as_write(self)->write);
  return 0;
}

void free_write(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_write(self);
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

// Whoever looks at it (names, signature, __self__) sees the method.
PyObject* attribute_of_write(PyObject* self, PyObject* name) {
  return PyObject_GetAttr(as_write(self)->write, name);
}

PyObject* represent_write(PyObject* self) { return PyObject_Repr(as_write(self)->write); }

PyObject* compare_write(PyObject* self, PyObject* other, int operation) {
  PyObject* against = Py_TYPE(other) == Py_TYPE(self) ? as_write(other)->write : other;
  return PyObject_RichCompare(as_write(self)->write, against, operation);
}

Py_hash_t hash_write(PyObject* self) { return PyObject_Hash(as_write(self)->write); }

template <typename Function>
void* write_slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

bool make_write_type() {
  if (write_type != nullptr) return true;
  PyType_Slot slots[] = {
      {Py_tp_call, write_slot(call_write)},
      {Py_tp_getattro, write_slot(attribute_of_write)},
      {Py_tp_repr, write_slot(represent_write)},
      {Py_tp_richcompare, write_slot(compare_write)},
      {Py_tp_hash, write_slot(hash_write)},
      {Py_tp_traverse, write_slot(traverse_write)},
      {Py_tp_clear, write_slot(clear_write)},
      {Py_tp_dealloc, write_slot(free_write)},
      {0, nullptr},
  };
  PyType_Spec spec = {kTypeName, sizeof(RecordedWrite), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                      slots};
  write_type = PyType_FromSpec(&spec);
  return write_type != nullptr;
}

// Also one of another copy of this code.
bool is_recorded(PyObject* method) {
  const Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(method)), "__name__"));
  return name && PyUnicode_Check(name.get()) &&
         PyUnicode_CompareWithASCIIString(name.get(), "RecordedWrite") == 0;
}

bool has_own(PyObject* stream, const char* method) {
  const Ref names(PyObject_GetAttrString(stream, "__dict__"));
  return names && PyDict_Check(names.get()) && PyDict_GetItemString(names.get(), method) != nullptr;
}

bool record_method(int index, int which, PyObject* stream) {
  const char* name = kMethods[which];
  const Ref method(PyObject_GetAttrString(stream, name));
  if (!method || recorded[index][which] != nullptr || is_recorded(method.get())) return false;
  replaced_own[index][which] = has_own(stream, name);
  PyErr_Clear();
  PyObject* object = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(write_type), 0);
  if (object == nullptr) return false;
  as_write(object)->write = new_ref(method.get());
  as_write(object)->rows = &output_rows[index];
  as_write(object)->flushes = which == 1;
  if (PyObject_SetAttrString(stream, name, object) != 0) {
    Py_DECREF(object);
    return false;
  }
  recorded[index][which] = object;
  return true;
}

bool record_stream(int index, PyObject* stream) {
  if (stream == nullptr || stream == Py_None || !record_method(index, 0, stream)) return false;
  (void)record_method(index, 1, stream);
  PyErr_Clear();
  return true;
}

void restore_method(int index, int which) {
  const Ref ours(recorded[index][which]);
  recorded[index][which] = nullptr;
  if (!ours) return;
  const char* name = kMethods[which];
  const Ref stream(PyObject_GetAttrString(as_write(ours.get())->write, "__self__"));
  const Ref now(stream ? PyObject_GetAttrString(stream.get(), name) : nullptr);
  if (now.get() != ours.get()) return;
  PyObject* before = replaced_own[index][which] ? as_write(ours.get())->write : nullptr;
  PyObject_SetAttrString(stream.get(), name, before);
}

void keep_rest() {
  if (is_new_process || is_busy) return;
  for (OutputRows& rows : output_rows) rows.keep_all();
}

bool is_first_interpreter() {
  static PyInterpreterState* first = nullptr;
  if (first == nullptr) first = PyInterpreterState_Get();
  return first == PyInterpreterState_Get();
}

// Of all files of a process.
std::uint64_t wanted_bytes() {
  constexpr std::uint64_t kUsual = 64U << 20, kLeast = 512U << 10, kMost = 64ULL << 30;
  const char* text = std::getenv("FLATOUT_OUTPUT_BYTES");
  if (text == nullptr || *text < '0' || *text > '9') return kUsual;
  char* end = nullptr;
  std::uint64_t bytes = std::strtoull(text, &end, 10);
  for (const char unit : {'K', 'M', 'G'}) {
    if (*end == unit) bytes <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 30;
  }
  return bytes < kLeast ? kLeast : bytes > kMost ? kMost : bytes;
}

void prepare_once() {
  static bool done = false;
  if (done) return;
  done = true;
  output_rows[0].begin(output_file, 'o');
  output_rows[1].begin(output_file, 'e');
  ::pthread_atfork(nullptr, nullptr, [] {
    is_new_process = true;
    is_busy = false;
  });
  std::atexit(keep_rest);
}

}  // namespace

int record_output(const char* folder, bool out, bool err) {
  if (!is_first_interpreter() || !make_write_type() ||
      !output_file.open(folder, wanted_bytes() / OutputFile::kSegments)) {
    PyErr_Clear();
    return 0;
  }
  prepare_once();
  PyObject* first = PySys_GetObject("stdout");
  PyObject* second = PySys_GetObject("stderr");
  int streams = 0;
  if (out && record_stream(0, first)) ++streams;
  if (err && second != first && record_stream(1, second)) ++streams;
  PyErr_Clear();
  if (streams > 0) is_recording = true;
  return streams;
}

void stop_output() {
  for (int index = 0; index < 2; ++index) {
    for (int which = 0; which < 2; ++which) restore_method(index, which);
  }
  PyErr_Clear();
  if (is_recording) keep_rest();
  is_recording = false;
}

std::uint64_t lost_output() { return output_file.lost_lines(); }

}  // namespace flatout::inject
