// What a trial watches its program read and write by, as functions of the module `_native`.
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

PyObject* py_watch_writes(PyObject* module,
                          PyObject* none);  // -> bool, read_watch.h and write_watch.h
PyObject* py_watch_reads(PyObject* module, PyObject* none);       // -> bool
PyObject* py_write_is_outside(PyObject* module, PyObject* path);  // bytes -> bool
PyObject* py_note_read(PyObject* module, PyObject* path);         // -> None
PyObject* py_note_write(PyObject* module, PyObject* path);        // -> None

}  // namespace flatout::inject
