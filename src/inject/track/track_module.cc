// The module `_track`: how a script's own figures and facts get into the ring of its process. A
// module of its own beside the hooks' `_native`, since each may be there without the other; both
// write into the one ring. Never raises but for wrong arguments.
#include "inject/emit.h"
#include "inject/output/recorded_write.h"
#include "inject/process_state.h"
#include "inject/track/logged_numbers.h"
#include "inject/track/recorder_start.h"

namespace flatout::inject {
namespace {

// A script may log in bursts, and no hook has made the ring: 60 000 calls of five figures.
constexpr std::size_t kTrackRingBytes = 16U << 20;

PyObject* new_process_callback = nullptr;
std::uint32_t announced_generation = 0;

// open(folder of rings, IPC namespace of segments or "", quiet) -> whether there is a ring
PyObject* py_open(PyObject*, PyObject* args) {
  const char *folder = nullptr, *ipc = nullptr;
  int quiet = 0;
  if (!PyArg_ParseTuple(args, "ssp", &folder, &ipc, &quiet)) return nullptr;
  configure(folder, quiet != 0, {.identify = nullptr, .opened = nullptr, .await = true}, ipc,
            kTrackRingBytes);
  announced_generation = generation();
  return PyBool_FromLong(ring() != nullptr ? 1 : 0);
}

// on_new_process(callback): called before the first record of a process that fork() made
PyObject* py_on_new_process(PyObject*, PyObject* callback) {
  PyObject* before = new_process_callback;
  new_process_callback = callback == Py_None ? nullptr : new_ref(callback);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

// In a process made by fork() the first call says there what its parent had said of its tracks.
bool announced() {
  if (announced_generation == generation()) return true;
  announced_generation = generation();
  if (new_process_callback == nullptr) return true;
  const Ref done(PyObject_CallFunctionObjArgs(new_process_callback, nullptr));
  if (done) return true;
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return false;
  PyErr_Clear();
  return true;
}

// values(track, step, dict) -> dict of the items that are no numbers, or None
PyObject* py_values(PyObject*, PyObject* args) {
  unsigned int track = 0;
  PyObject *step = nullptr, *data = nullptr;
  if (!PyArg_ParseTuple(args, "IOO", &track, &step, &data) || !announced()) return nullptr;
  int overflow = 0;
  long long number = PyLong_Check(step) ? PyLong_AsLongLongAndOverflow(step, &overflow) : -1;
  if (number < 0 || overflow != 0) number = wire::kNoStep;
  if (track > wire::kMaxTrack) track = wire::kMaxTrack;
  if (PyDict_Check(data)) return write_numbers(track, number, data);
  const Ref copy(PyDict_New());
  if (!copy || PyDict_Update(copy.get(), data) != 0) {
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
    PyErr_Clear();
    return new_ref(data);
  }
  return write_numbers(track, number, copy.get());
}

// fact(key, json) -> whether the ring took it
PyObject* py_track_fact(PyObject*, PyObject* args) {
  const char *key = nullptr, *json = nullptr;
  Py_ssize_t key_bytes = 0, json_bytes = 0;
  if (!PyArg_ParseTuple(args, "s#s#", &key, &key_bytes, &json, &json_bytes) || !announced()) {
    return nullptr;
  }
  const bool written = emit_fact(key, static_cast<std::uint32_t>(key_bytes), json,
                                 static_cast<std::uint32_t>(json_bytes));
  return PyBool_FromLong(written ? 1 : 0);
}

// start((path, argument, ...), timeout_ms) -> (answer, 0), or ("", errno)
PyObject* py_start(PyObject*, PyObject* args) {
  constexpr Py_ssize_t kMostArguments = 15;
  PyObject* words = nullptr;
  int timeout_ms = 0;
  if (!PyArg_ParseTuple(args, "Oi", &words, &timeout_ms)) return nullptr;
  const Py_ssize_t count = PyTuple_Check(words) ? PyTuple_Size(words) : 0;
  if (count < 1 || count > kMostArguments) {
    PyErr_SetString(PyExc_ValueError, "start: no tuple of 1 to 15 words");
    return nullptr;
  }
  char* argv[kMostArguments + 1] = {};
  for (Py_ssize_t i = 0; i < count; ++i) {
    argv[i] = PyBytes_AsString(PyTuple_GetItem(words, i));
    if (argv[i] == nullptr) return nullptr;
  }
  char answer[8192] = "";
  int error = 0;
  Py_BEGIN_ALLOW_THREADS;
  error = start_recorder(argv, timeout_ms, answer, sizeof answer);
  Py_END_ALLOW_THREADS;
  return Py_BuildValue("(yi)", error == 0 ? answer : "", error);
}

PyObject* py_lost(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(lost_numbers()); }

// record_output(folder, stdout, stderr) -> streams that are recorded by this call
PyObject* py_record_output(PyObject*, PyObject* args) {
  const char* folder = nullptr;
  int out = 0, err = 0;
  if (!PyArg_ParseTuple(args, "spp", &folder, &out, &err)) return nullptr;
  return PyLong_FromLong(record_output(folder, out != 0, err != 0));
}

PyObject* py_stop_output(PyObject*, PyObject*) {
  stop_output();
  Py_RETURN_NONE;
}

PyObject* py_lost_output(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(lost_output());
}

PyMethodDef track_functions[] = {
    {"open", py_open, METH_VARARGS, "open(folder, ipc, quiet) -> bool: there is a ring"},
    {"values", py_values, METH_VARARGS,
     "values(track, step, data) -> dict of what is no number, or None; step: anything but a whole "
     "number from 0 on means none"},
    {"fact", py_track_fact, METH_VARARGS, "fact(key, json) -> bool: the ring took it"},
    {"on_new_process", py_on_new_process, METH_O,
     "on_new_process(callback): called before the first record of a process that fork() made"},
    {"start", py_start, METH_VARARGS,
     "start(words, timeout_ms) -> (line that the recorder answered, errno)"},
    {"lost", py_lost, METH_NOARGS, "lost() -> numbers that no ring took"},
    {"record_output", py_record_output, METH_VARARGS,
     "record_output(folder, stdout, stderr) -> streams that are recorded by this call"},
    {"stop_output", py_stop_output, METH_NOARGS, "stop_output(): the streams are what they were"},
    {"lost_output", py_lost_output, METH_NOARGS, "lost_output() -> lines that no file took"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef_Slot track_slots[] = {{0, nullptr}};

PyModuleDef track_definition = {PyModuleDef_HEAD_INIT, "_track", nullptr, 0,      track_functions,
                                track_slots,           nullptr,  nullptr, nullptr};

}  // namespace
}  // namespace flatout::inject

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that Python looks for
PyMODINIT_FUNC PyInit__track(void) { return PyModuleDef_Init(&flatout::inject::track_definition); }
