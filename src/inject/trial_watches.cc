#include "inject/trial_watches.h"

#include "inject/read_watch.h"
#include "inject/write_watch.h"

namespace flatout::inject {

PyObject* py_watch_writes(PyObject*, PyObject*) { return PyBool_FromLong(watch_writes() ? 1 : 0); }

PyObject* py_write_is_outside(PyObject*, PyObject* path) {
  if (!PyBytes_Check(path)) Py_RETURN_FALSE;
  return PyBool_FromLong(write_is_outside(PyBytes_AsString(path)) ? 1 : 0);
}

PyObject* py_watch_reads(PyObject*, PyObject*) { return PyBool_FromLong(watch_reads() ? 1 : 0); }

PyObject* py_note_read(PyObject*, PyObject* path) {
  note_read(path);
  Py_RETURN_NONE;
}

PyObject* py_note_write(PyObject*, PyObject* path) {
  note_write(path);
  Py_RETURN_NONE;
}

}  // namespace flatout::inject
